"""Executes one packet at full widths, with what it reads from registers given.

What a packet comes with, such as header fields, has no value until something depends on it: a condition, an
index, a value that is stored. Then it is a *parameter*, and the execution starts again for each of its values
(`Need`). What is only passed on stays an expression. So packets that differ in nothing that matters are one.
"""

from collections.abc import Callable, Mapping

from seriatim.frontends.p4.arithmetic import (
    simplified,
)
from seriatim.frontends.p4.code import (
    Applied,
    Apply,
    Branch,
    Choice,
    Code,
    Const,
    Converted,
    Forget,
    Frame,
    Get,
    Hash,
    Leave,
    Put,
    Random,
    ReadCell,
    Register,
    Step,
    Unit,
    Value,
    WriteCell,
    steps,
    written,
)
from seriatim.frontends.p4.kinds import DROP_PORT, Bits, Bool, Simple, valid
from seriatim.frontends.p4.models import EGRESS_THREADS, Model
from seriatim.frontends.p4.packet_values import UNSEEN, PacketValues
from seriatim.frontends.p4.parameters import Parameter, Parameters
from seriatim.frontends.p4.refusal import ESCAPE, UNSUPPORTED, named, refuse
from seriatim.frontends.p4.scopes import Scopes
from seriatim.frontends.p4.slicing import PORT, SPEC, Slice
from seriatim.frontends.p4.switch import Switch
from seriatim.frontends.p4.terms import Operator
from seriatim.frontends.p4.traces import (
    Answer,
    Enter,
    Event,
    Look,
    Outside,
    Pause,
    Pick,
    Quit,
    Store,
    Trace,
)
from seriatim.source import Span

MAX_RANDOM = 16


class Left(Exception):
    """`return`, or `exit` if it leaves everything."""

    def __init__(self, everything: bool) -> None:
        super().__init__()
        self.everything = everything


class Escaped(Exception):
    """A value has left its scope: the execution ends."""


