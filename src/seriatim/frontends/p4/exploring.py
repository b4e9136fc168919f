"""Executes packets of all kinds, and finds all values that registers may have.

The values of the registers are the least sets that contain 0 and every value that some packet may write after
it has read such values: packets are executed until no value is new. A run of packets reads and writes no
other values, whatever its interleaving, since a packet depends only on its parameters and on the values that
it reads.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from seriatim.frontends.p4.code import Applied, Const, ReadCell, Register, WriteCell, reads, steps
from seriatim.frontends.p4.execution import Execution
from seriatim.frontends.p4.kinds import Bits
from seriatim.frontends.p4.models import Model
from seriatim.frontends.p4.packet_values import Seen
from seriatim.frontends.p4.parameters import Inventory, Need, Parameter, Parameters
from seriatim.frontends.p4.refusal import DEAD, UNBOUNDED, quote_name
from seriatim.frontends.p4.scopes import Scopes
from seriatim.frontends.p4.slicing import Slice
from seriatim.frontends.p4.switch import Switch
from seriatim.frontends.p4.terms import Operator
from seriatim.frontends.p4.traces import Look, Store, Trace, Tree, build_tree
from seriatim.source import Diagnostic, InputError, Span

MAX_KINDS = 4096
MAX_RUNS = 20_000
MAX_ROUNDS = 5
"""A register that gets new values in so many rounds is taken for a counter."""

SMALL_WIDTH = 6
"""All values of registers with at most so many bits are explored."""

MAX_CONTENTS = 64
"""The most values of one register."""


class TooMuch(InputError):
    """Raised when there are too many values or packets; has the registers that may be the cause."""

    def __init__(
        self, message: str, span: Span | None, hint: str | None, contents: Mapping[str, set[int]]
    ) -> None:
        super().__init__([Diagnostic(UNBOUNDED, message, span, hint)])
        self.contents = dict(contents)

    @property
    def is_growth(self) -> bool:
        """Whether it is about registers that grow, each on its own."""
        return self.diagnostics[0].hint is None


class Dead(InputError):
    """Raised for comparisons that have only one answer, with the scopes that may be the cause."""

    def __init__(self, wrong: Sequence[Diagnostic], names: Iterable[str]) -> None:
        super().__init__(wrong)
        self.names = frozenset(names)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of packets: all packets with the same values of their parameters."""

    parameters: tuple[tuple[Parameter, int], ...]

    def bound(self) -> dict[str, int]:
        return {parameter.name: value for parameter, value in self.parameters}


@dataclass(frozen=True, slots=True)
class Explored:
    """The possible executions of packets, as a tree for each kind."""

    trees: tuple[tuple[Kind, Tree], ...]
    contents: dict[str, tuple[int, ...]]
    inventory: Inventory
    has_threads: bool
    has_egress_steps: bool
    """Whether registers are used in egress."""
    dead: tuple[Diagnostic, ...] = ()
    """The comparisons that have only one answer in the scopes that were chosen."""


