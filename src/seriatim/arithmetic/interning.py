"""Values of which equal ones are one object: comparing and hashing them takes no time."""

from typing import Any, TypeVar
from weakref import WeakValueDictionary


class Interned:
    """A value with fixed fields, named by `__match_args__`; `intern` makes it."""

    __slots__ = ("__weakref__",)
    __match_args__: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __repr__(self) -> str:
        fields = ", ".join(repr(getattr(self, name)) for name in self.__match_args__)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[type["Interned"], tuple[object, ...]]:
        """Values go from process to process: they are rebuilt there, equal ones as one."""
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


_KNOWN: WeakValueDictionary[tuple[object, ...], Any] = WeakValueDictionary()
"""All that are in use, by their class and fields."""

Made = TypeVar("Made", bound=Interned)


def intern(cls: type[Made], *values: object) -> Made:
    """The one value of a class with these fields."""
    key = (cls, *((type(each), each) if isinstance(each, int) else each for each in values))
    found = _KNOWN.get(key)
    if found is None:
        found = object.__new__(cls)
        for name, value in zip(cls.__match_args__, values, strict=True):
            object.__setattr__(found, name, value)
        _KNOWN[key] = found
    assert isinstance(found, cls)
    return found
