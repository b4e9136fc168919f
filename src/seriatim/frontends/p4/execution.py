"""Executes one packet at full widths; the values that it reads from registers are given.

What a packet brings along, such as header fields, has no value until something depends on it: a condition, an
index, a value that is stored. Then it is a *parameter*, and the execution starts again for each of its values
(`Need`). A value that is only passed on stays an expression. So packets that differ in nothing that matters
are executed as one.
"""

from collections.abc import Callable, Mapping

from seriatim.frontends.p4.arithmetic import (
    simplify,
)
from seriatim.frontends.p4.code import (
    KEYED,
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
    keyed,
    steps,
    writes,
)
from seriatim.frontends.p4.kinds import DROP_PORT, Bits, Bool, Simple, valid
from seriatim.frontends.p4.models import EGRESS_THREADS, Model
from seriatim.frontends.p4.packet_values import UNSEEN, PacketValues, gets
from seriatim.frontends.p4.parameters import Parameter, Parameters
from seriatim.frontends.p4.passes import IN_EGRESS, INSTANCE
from seriatim.frontends.p4.refusal import ESCAPE, UNSUPPORTED, quote_name, refuse
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

THREAD = "egress port modulo 4"
"""The parameter that says which thread takes a packet whose port is not known."""


class Left(Exception):
    """Raised by `return`, and by `exit`, which leaves everything."""

    def __init__(self, everything: bool) -> None:
        super().__init__()
        self.everything = everything


class Escaped(Exception):
    """Raised when a value leaves its scope; ends the execution."""