class Exploration:
    """Executes packets of all kinds."""

    def __init__(
        self, switch: Switch, part: Slice, scopes: Scopes, model: Model, allows_dead: bool = False
    ) -> None:
        """With `allows_dead`, a comparison with only one answer is noted and not refused."""
        self.allows_dead = allows_dead
        self.switch = switch
        self.part = part
        self.scopes = scopes
        self.model = model
        self.inventory = Inventory(scopes)
        self.contents: dict[str, set[int]] = {}
        self.kinds = [Kind(())]
        self.seen: Seen = {}
        self.has_threads = False
        self.has_egress_steps = False
        self.growing: dict[str, int] = {}
        """How many rounds in a row each register has got new values."""
        self.runs = 0
        self.registers: dict[str, Register] = {
            step.register.name: step.register
            for step in steps(switch.code)
            if isinstance(step, ReadCell | WriteCell)
        }

    def explore(self) -> Explored:
        """Explores all executions. Raises `InputError` with all missing scopes, or with the register whose
        values grow without a bound."""
        found: dict[Kind, list[Trace]] = {}
        is_new = True
        while is_new:
            found = self._round()
            sizes = {name: len(values) for name, values in self.contents.items()}
            is_new = self._add_values(found)
            self._look_for_growth(sizes)
        dead = self._refuse_dead()
        trees = tuple((kind, build_tree(traces)) for kind, traces in found.items())
        return Explored(
            trees, self._sorted_contents(), self.inventory, self.has_threads, self.has_egress_steps, dead
        )

    def _look_for_growth(self, before: dict[str, int]) -> None:
        """Raises `TooMuch` with the registers that have grown in each of many rounds, as counters do."""
        for name, values in self.contents.items():
            is_growing = len(values) > before.get(name, 1)
            self.growing[name] = self.growing.get(name, 0) + 1 if is_growing else 0
        found = {
            name: self.contents[name]
            for name, rounds in self.growing.items()
            if rounds >= MAX_ROUNDS and self._is_free(name)
        }
        if found:
            raise TooMuch("the values of a register grow", None, None, found)

    def _is_free(self, name: str) -> bool:
        """Whether a width may be chosen for a register before all of its values have been explored."""
        choices = self.scopes.choices
        is_known = name in choices.widths or name in choices.exact or is_bounded(self.scopes, name)
        return not is_known and self.registers[name].kind.width > SMALL_WIDTH

    def _sorted_contents(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(sorted(values | {0})) for name, values in self.contents.items()}

    def _round(self) -> dict[Kind, list[Trace]]:
        """Executes all kinds of packets with the values that are known so far."""
        found: dict[Kind, list[Trace]] = {}
        contents = self._sorted_contents()
        pending = list(reversed(self.kinds))
        while pending:
            kind = pending.pop()
            try:
                found[kind] = list(self._executions(kind, contents))
            except Need as need:
                asked = need.parameter
                pending += (Kind((*kind.parameters, (asked, value))) for value in reversed(asked.values))
            if len(found) + len(pending) > MAX_KINDS:
                self._refuse_kinds(kind)
        self.kinds = list(found)
        return found

    def _refuse_kinds(self, kind: Kind) -> None:
        sizes = sorted(((len(each.values), each.name) for each, _ in kind.parameters), reverse=True)
        largest = ", ".join(f"{name} ({count} values)" for count, name in sizes[:4])
        hint = f"make scopes smaller: {largest}"
        raise TooMuch(f"there are more than {MAX_KINDS:,} kinds of packets", None, hint, self.contents)

    def _executions(self, kind: Kind, contents: dict[str, tuple[int, ...]]) -> Iterator[Trace]:
        """Executes a packet once for each sequence of values that it may read; raises `Need`."""
        script: list[tuple[int, int]] = []
        while True:
            self.runs += 1
            if self.runs > MAX_RUNS:
                hint = "give registers fewer values, with `in` or `width`"
                raise TooMuch("packets read too many combinations of values", None, hint, self.contents)
            place = 0

            def pick(count: int) -> int:
                nonlocal place
                if place == len(script):
                    script.append((0, count))
                place += 1
                return script[place - 1][0]

            execution = Execution(
                self.switch,
                self.part,
                self.scopes,
                self.model,
                Parameters(self.inventory, kind.bound()),
                pick,
                contents,
                self.has_threads,
            )
            yield execution.run()
            for span, (part, values) in execution.seen.items():
                self.seen.setdefault(span, (part, set()))[1].update(values)
            self.has_egress_steps = self.has_egress_steps or execution.egress_steps > 0
            if execution.egress_steps > 1 and self.model is Model.BMV2 and not self.has_threads:
                self.has_threads = True
                self.is_restarted = True
            while script and script[-1][0] + 1 == script[-1][1]:
                script.pop()
            if not script:
                return
            script[-1] = script[-1][0] + 1, script[-1][1]

    is_restarted = False
    """Whether the last round has found that the threads of egress matter."""

    def _add_values(self, found: dict[Kind, list[Trace]]) -> bool:
        """Adds the values of all executions; returns whether another round is needed."""
        is_new, self.is_restarted = self.is_restarted, False
        for traces in found.values():
            for trace in traces:
                for event in trace.events:
                    if isinstance(event, Store | Look):
                        values = self.contents.setdefault(event.register, {0})
                        is_new = is_new or event.value not in values
                        values.add(event.value)
        for name, values in self.contents.items():
            if len(values) > MAX_CONTENTS:
                short = name.rpartition(".")[2]
                hint = f"write // ser: {short} width 2 to count modulo 4, or // ser: {short} in 0..3"
                message = f"the values of register {quote_name(short)} grow without a bound"
                raise TooMuch(message, self.registers[name].span, hint, {name: values})
        return is_new

    def _refuse_dead(self) -> tuple[Diagnostic, ...]:
        """Refuses comparisons that have only one answer because of the scopes, unless they are allowed.

        `gap > 50000` with gap in 0..1 would make a branch vanish. An equation that always holds is allowed:
        the constant is then the only value of the scope, which is surely intended.
        """
        wrong: list[Diagnostic] = []
        names: set[str] = set()
        for span, (part, values) in sorted(self.seen.items(), key=lambda item: item[0]):
            if len(values) != 1 or _is_trivial(part):
                continue
            truth = next(iter(values))
            has_constant = isinstance(part.left, Const) or isinstance(part.right, Const)
            is_equation = part.operator in (Operator.EQUAL, Operator.UNEQUAL)
            if has_constant and is_equation and truth == (part.operator is Operator.EQUAL):
                continue
            narrow = self._narrow_scopes(part)
            if narrow:
                names.update(narrow)
                shown = " and ".join(quote_name(each) for each in narrow)
                message = f"this comparison is always {'true' if truth else 'false'} in the scope of {shown}"
                hint = "widen the scope to values on both sides, such as `in {0, 60000}`"
                if all(each in self.registers for each in narrow):
                    hint = "a smaller constant, with which the comparison has both answers, is decided"
                wrong.append(Diagnostic(DEAD, message, span, hint))
        if wrong and not self.allows_dead:
            raise Dead(wrong, names)
        return tuple(wrong)

    def _narrow_scopes(self, part: Applied) -> list[str]:
        """The scopes that a comparison depends on and that leave values out."""
        direct = reads(part)
        sources = direct.union(*(self.part.depends.get(path, frozenset()) for path in direct))
        return sorted(name for name in sources if self.scopes.is_narrow(name))


