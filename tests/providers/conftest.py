from tests.support.fixtures import model

__all__ = ["model"]
