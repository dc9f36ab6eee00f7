"""The sandbox: agent code in killable worker processes, reached by messages alone."""