class Execution(PacketValues):
    """One packet, alone: what it reads from registers comes from outside."""

    def __init__(
        self,
        switch: Switch,
        part: Slice,
        scopes: Scopes,
        model: Model,
        parameters: Parameters,
        pick: Callable[[int], int],
        contents: Mapping[str, tuple[int, ...]],
        has_threads: bool,
    ) -> None:
        super().__init__(switch, scopes, parameters)
        self.part = part
        self.model = model
        self.pick = pick
        """Chooses one of several continuations."""
        self.contents = contents
        """The values that cells of registers may have."""
        self.has_threads = has_threads
        self.local: dict[str, int] = {}
        """What this packet has found in cells, or written, in the step that it is in."""
        self.events: list[Event] = []
        self.is_dirty = False
        """Whether others may have run since the packet last looked at a register."""
        self.units = 0
        """How many frames are open that are one step."""
        self.is_first = False
        """Whether the step that is open has not touched a register yet."""
        self.in_egress = False
        self.egress_steps = 0

    def run(self) -> Trace:
        try:
            if not self.part.is_idle(self.switch.ingress.body):
                self._control(self.switch.ingress)
            spec = self.state.get(SPEC, Const(0, self.switch.kinds[SPEC])) if self._follows_port() else None
            if not self._is_dropped(spec):
                self._egress(spec)
            return Trace(tuple(self.events), self._answer())
        except Escaped:
            return Trace(tuple(self.events), None)

    # --- ingress and egress -------------------------------------------------------------------------------

    def _follows_port(self) -> bool:
        return SPEC in self.part.needed

    def _is_dropped(self, spec: Value | None) -> bool:
        """A port that is not known, such as one that a table has given, is a port."""
        if spec is None or not (isinstance(spec, Const) or self.is_settled(spec)):
            return False
        return self.settled(spec) == DROP_PORT

    def _control(self, frame: Frame) -> None:
        is_unit = self.model is Model.BMV2 and not self.in_egress
        try:
            self._inside(frame.body, is_unit)
        except Left:
            return

    def _egress(self, spec: Value | None) -> None:
        if spec is not None:
            self.state[PORT] = spec
        if self.part.is_idle(self.switch.egress.body):
            return
        self.in_egress = True
        thread = None
        if self.model is Model.BMV2 and self.has_threads:
            thread = self._thread(spec)
            if self.is_dirty:
                self.events.append(Pause(self.switch.egress.span))
            self.events.append(Enter(thread, self.switch.egress.span))
            self.is_dirty = False
        self._control(self.switch.egress)
        if thread is not None:
            self.events.append(Quit(thread, self.switch.egress.span))

    def _thread(self, spec: Value | None) -> int:
        if isinstance(spec, Const):
            return spec.value % EGRESS_THREADS
        if spec is not None and self.is_settled(spec):
            return self.settled(spec) % EGRESS_THREADS
        threads = tuple(range(EGRESS_THREADS))
        return self.parameters.value(Parameter("egress port modulo 4", threads))

    def _answer(self) -> Answer:
        spec = self.state.get(SPEC, Const(0, self.switch.kinds[SPEC])) if self._follows_port() else None
        if self._is_dropped(spec):
            return Answer(((SPEC, None),))
        found: list[tuple[str, Value | None]] = []
        for path in self.part.answers:
            if path == SPEC:
                found.append((SPEC, self.state.get(PORT, spec)))
                continue
            header = valid(path.rpartition(".")[0])
            if path != header and not self.settled(self.get(Get(header, Bool()))):
                continue
            found.append((path, self.get(Get(path, self.switch.kinds[path]))))
        return Answer(tuple(found))

    # --- steps --------------------------------------------------------------------------------------------

    def _inside(self, code: Code, is_unit: bool) -> None:
        """Code that is one step, if it is a unit and no larger one is open."""
        if is_unit and not self.units:
            self.is_first = True
        self.units += is_unit
        try:
            for step in code:
                self._step(step)
        finally:
            self.units -= is_unit

    def _step(self, step: Step) -> None:  # noqa: C901 - an arm a case
        if not self.part.matters(step):
            self._skip(step)
            return
        match step:
            case Put(path=path, kind=kind, value=value, high=high, low=low):
                self.state[path] = self._part(path, kind, self.evaluated(value, step.span), high, low)
            case Forget(path=path):
                self.state.pop(path, None)
            case ReadCell():
                self._read(step)
            case WriteCell():
                self._write(step)
            case Hash():
                self._hash(step)
            case Random():
                self._random(step)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                is_true = self.settled(self.evaluated(condition, step.span))
                for inner in then if is_true else otherwise:
                    self._step(inner)
            case Frame():
                self._frame(step)
            case Apply():
                self._apply(step)
            case Leave(everything=everything):
                raise Left(everything)

    def _skip(self, step: Step) -> None:
        """Skips a step whose result is not needed, and marks what it writes as unseen."""
        for each in steps((step,)):
            for path in written(each):
                self.state[path] = UNSEEN

    def _part(self, path: str, kind: Simple, value: Value, high: int | None, low: int | None) -> Value:
        """The new value of a path of which some bits, or all, are assigned."""
        if high is None or low is None:
            return value
        assert isinstance(kind, Bits)
        before = self.get(Get(path, kind))
        mask = Const(((1 << (high - low + 1)) - 1) << low, kind)
        kept = Applied(Operator.BIT_AND, before, Const(kind.fit(~mask.value), kind), kind)
        moved = Applied(Operator.SHIFT_LEFT, Converted(value, kind), Const(low, kind), kind)
        return simplified(Applied(Operator.BIT_OR, kept, moved, kind), lambda get: get)

    def _frame(self, frame: Frame) -> None:
        match frame.unit:
            case Unit.ATOMIC:
                is_unit = self.model is not Model.BMV2
            case Unit.ACTION:
                is_unit = self.model is not Model.SPEC
            case _:
                is_unit = False
        try:
            self._inside(frame.body, is_unit)
        except Left as left:
            if left.everything or frame.unit is Unit.ATOMIC:
                raise

    # --- registers ----------------------------------------------------------------------------------------

    def _touch(self, span: Span) -> None:
        """Others may run before this operation, unless it belongs to the same step as the one before."""
        if not self.units or self.is_first:
            if self.is_dirty:
                self.events.append(Pause(span))
            self.local.clear()
            self.egress_steps += self.in_egress
        self.is_first = False
        self.is_dirty = True

    def _cell(self, register: Register, index: Value, span: Span) -> str:
        scope = self.scopes.register(register)
        cells = scope.cells or register.size
        number = self.settled(self.evaluated(index, span), limit=cells if scope.cells or cells <= 8 else None)
        if not 0 <= number < cells:
            what = (
                f"scope of {named(register.name)} has {cells} cells"
                if scope.cells
                else "register has no such cell"
            )
            hint = "narrow the index, or write more `cells`"
            raise refuse(ESCAPE, f"cell {number} is read or written, but the {what}", span, hint)
        return f"{register.name}[{number}]"

    def _read(self, step: ReadCell) -> None:
        cell = self._cell(step.register, step.index, step.span)
        self._touch(step.span)
        if cell not in self.local:
            values = self.contents.get(step.register.name, (0,))
            value = values[self.pick(len(values))]
            self.local[cell] = value
            variable = step.path.partition("~")[0].rpartition(".")[2]
            self.events.append(Look(cell, step.register.name, value, variable, step.span))
        self.state[step.path] = Const(self.local[cell], step.kind)

    def _write(self, step: WriteCell) -> None:
        cell = self._cell(step.register, step.index, step.span)
        value = self.settled(self.evaluated(step.value, step.span))
        scope = self.scopes.register(step.register)
        if scope.width is not None:
            value &= (1 << scope.width) - 1
        self._touch(step.span)
        if scope.values is not None and value not in scope.values:
            self.events.append(Outside(step.register.name, value, step.span))
            raise Escaped
        self.local[cell] = value
        self.events.append(Store(cell, step.register.name, value, step.span))

    # --- hashes and random numbers ------------------------------------------------------------------------

    def _hash(self, step: Hash) -> None:
        inputs = tuple(self.evaluated(each, step.span) for each in step.inputs)
        base, size = (self.settled(self.evaluated(each, step.span)) for each in (step.base, step.size))
        name = self.parameters.hash_named(step, base, size, inputs)
        self.state[step.path] = self.parameters.known(Get(name, step.kind, step.span))

    def _random(self, step: Random) -> None:
        low, high = (self.settled(self.evaluated(each, step.span)) for each in (step.low, step.high))
        if not 0 <= high - low < MAX_RANDOM:
            hint = (
                f"at most {MAX_RANDOM} values are explored: make the interval smaller, or the number a field"
            )
            raise refuse(UNSUPPORTED, f"a random number in {low}..{high}", step.span, hint)
        number = self.pick(high - low + 1)
        self.events.append(Pick(high - low + 1, number, step.span))
        self.state[step.path] = Const(low + number, step.kind)

    # --- tables -------------------------------------------------------------------------------------------

    def _apply(self, step: Apply) -> None:
        table = step.table
        keys = [self.evaluated(key, step.span) for key in table.keys]
        is_hit, action, data = self.parameters.chosen(
            table,
            step.label,
            keys,
            step.label in self.part.dependent,
            step.hit in self.part.needed,
            self.settled,
            self.is_settled,
        )
        self.state[step.hit] = Const(int(is_hit), Bool())
        choice = table.choice(action)
        self.state[step.ran] = Const(choice.number, Bits(32))
        if data is not None:
            for (path, kind), value in zip(choice.data, data, strict=True):
                self.state[path] = Const(value, kind)
        self._choice(choice)

    def _choice(self, choice: Choice) -> None:
        if self.part.matters(choice.body):
            self._frame(choice.body)
        else:
            self._skip(choice.body)
