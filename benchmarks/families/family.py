"""A family: one program for each parameter, all with the same verdict for the same reason."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """Programs that differ in a number only."""

    text: Callable[[int], str]
    is_serializable: bool
    sizes: tuple[int, ...]
    """Parameters for a quick look; the first is the smallest for which the verdict holds."""

    @property
    def name(self) -> str:
        return self.text.__name__

    @property
    def summary(self) -> str:
        """What the programs do, on one line."""
        assert self.text.__doc__ is not None
        return " ".join(self.text.__doc__.split())

    def file_name(self, size: int) -> str:
        return f"{self.name}_{size}.ser"
