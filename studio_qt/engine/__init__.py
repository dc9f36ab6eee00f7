"""The engine: plays a package. It knows nothing of Qt; windows, terminals and servers use it."""