class Execution(PacketValues):
    """Executes one packet; the values that it reads from registers come from outside."""

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
        """The values that this packet has read or written in its current step, by cell."""
        self.events: list[Event] = []
        self.is_dirty = False
        """Whether the packet has touched a register, so that it may have to pause before the next one."""
        self.units = 0
        """The number of open frames that are one step each."""
        self.is_first = False
        """Whether the open step has not touched a register yet."""
        self.in_egress = False
        self.egress_steps = 0

    def run(self) -> Trace:
        try:
            if self._is_copy():
                self._egress(Get(PORT, self.switch.kinds[PORT], self.switch.egress.span))
                return Trace(tuple(self.events), self._answer())
            if not self.part.is_idle(self.switch.ingress.body):
                self._control(self.switch.ingress)
            for step in self.switch.passes.after_ingress:
                self._step(step)
            spec = self.state.get(SPEC, Const(0, self.switch.kinds[SPEC])) if self._follows_port() else None
            if not self._is_dropped(spec):
                self._egress(spec)
            return Trace(tuple(self.events), self._answer())
        except Escaped:
            return Trace(tuple(self.events), None)

    # --- ingress and egress -------------------------------------------------------------------------------

    def _is_copy(self) -> bool:
        """Whether this is a copy of a packet, which begins in egress."""
        if not self.switch.passes.has_copies:
            return False
        kind = self.switch.kinds[INSTANCE]
        return self.settle(self.get(Get(INSTANCE, kind, self.switch.egress.span))) in IN_EGRESS

    def _follows_port(self) -> bool:
        return SPEC in self.part.needed

    def _is_dropped(self, spec: Value | None) -> bool:
        """Whether a packet is dropped; not if its port is unknown, such as one that a table has given."""
        if spec is None or not (isinstance(spec, Const) or self.is_settled(spec)):
            return False
        return self.settle(spec) == DROP_PORT

    def _control(self, frame: Frame) -> None:
        is_unit = self.model is Model.BMV2 and not self.in_egress
        try:
            self._execute(frame.body, is_unit)
        except Left:
            return

    def _egress(self, spec: Value | None) -> None:
        if spec is not None:
            self.state[PORT] = spec
        if not self.part.is_idle(self.switch.egress.body):
            self._execute_egress(spec)
        for step in self.switch.passes.after_egress:
            self._step(step)

    def _execute_egress(self, spec: Value | None) -> None:
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
            return self.settle(spec) % EGRESS_THREADS
        threads = tuple(range(EGRESS_THREADS))
        keys = sorted({part.path.partition(KEYED)[2] for part in gets(spec or Const(0, Bool()))})
        return self.parameters.value(Parameter(keyed(THREAD, keys) if any(keys) else THREAD, threads))

    def _answer(self) -> Answer:
        spec = self.state.get(SPEC, Const(0, self.switch.kinds[SPEC])) if self._follows_port() else None
        if self._is_dropped(spec):
            told = self.switch.passes.revealed
            caused = [path for path in self.part.answers if path in told]
            return Answer(((SPEC, None), *((path, self.get(Get(path, told[path]))) for path in caused)))
        found: list[tuple[str, Value | None]] = []
        for path in self.part.answers:
            if path == SPEC:
                found.append((SPEC, self.state.get(PORT, spec)))
                continue
            header = valid(path.rpartition(".")[0])
            if (
                path != header
                and header in self.switch.kinds
                and not self.settle(self.get(Get(header, Bool())))
            ):
                continue
            found.append((path, self.get(Get(path, self.switch.kinds[path]))))
        return Answer(tuple(found))

    # --- steps --------------------------------------------------------------------------------------------

    def _execute(self, code: Code, is_unit: bool) -> None:
        """Executes code: as one step, if it is a unit and no larger unit is open."""
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
                self.state[path] = self._assign_bits(path, kind, self.evaluate(value, step.span), high, low)
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
                is_true = self.settle(self.evaluate(condition, step.span))
                for inner in then if is_true else otherwise:
                    self._step(inner)
            case Frame():
                self._frame(step)
            case Apply():
                self._apply(step)
            case Leave(everything=everything):
                raise Left(everything)

    def _skip(self, step: Step) -> None:
        """Skips a step whose result is not needed, and marks the paths that it writes as unseen."""
        for each in steps((step,)):
            for path in writes(each):
                self.state[path] = UNSEEN

    def _assign_bits(self, path: str, kind: Simple, value: Value, high: int | None, low: int | None) -> Value:
        """Assigns a value to a path, or to some of its bits, and returns the new value."""
        if high is None or low is None:
            return value
        assert isinstance(kind, Bits)
        before = self.get(Get(path, kind))
        mask = Const(((1 << (high - low + 1)) - 1) << low, kind)
        kept = Applied(Operator.BIT_AND, before, Const(kind.fit(~mask.value), kind), kind)
        moved = Applied(Operator.SHIFT_LEFT, Converted(value, kind), Const(low, kind), kind)
        return simplify(Applied(Operator.BIT_OR, kept, moved, kind), lambda get: get)

    def _frame(self, frame: Frame) -> None:
        match frame.unit:
            case Unit.ATOMIC:
                is_unit = self.model is not Model.BMV2
            case Unit.ACTION:
                is_unit = self.model is not Model.SPEC
            case _:
                is_unit = False
        try:
            self._execute(frame.body, is_unit)
        except Left as left:
            if left.everything or frame.unit is Unit.ATOMIC:
                raise

    # --- registers ----------------------------------------------------------------------------------------

    def _touch(self, span: Span) -> None:
        """Pauses before this operation, unless it belongs to the same step as the one before."""
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
        number = self.settle(self.evaluate(index, span), limit=cells if scope.cells or cells <= 8 else None)
        if not 0 <= number < cells:
            what = (
                f"scope of {quote_name(register.name)} has {cells} cells"
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
        value = self.settle(self.evaluate(step.value, step.span))
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
        inputs = tuple(self.evaluate(each, step.span) for each in step.inputs)
        base, size = (self.settle(self.evaluate(each, step.span)) for each in (step.base, step.size))
        name = self.parameters.name_hash(step, base, size, inputs)
        self.state[step.path] = self.parameters.look_up(Get(name, step.kind, step.span))

    def _random(self, step: Random) -> None:
        low, high = (self.settle(self.evaluate(each, step.span)) for each in (step.low, step.high))
        if low > high:
            raise refuse(UNSUPPORTED, f"a random number in {low}..{high} is not supported", step.span)
        count = high - low + 1
        if count > MAX_RANDOM:
            count = self.parameters.inventory.note_random(step, low, high)
        number = self.pick(count)
        self.events.append(Pick(count, number, step.span))
        self.state[step.path] = Const(low + number, step.kind)

    # --- tables -------------------------------------------------------------------------------------------

    def _apply(self, step: Apply) -> None:
        table = step.table
        keys = [self.evaluate(key, step.span) for key in table.keys]
        depends = step.label in self.part.dependent
        is_hit, action, data = self.parameters.choose(
            table,
            step.label,
            keys,
            depends,
            step.hit in self.part.needed,
            self.settle,
            self.is_settled,
        )
        self.state[step.hit] = Const(int(is_hit), Bool())
        choice = table.choice(action)
        self.state[step.ran] = Const(choice.number, Bits(32))
        if data is not None:
            for (path, kind), value in zip(choice.data, data, strict=True):
                self.state[path] = Const(value, kind)
        elif depends:
            known = [self.settle(key) for key in keys]
            for path, kind in choice.data:
                self.state[path] = self.parameters.look_up(Get(keyed(path, known), kind, step.span))
        self._choice(choice)

    def _choice(self, choice: Choice) -> None:
        if self.part.matters(choice.body):
            self._frame(choice.body)
        else:
            self._skip(choice.body)
