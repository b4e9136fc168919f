"""A switch with packets in it: executes steps of packets in a given order, or in all orders.

A state is a value: the contents of the registers, and for each packet the results of its operations. So all
interleavings of a few packets can be explored, and a step of a run can be repeated.

Under `bmv2`, egress has four threads, and a packet's port says which one executes it: two packets of one
thread do not overlap there. Packets of one port wait in one queue, so they enter egress in the order in
which they passed ingress.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from seriatim.frontends.p4.kinds import DROP_PORT, Types, valid
from seriatim.frontends.p4.machine.execution import Caused, Choose, Compute, Execution, Surroundings
from seriatim.frontends.p4.machine.places import Scope
from seriatim.frontends.p4.machine.turns import Cells, Paused, Turn
from seriatim.frontends.p4.machine.values import (
    Fields,
    Headers,
    Number,
    Value,
    initial,
    number,
    refuse,
)
from seriatim.frontends.p4.models import EGRESS_THREADS, Model
from seriatim.frontends.p4.passes import field_lists, numbers_above
from seriatim.frontends.p4.syntax import (
    Action,
    Constant,
    Control,
    EnumType,
    Function,
    Instance,
    Program,
    RecordType,
)
from seriatim.frontends.p4.terms import Call, Name, NamedType
from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)

STAGES = {"ingress": 2, "egress": 3, "deparser": 5}
"""The stages, each with the position of its argument of `V1Switch`."""


def leave_open(_table: str, _keys: tuple[int, ...]) -> None:
    """Leaves the choice to the entries in the program."""
    return


def compute_nothing(call: Call, _values: tuple[int, ...]) -> int:
    raise refuse("the result of this call is not known", call.span)


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet: its fields, the outcomes of its tables, and the results of hashes and random numbers.

    Paths start with `hdr`, `meta` or `standard_metadata`, whatever the program calls these: `hdr.ipv4.ttl`,
    and `hdr.ipv4.isValid()` for the validity of a header. Fields that are not listed are 0, headers invalid.
    """

    fields: Mapping[str, int]
    choose: Choose = field(default=leave_open, compare=False)
    compute: Compute = field(default=compute_nothing, compare=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """The port where a packet leaves the switch, and its headers; without a port it is dropped."""

    port: int | None
    headers: tuple[tuple[str, int], ...] = ()
    caused: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """The calls by which the packet causes something else, with their values and the metadata kept."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a packet: the results of its operations so far, and its answer at the end."""

    seen: tuple[int, ...] = ()
    answer: Answer | None = None
    port: int | None = None
    """The egress port, once the packet has passed ingress."""
    in_egress: bool = False
    """Whether the packet has performed operations in egress."""


@dataclass(frozen=True, slots=True)
class State:
    cells: tuple[tuple[tuple[str, int], int], ...]
    """The cells that are not 0, sorted."""
    packets: tuple[Progress, ...]
    passed: tuple[int, ...] = ()
    """The packets that wait before egress or are in it, in the order in which they passed ingress."""

    @property
    def answers(self) -> tuple[Answer | None, ...]:
        return tuple(each.answer for each in self.packets)


EVERYTHING = sys.maxsize


class TooManyStates(Exception):
    """Raised when the interleavings of packets have too many states."""


class Machine:
    """Executes packets of a program on a switch."""

    def __init__(self, program: Program, model: Model) -> None:
        self.model = model
        self._types = Types(program)
        self._records = {each.name: each for each in program.declarations if isinstance(each, RecordType)}
        self._globals = Scope()
        for each in program.declarations:
            if isinstance(each, Action | Function | Control | Constant | Instance | EnumType):
                self._globals.declared[each.name] = each
        self._stages = {name: self._stage(program, position) for name, position in STAGES.items()}

    def _stage(self, program: Program, position: int) -> Control:
        for each in program.declarations:
            if isinstance(each, Instance) and each.type == NamedType("V1Switch"):
                written = each.arguments[position].value
                name = written.function if isinstance(written, Call) else written
                if isinstance(name, Name):
                    found = self._globals.declared.get(name.name)
                    if isinstance(found, Instance) and isinstance(found.type, NamedType):
                        found = self._globals.declared.get(found.type.name)
                    if isinstance(found, Control):
                        return found
        raise refuse("there is no `V1Switch(…) main` with all its controls", NOWHERE)

    # --- one packet -----------------------------------------------------------------------------------------

    def _advance(self, packet: Packet, progress: Progress, cells: Cells) -> tuple[Progress, Cells]:
        turn = Turn(progress.seen, cells)
        surroundings = Surroundings(packet.choose, packet.compute, self.model)
        execution = Execution(self._types, self._globals, surroundings, turn)
        port: int | None = None
        before = 0
        try:
            values = self._inputs(packet)
            _, _, standard = values
            with turn.together(self.model is Model.BMV2):
                execution.apply(self._stages["ingress"], values)
            before = len(turn.seen)
            early = [each for each in execution.caused if not each.from_egress]
            late = [each for each in execution.caused if each.from_egress]
            execution.caused.clear()
            caused = self._tell(early, values)
            if any(each.name.startswith("resubmit") for each in early):
                return Progress(tuple(turn.seen), Answer(None, (), caused)), turn.cells
            if number(standard.parts["mcast_grp"], NOWHERE):
                raise refuse("copies of packets for a group are not executed", NOWHERE)
            port = egress_spec(standard)
            if port != DROP_PORT:
                standard.parts["egress_port"] = standard.parts["egress_spec"]
                execution.apply(self._stages["egress"], values)
                caused += self._tell([*late, *execution.caused], values)
            answer = replace(self._answer(execution, port, values), caused=caused)
        except Paused:
            in_egress = port is not None and len(turn.seen) > before
            return Progress(tuple(turn.seen), None, port, in_egress), turn.cells
        in_egress = port != DROP_PORT and len(turn.seen) > before
        return Progress(tuple(turn.seen), answer, port, in_egress), turn.cells

    def _tell(self, caused: Sequence[Caused], values: "Inputs") -> tuple[tuple[str, tuple[int, ...]], ...]:
        """What the packet has caused, with the metadata that is kept, as it is now."""
        return tuple((each.name, (*each.values, *self._kept(each.kept, values[1]))) for each in caused)

    def _kept(self, asked: int | None, metadata: Fields) -> Iterator[int]:
        """The metadata in a list of fields."""
        written = self._stages["ingress"].parameters[1].type
        if asked is None or not isinstance(written, NamedType):
            return
        lists = dict(field_lists("", written.name, self._records))
        for path, value in numbers_in("", metadata):
            numbers = numbers_above(path, lists)
            if None in numbers:
                raise refuse("this list of metadata has no number", NOWHERE)
            if asked in numbers:
                yield value

    def _answer(self, execution: Execution, port: int, values: "Inputs") -> Answer:
        headers, _, standard = values
        if port == DROP_PORT or egress_spec(standard) == DROP_PORT:
            return Answer(None)
        execution.apply(self._stages["deparser"], (None, headers))
        return Answer(port, tuple(execution.emitted))

    def _inputs(self, packet: Packet) -> "Inputs":
        parameters = self._stages["ingress"].parameters
        found = []
        for root, parameter in zip(("hdr", "meta", "standard_metadata"), parameters, strict=True):
            value = initial(self._types.resolve(parameter.type), parameter.span)
            assert isinstance(value, Fields)
            fill(root, value, packet.fields)
            found.append(value)
        headers, metadata, standard = found
        return headers, metadata, standard

    # --- several packets ------------------------------------------------------------------------------------

    def start(self, packets: Sequence[Packet]) -> State:
        return State((), tuple(Progress() for _ in packets))

    def step(self, packets: Sequence[Packet], state: State, who: int) -> State:
        """Executes the next step of one packet; does not check whether the packet is `enabled`."""
        progress, cells = self._advance(packets[who], state.packets[who], dict(state.cells))
        everybody = (*state.packets[:who], progress, *state.packets[who + 1 :])
        waits = progress.answer is None and progress.port is not None
        if waits and who not in state.passed:
            passed = (*state.passed, who)
        else:
            passed = state.passed if waits else tuple(each for each in state.passed if each != who)
        return State(tuple(sorted((at, value) for at, value in cells.items() if value)), everybody, passed)

    def enabled(self, packets: Sequence[Packet], state: State) -> Iterator[tuple[int, State]]:
        """The packets that can take a step now, each with the state after it."""
        for who, progress in enumerate(state.packets):
            if progress.answer is None:
                after = self.step(packets, state, who)
                if self.model is not Model.BMV2 or may_enter(state, who, after.packets[who]):
                    yield who, after

    def follow(self, packets: Sequence[Packet], order: Sequence[int]) -> State | None:
        """The state after steps of these packets; None if one of them cannot take its step."""
        state = self.start(packets)
        for who in order:
            found = dict(self.enabled(packets, state)).get(who)
            if found is None:
                return None
            state = found
        return state

    def ends(self, packets: Sequence[Packet], most_states: int = EVERYTHING) -> frozenset[State]:
        """All states after all packets, over all interleavings. Raises `TooManyStates`."""
        found, seen = set(), {self.start(packets)}
        pending = list(seen)
        while pending:
            state = pending.pop()
            if None not in state.answers:
                found.add(state)
                continue
            new = {after for _, after in self.enabled(packets, state)} - seen
            seen |= new
            if len(seen) > most_states:
                raise TooManyStates
            pending += new
        return frozenset(found)

    def serial_ends(self, packets: Sequence[Packet]) -> Iterator[State]:
        """The states after all packets, one at a time, in every order."""
        for order in permutations(range(len(packets))):
            state = self.start(packets)
            for who in order:
                while state.packets[who].answer is None:
                    state = self.step(packets, state, who)
            yield state


Inputs = tuple[Fields, Fields, Fields]
"""Headers, metadata and standard metadata."""


def numbers_in(path: str, value: Value) -> Iterator[tuple[str, int]]:
    """The numbers in a value, with their paths."""
    match value:
        case Fields(parts=parts):
            for name, part in parts.items():
                yield from numbers_in(f"{path}.{name}", part)
        case Headers(items=items):
            for index, item in enumerate(items):
                yield from numbers_in(f"{path}[{index}]", item)
        case Number() | bool():
            yield path, number(value, NOWHERE)
        case _:
            return


def egress_spec(standard: Fields) -> int:
    return number(standard.parts["egress_spec"], NOWHERE)


def may_enter(state: State, who: int, after: Progress) -> bool:
    """Whether the threads of egress let a packet take a step; `after` is its progress after the step."""
    if not after.in_egress or after.port is None:
        return True
    thread = after.port % EGRESS_THREADS
    for other, progress in enumerate(state.packets):
        if other == who or progress.answer is not None or progress.port is None:
            continue
        if progress.in_egress and progress.port % EGRESS_THREADS == thread:
            return False
    if who not in state.passed or state.packets[who].in_egress:
        return True
    ahead = state.passed[: state.passed.index(who)]
    return all(state.packets[other].port != after.port for other in ahead)


def fill(path: str, value: Fields, fields: Mapping[str, int]) -> None:
    """Puts the fields of a packet into a struct or a header."""
    if value.valid is not None:
        value.valid = bool(fields.get(valid(path), 0))
    for name, part in value.parts.items():
        value.parts[name] = fill_part(f"{path}.{name}", part, fields)


def fill_part(path: str, part: Value, fields: Mapping[str, int]) -> Value:
    match part:
        case Fields():
            fill(path, part, fields)
        case Headers(items=items):
            for index, item in enumerate(items):
                fill(f"{path}[{index}]", item, fields)
        case Number(bits=bits) if path in fields and bits is not None:
            return Number(bits.fit(fields[path]), bits)
        case bool():
            return bool(fields.get(path, 0))
        case _:
            return part
    return part