def _is_trivial(part: Applied) -> bool:
    """Whether the type alone decides a comparison with a constant."""
    for one, other, operator in (
        (part.left, part.right, part.operator),
        (part.right, part.left, _MIRRORED.get(part.operator, part.operator)),
    ):
        if isinstance(other, Const) and isinstance(one.kind, Bits):
            low, high = one.kind.low, one.kind.high
            if (other.value, operator) in (
                (low, Operator.GREATER_EQUAL),
                (low, Operator.LESS),
                (high, Operator.LESS_EQUAL),
                (high, Operator.GREATER),
            ):
                return True
    return isinstance(part.left, Const) and isinstance(part.right, Const)


_MIRRORED = {
    Operator.LESS: Operator.GREATER,
    Operator.GREATER: Operator.LESS,
    Operator.LESS_EQUAL: Operator.GREATER_EQUAL,
    Operator.GREATER_EQUAL: Operator.LESS_EQUAL,
}


def explore(switch: Switch, part: Slice, scopes: Scopes, model: Model) -> Explored:
    """Explores with the scopes that are written, and chooses the others.

    Registers get fewer bits while there is too much to explore; other scopes become wider while a comparison
    has only one answer. If that does not help, a comparison that depends on chosen scopes alone is noted:
    a proof then says nothing. Raises `InputError`.
    """
    choices, allows_dead = scopes.choices, False
    while True:
        try:
            return Exploration(switch, part, scopes, model, allows_dead).explore()
        except TooMuch as wrong:
            sizes = {each: len(values) for each, values in wrong.contents.items()}
            free = [each for each in sizes if not is_bounded(scopes, each)]
            largest = max((sizes[each] for each in free), default=0)
            causes = [each for each in free if sizes[each] == largest or wrong.is_growth]
            if not choices.narrow(causes):
                raise
        except Dead as wrong:
            if choices.widen(wrong.names) or choices.explore_exactly(wrong.names):
                continue
            chosen = {*choices.values, *choices.widths}
            if wrong.names.isdisjoint(chosen):
                raise
            allows_dead = True


def is_bounded(scopes: Scopes, register: str) -> bool:
    """Whether the user has said which values a register has."""
    written = scopes.registers.get(register)
    return written is not None and (written.width is not None or written.values is not None)
