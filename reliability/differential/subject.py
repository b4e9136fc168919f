"""What is examined: the text of a program or of a network system, drawn by number."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random

from seriatim.frontends.all import read_input
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse_surface
from seriatim.frontends.ser.surface import Declaration, Request, Sugar, Variable, walk
from seriatim.program.expression_printer import Style
from seriatim.program.inputs import Input
from seriatim.program.printer import print_program
from seriatim.program.system_printer import write_system
from seriatim.source import InputError, SourceText
from testkit.generators.counters import CounterMaker
from testkit.generators.locked_steps import observed_steps
from testkit.generators.nested import NestedMaker
from testkit.generators.programs import ProgramMaker
from testkit.generators.surface import SurfaceMaker
from testkit.generators.systems import Setting, random_system
from testkit.generators.transactions import TransactionMaker

SIZES = 5


@dataclass(frozen=True)
class Subject:
    """A text, and whether it is that of a network system."""

    text: str
    is_system: bool
    number: int = 0
    """Draws what is asked about it."""

    @property
    def suffix(self) -> str:
        return ".json" if self.is_system else ".ser"

    @property
    def source(self) -> SourceText:
        return SourceText(f"case{self.suffix}", self.text)

    @cached_property
    def is_core(self) -> bool:
        """Whether it is a program without anything that has to be translated."""
        if self.is_system:
            return False
        program = parse_surface(self.text)
        return all(is_core_declaration(each) for each in program.declarations) and all(
            isinstance(each, Request)
            and not (each.parameters or each.locals)
            and not any(isinstance(part, Sugar) for part in walk(each.body))
            for each in program.definitions
        )

    @cached_property
    def content(self) -> Input:
        """Raises `InputError` if the text is not an input."""
        return read_input(self.source)


def is_core_declaration(declaration: Declaration) -> bool:
    return isinstance(declaration, Variable) and declaration.size is None and declaration.values is None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A subject of a kind, always the same one for the same number."""

    kind: str
    subject: Subject


def drawn(number: int) -> Drawn:
    """Kinds take turns, and so do sizes, the small ones first."""
    kinds = list(KINDS)
    turn, index = divmod(number, len(kinds))
    text = KINDS[kinds[index]](Random(number), 1 + turn % SIZES)
    return Drawn(kinds[index], Subject(text, kinds[index] == "system", number))


def a_program(random: Random, size: int) -> str:
    maker = ProgramMaker(random, modulus=random.choice([2, 3]), odd=random.choice([0.0, 0.2, 0.5]))
    return print_program(maker.program(random.randint(1, 1 + size // 2), 1 + size), random.choice([*Style]))


def a_nested_program(random: Random, size: int) -> str:
    """From few deep handlers to many shallow ones."""
    depth = random.randint(1, 1 + size)
    handlers = random.randint(1, max(1, 3 + size - depth))
    maker = NestedMaker(random, 2, random.choice([0.0, 0.2]), depth, random.choice([0.0, 0.1, 0.3]))
    return print_program(maker.program(handlers, 1 + size // 2), random.choice([*Style]))


def a_counter(random: Random, size: int) -> str:
    maker = CounterMaker(random, faulty=random.choice([0.0, 0.1, 0.3, 0.6]))
    return print_program(maker.program(random.randint(1, min(3, size)), size), random.choice([*Style]))


def a_surface_program(random: Random, _size: int) -> str:
    return SurfaceMaker(random.randrange(2**32)).program()


def transactions(random: Random, size: int) -> str:
    maker = TransactionMaker(random, faulty=random.choice([0.0, 0.1, 0.3]))
    return maker.program(random.randint(1, 1 + size // 2), size)


def locked_steps(random: Random, _size: int) -> str:
    return observed_steps(random)


def a_system(random: Random, size: int) -> str:
    locals_ = random.randint(2, 1 + size)
    setting = Setting(
        globals=random.randint(1, 1 + size),
        requests=random.randint(1, 1 + size // 2),
        locals=locals_,
        transitions=random.randint(locals_, 2 * locals_ + size),
        responses=random.randint(1, 3),
    )
    while True:
        text = write_system(random_system(random, setting, mixed=random.choice([0.0, 0.2, 0.5])))
        try:
            read_system(text)
        except InputError:  # The format refuses steps and responses of local states where nobody ever is.
            continue
        return text


KINDS: dict[str, Callable[[Random, int], str]] = {
    "program": a_program,
    "nested": a_nested_program,
    "counter": a_counter,
    "surface": a_surface_program,
    "transactions": transactions,
    "locked": locked_steps,
    "system": a_system,
}
