"""What expressions of a service stand for while it is translated."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from seriatim.frontends.python.domains import Domain
from seriatim.frontends.python.module import Function
from seriatim.frontends.python.state import External, Instance, Item
from seriatim.program.syntax import Expression, Number


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of the model: an expression without effects, and the values that it can have."""

    code: Expression
    domain: Domain

    @property
    def known(self) -> int | None:
        """Its number, if that is known."""
        return self.code.value if isinstance(self.code, Number) else None


@dataclass(frozen=True, slots=True)
class Composite:
    """A value that is put together: a tuple, a dictionary, a formatted text, an object as an answer."""

    pieces: tuple[str, ...]
    """What stands before, between and after the parts."""
    parts: tuple["Scalar | Composite", ...]
    is_sequence: bool = False
    """Whether it can be unpacked."""
    is_text: bool = False
    """Whether its parts are put into a text."""
    is_record: bool = False
    """Whether it is an object that is told by the arguments it was made of."""

    @property
    def shape(self) -> str:
        """The same for values that differ in their parts alone."""
        inner = (part.shape if isinstance(part, Composite) else "□" for part in self.parts)
        return self.pieces[0] + "".join(
            f"{part}{piece}" for part, piece in zip(inner, self.pieces[1:], strict=True)
        )

    def leaves(self) -> Iterator[Scalar]:
        for part in self.parts:
            if isinstance(part, Composite):
                yield from part.leaves()
            else:
                yield part

    def with_leaves(self, leaves: Iterator[Scalar]) -> "Composite":
        """The same shape with other parts, taken one by one."""
        parts = tuple(
            part.with_leaves(leaves) if isinstance(part, Composite) else next(leaves) for part in self.parts
        )
        return Composite(self.pieces, parts, self.is_sequence, self.is_text, self.is_record)

    def canonical(self, names: Iterator[str]) -> str:
        """The same for values that a service cannot tell apart; `stage.describe` says so of real ones."""
        shown = [part.canonical(names) if isinstance(part, Composite) else next(names) for part in self.parts]
        if self.is_text:
            plain = [_bare(part) for part in shown]
            pieces = (piece.removeprefix("f'").strip("{}'") for piece in self.pieces)
            return repr("".join(f"{piece}{part}" for piece, part in zip_longest(pieces, plain, fillvalue="")))
        if self.pieces[0][:1] not in "([{" and not self.is_record:
            return f"<{self.pieces[0].partition('(')[0]}>"
        plain = [{"True": "1", "False": "0"}.get(part, part) for part in shown]
        return self.pieces[0] + "".join(
            f"{part}{piece}" for part, piece in zip(plain, self.pieces[1:], strict=True)
        )

    def text(self, names: Iterator[str]) -> str:
        """As Python would write it, with names for its leaves."""
        shown = (part.text(names) if isinstance(part, Composite) else next(names) for part in self.parts)
        return self.pieces[0] + "".join(
            f"{part}{piece}" for part, piece in zip(shown, self.pieces[1:], strict=True)
        )


def _bare(text: str) -> str:
    """A value as it stands in a formatted text."""
    return str(ast.literal_eval(text)) if text[:1] in "'\"" else text


@dataclass(frozen=True, slots=True)
class Reference:
    """A part of the state that is no single value, or an object that is not known."""

    item: Item


@dataclass(frozen=True, slots=True)
class Callee:
    """A function of the file, or a method of an object of one of its classes."""

    function: Function
    owner: Instance | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call whose arguments are evaluated; None instead of a function of the file if it is another one."""

    callee: Callee | None
    arguments: dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class Named:
    """Something that is known by its name alone: a module, a class, a function from elsewhere."""

    name: str


@dataclass(frozen=True, slots=True)
class Started:
    """Tasks of the request, by their numbers."""

    tasks: tuple[int, ...]
    is_list: bool = False
    """Whether it is a list of them."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """A group of tasks: `asyncio.TaskGroup()`."""

    number: int


@dataclass(frozen=True, slots=True)
class Quoted:
    """A lambda, which is translated where it is called."""

    evaluate: Callable[[], "Value"]


Value = Scalar | Composite | Reference | Callee | Named | Quoted | Started | Grouping


def is_refused(value: Value) -> bool:
    """Whether it is not known because of something that was refused."""
    return isinstance(value, Reference) and isinstance(value.item, External) and value.item.is_refused


@dataclass(frozen=True, slots=True)
class Answers:
    """What a handler can answer: single values, and shapes with the values of their leaves."""

    values: Domain
    shapes: dict[str, tuple[Composite, tuple[Domain, ...]]] = field(default_factory=dict)
