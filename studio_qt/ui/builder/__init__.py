"""The Sub-Agent Builder: a sub-agent as a form, for writers who never want to see YAML (STU-06)."""

__all__: list[str] = []
