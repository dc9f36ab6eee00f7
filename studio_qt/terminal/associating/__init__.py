"""How the systems learn which files the Studio opens; each system in a module of its own."""
