"""The distributions that another one needs, as far as they are installed here."""

from collections.abc import Iterable
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def required(declaring: Distribution, extras: Iterable[str] = ("",)) -> list[str]:
    """The names of what it declares to need with these extras; the empty one is what it always needs."""
    names: list[str] = []
    for text in declaring.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
            names.append(canonicalize_name(requirement.name))
    return names


def needed(declaring: Distribution, extras: Iterable[str] = ("",)) -> dict[str, Distribution]:
    """What it declares to need, and what that needs, by name; raises `PackageNotFoundError`."""
    found: dict[str, Distribution] = {}
    pending = required(declaring, extras)
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = distribution(name)
            pending.extend(required(found[name]))
    return dict(sorted(found.items()))


def extras_of(declaring: Distribution) -> list[str]:
    return declaring.metadata.get_all("Provides-Extra") or []
