"""Decides whether concurrent request handlers are serializable for any number of requests."""

from typing import TYPE_CHECKING

__all__ = ["__version__"]

__version__: str

if not TYPE_CHECKING:  # mypy would take the function for "every attribute exists and is a str"

    def __getattr__(name: str) -> str:
        """The version, read when it is asked for: its library takes as long to load as click.

        It is unknown to a package that runs from its sources and was never installed.
        """
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("seriatim")
        except PackageNotFoundError:
            return "unknown"
