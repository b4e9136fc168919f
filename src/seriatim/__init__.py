"""Decides whether concurrent request handlers are serializable for any number of requests.

`check(program)` gives a verdict: `Serializable`, `NotSerializable` or `Unknown`, the first two with a
certificate that `verify(certificate, program)` re-checks. `check(program, property=…)` asks for another
property. docs/api.md has examples.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seriatim.api import *  # noqa: F403 - the names in its `__all__`

__all__ = [
    "BadInput",
    "Certificate",
    "ConflictSerializability",
    "Consistent",
    "DeadlockFreedom",
    "Drawing",
    "Fix",
    "GaveUp",
    "Holds",
    "Inconsistent",
    "Linearizability",
    "LogVerdict",
    "Method",
    "NotSerializable",
    "Property",
    "Report",
    "Safety",
    "Serializability",
    "Serializable",
    "Specification",
    "StaticLinearizability",
    "StrictSerializability",
    "Timeline",
    "Unknown",
    "Verdict",
    "Violated",
    "__version__",
    "certificate_from",
    "certificate_text",
    "check",
    "check_log",
    "draw",
    "fix",
    "specification",
    "verify",
    "verify_log",
]

__version__: str


def __dir__() -> list[str]:
    """Lists the names that `__getattr__` loads, too, so that notebooks and shells complete them."""
    return sorted({*__all__, *globals()})


if not TYPE_CHECKING:  # mypy would take the function for "every attribute exists"

    def __getattr__(name: str) -> object:
        """Loads a name when it is first used: the command line imports this package, too, and starts fast.

        A package that runs from its sources and was never installed does not know its version.
        """
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name != "__version__":
            from importlib import import_module

            return getattr(import_module("seriatim.api"), name)
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("seriatim")
        except PackageNotFoundError:
            return "unknown"
