"""The form for config.json: agents in their order, instances with their data, where texts lie."""
