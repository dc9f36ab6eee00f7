"""The tool tester: any tool or command, called by hand."""
