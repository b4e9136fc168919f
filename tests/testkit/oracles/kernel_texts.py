"""Configurations as the kernel writes them, to compare its atomic steps with the reference interpreter's."""

from seriatim.export.kernel.lockstep import Running
from seriatim.export.kernel.names import Expressions
from seriatim.export.kernel.text import Text, integers
from seriatim.export.kernel.written import Written
from seriatim.program.semantics import Configuration, Store, lookup

FUEL = 20_000


class Configurations:
    """Questions to `ser-kernel steps`, and the answers that the reference interpreter gives."""

    def __init__(self, globals_: tuple[str, ...], locals_: tuple[str, ...]) -> None:
        self.globals = globals_
        self.locals = locals_

    def question(self, configuration: Configuration | Running) -> str:
        expressions = Expressions(self.globals, self.locals)
        number = expressions.number(left_to_do(configuration))
        text = (FUEL, expressions.table, number, *self._stores(configuration))
        return " ".join(map(str, integers(text)))

    def _stores(self, configuration: Configuration | Running) -> tuple[list[Text], list[Text]]:
        return stored(configuration.locals, self.locals), stored(configuration.globals, self.globals)

    def answer(self, configuration: Configuration | Running) -> str:
        """The expression with its parts written out, then the values of locals and of globals."""
        expressions = Expressions(self.globals, self.locals)
        number = expressions.number(left_to_do(configuration))
        written = spelt(expressions.table, number)
        locals_, globals_ = self._stores(configuration)
        return " ".join(map(str, (*written, *integers((tuple(locals_), tuple(globals_))))))


def left_to_do(configuration: Configuration | Running) -> Written:
    return configuration.code if isinstance(configuration, Running) else configuration.expression


def stored(store: Store, names: tuple[str, ...]) -> list[Text]:
    return [lookup(store, name) for name in names]


PARTS = {
    4: 1,
    5: 1,
    6: 1,
    7: 1,
    8: 2,
    9: 2,
    10: 2,
    11: 3,
    12: 2,
    14: 1,
    15: 2,
    17: 1,
    18: 2,
    19: 1,
    21: 1,
    22: 1,
    23: 1,
}
"""How many parts an expression has, by its number; the others have none."""


def spelt(table: list[Text], number: int) -> list[int]:
    entry = table[number]
    assert isinstance(entry, tuple)
    numbers = list(integers(entry))
    parts = PARTS.get(numbers[0], 0)
    own = numbers[: len(numbers) - parts]
    return own + [n for part in numbers[len(numbers) - parts :] for n in spelt(table, part)]
