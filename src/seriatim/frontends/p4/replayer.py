"""Repeats violations at full widths: another interpreter executes the packets of a run, and all their orders.

A violation is confirmed if some interleaving of the packets, with the turns of the run in their order, gives
answers that no one-at-a-time order of the same packets gives. The interpreter (`machine/`) shares only the
parser and the types with the translation: its registers have all their cells and bits. Fields that decide
nothing have different values in different packets, so that their keys and flows differ, too. If a table or a
hash would have to give two results for the same input, nothing is confirmed.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.frontends.p4.arithmetic import simplify
from seriatim.frontends.p4.code import Apply, Const, Get, Random, Value, keyed, steps
from seriatim.frontends.p4.execution import MAX_RANDOM, THREAD
from seriatim.frontends.p4.exploring import Kind
from seriatim.frontends.p4.instances import COLOUR
from seriatim.frontends.p4.kinds import Bits, Simple
from seriatim.frontends.p4.machine.switch import Machine, Packet, State
from seriatim.frontends.p4.machine.tables import Chosen
from seriatim.frontends.p4.models import EGRESS_THREADS
from seriatim.frontends.p4.packet_values import NEVER_FIRST
from seriatim.frontends.p4.parameters import match_entry, outcomes_of
from seriatim.frontends.p4.switch import STANDARD
from seriatim.frontends.p4.terms import Call, Member, Name
from seriatim.frontends.p4.translation import Analysis, analyse
from seriatim.frontends.protocol import Confirmation, Translation
from seriatim.program.syntax import Program
from seriatim.source import InputError, SourceText, Span
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.replay import ImpossibleTurn, TooManyTurns, name_turns, replay_turns

MAX_PACKETS = 7
"""The most packets of which all orders are executed."""

MAX_DRAWS = 64
"""The most combinations of random numbers."""

FIRST_VALUE, SECOND_VALUE = 101, 37
"""Values for fields that decide nothing; the second is tried if the first confirms nothing."""

MAX_STATES = 20_000
"""The most states that are explored."""


class Unsteerable(Exception):
    """Raised when no table or hash can give the results that the run needs; says why."""


class PacketReplayer:
    """Repeats runs of packet programs."""

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        settings = {} if certificate.provenance is None else dict(certificate.provenance.settings)
        analysis = analyse(source, settings)
        assert isinstance(translation.content, Program)
        evidence = certificate.evidence
        if not isinstance(evidence, RunEvidence | FoldedRunEvidence):
            return Confirmation(False, f"evidence of the kind `{evidence.kind}` is not repeated")
        try:
            turns, names = _read_schedule(translation.content, evidence, deadline)
        except (ImpossibleTurn, TooManyTurns) as wrong:
            return Confirmation(False, f"the run cannot be followed: {wrong}")
        if len(names) > MAX_PACKETS:
            return Confirmation(
                False, f"the run has more than {MAX_PACKETS} packets, too many for all orders"
            )
        try:
            found = Repetition(analysis, names, turns, deadline, FIRST_VALUE).judge()
            if not found.confirmed:
                found = Repetition(analysis, names, turns, deadline, SECOND_VALUE).judge()
            return found
        except Unsteerable as why:
            return Confirmation(False, str(why))
        except InputError as error:
            return Confirmation(False, f"the interpreter refuses the program: {error}")


def _read_schedule(
    program: Program, evidence: RunEvidence | FoldedRunEvidence, deadline: Deadline
) -> tuple[list[int], list[str]]:
    """The number of the request that takes each turn, and the name of each request."""
    recorded = name_turns(evidence) if isinstance(evidence, FoldedRunEvidence) else evidence.turns
    unfolding = unfold(program, Limits(), deadline, dead_ends=True)
    run = replay_turns(recorded, unfolding)
    requests = {turn.request: unfolding.requests[unfolding.request_of(turn.local)] for turn in run.turns}
    numbers = {request: place for place, request in enumerate(sorted(requests))}
    return [numbers[turn.request] for turn in run.turns], [requests[each] for each in sorted(requests)]


class Repetition:
    """Repeats the packets of one run on the interpreter."""

    def __init__(
        self,
        analysis: Analysis,
        names: Sequence[str],
        turns: Sequence[int],
        deadline: Deadline,
        first: int,
    ) -> None:
        self.analysis = analysis
        self.turns = tuple(turns)
        self.deadline = deadline
        self.first = first
        self.machine = Machine(analysis.tree, analysis.atomicity)
        self.looks_at_cells = not analysis.part.answers
        self.kinds = [analysis.model.kinds[name][0] for name in names]
        self.applied = {step.label: step for step in steps(analysis.switch.code) if isinstance(step, Apply)}
        self.results: dict[object, object] = {}
        """The results of tables and hashes, by their inputs."""

    def judge(self) -> Confirmation:
        groups = self.draws()
        serial = {self._visible(state) for packets in groups for state in self._serial_ends(packets)}
        for packets in groups:
            state = self._find_other_end(packets, serial)
            if state is not None:
                count = len(packets)
                sentence = (
                    f"Repeated at full widths: no one-at-a-time order of these {count} packets"
                    " gives these answers."
                )
                if self.looks_at_cells:
                    sentence = (
                        f"Repeated at full widths: no one-at-a-time order of these {count} packets"
                        " leaves these registers."
                    )
                return Confirmation(True, sentence, tuple(map(_describe, enumerate(state.answers, 1))))
        return Confirmation(False, "at full widths, some one-at-a-time order explains these packets")

    def _visible(self, state: State) -> object:
        return (state.answers, state.cells) if self.looks_at_cells else state.answers

    # --- runs ---------------------------------------------------------------------------------------------

    def _serial_ends(self, packets: Sequence[Packet]) -> set[State]:
        """The states after all packets, one at a time, in every order."""
        states = {self.machine.start(packets)}
        for _ in packets:
            states = {
                self._run_alone(packets, state, who)
                for state in states
                for who, progress in enumerate(state.packets)
                if progress.answer is None
            }
        return states

    def _run_alone(self, packets: Sequence[Packet], state: State, who: int) -> State:
        while state.packets[who].answer is None:
            self.deadline.check()
            state = self.machine.step(packets, state, who)
        return state

    def _find_other_end(self, packets: Sequence[Packet], serial: set[object]) -> State | None:
        """Finds an end that no serial run has, among the runs with the turns of the model. A turn may take
        several steps here, since nothing is left out."""
        start = (0, self.machine.start(packets))
        seen, pending = {start}, [start]
        while pending and len(seen) < MAX_STATES:
            self.deadline.check()
            place, state = pending.pop()
            if None not in state.answers:
                if self._visible(state) not in serial:
                    return state
                continue
            if place == len(self.turns):
                continue
            following = [(place + 1, state)]
            for who, after in self.machine.enabled(packets, state):
                if who == self.turns[place]:
                    following.append((place, after))
            new = [each for each in following if each not in seen]
            seen.update(new)
            pending += new
        return None

    # --- packets ------------------------------------------------------------------------------------------

    def draws(self) -> list[list[Packet]]:
        """The packets, for each combination of random numbers."""
        draws = [
            step
            for step in steps(self.analysis.switch.code)
            if isinstance(step, Random) and step.path in self.analysis.part.needed
        ]
        by_place = {step.span: step for step in draws}  # Equal steps may occur in several places.
        numbers: list[range] = []
        for step in by_place.values():
            if not isinstance(step.low, Const) or not isinstance(step.high, Const):
                raise Unsteerable("random numbers whose bounds are not constants are not repeated")
            if step.high.value - step.low.value >= MAX_RANDOM:
                raise Unsteerable("random numbers with so many values are not repeated")
            numbers.append(range(step.low.value, step.high.value + 1))
        each_packet = [dict(zip(by_place, values, strict=True)) for values in product(*numbers)]
        if len(each_packet) ** len(self.kinds) > MAX_DRAWS:
            raise Unsteerable("there are too many combinations of random numbers")
        return [
            [
                self._packet(kind, number, drawn)
                for number, (kind, drawn) in enumerate(zip(self.kinds, every, strict=True))
            ]
            for every in product(each_packet, repeat=len(self.kinds))
        ]

    def _packet(self, kind: Kind, number: int, drawn: Mapping[Span, int]) -> Packet:
        scopes = self.analysis.scopes
        only = {path: value for path in scopes.fields if (value := scopes.only(path)) is not None}
        bound = {**only, **kind.bound()}
        if any(bound.get(path) for path in self.analysis.switch.passes.brought):
            raise Unsteerable("a copy, or a packet that comes back, takes part; its origin is not repeated")
        fields = {
            path: bound.get(path, _default_value(self.first + number, each))
            for path, each in self.analysis.switch.kinds.items()
            if path in bound or self._comes_with(path)
        }

        def choose(table: str, keys: tuple[int, ...]) -> Chosen | None:
            return self._choose(table, keys, bound)

        def compute(call: Call, values: tuple[int, ...]) -> int:
            if isinstance(call.function, Name) and call.function.name == "random":
                return drawn.get(call.span, values[0])
            if isinstance(call.function, Member):
                return self._choose_colour(call, bound)
            return self._choose_hash(call, values, bound, fields)

        return Packet(fields, choose, compute)

    def _comes_with(self, path: str) -> bool:
        """Whether a packet brings a path along; all others start as 0."""
        is_standard = path.startswith(f"{STANDARD}.") and path not in NEVER_FIRST
        return path in self.analysis.switch.parsed or (is_standard and not path.endswith("_error"))

    def _choose(self, name: str, keys: tuple[int, ...], bound: Mapping[str, int]) -> Chosen | None:
        labels = [label for label in self.applied if label.partition("~")[0] == name]
        found = {self._find_outcome(label, keys, bound) for label in labels}
        if len(found) != 1:
            raise Unsteerable(f"`{name}` is applied twice, with different results")
        (chosen,) = found
        if chosen is not None:
            self._agree((name, keys), chosen, f"`{name}` would do different things with one key")
        return chosen

    def _find_outcome(self, label: str, keys: tuple[int, ...], bound: Mapping[str, int]) -> Chosen | None:
        table = self.applied[label].table
        name = label
        if label in self.analysis.part.dependent and table.entries is None:
            name = keyed(label, keys)
            if name not in bound and any(each.startswith(keyed(label, ())) for each in bound):
                raise Unsteerable(f"`{table.name}` has a key that it does not have in the model")
        entry = None if table.entries is None else match_entry(table.entries, keys)
        if name not in bound and table.entries is None:
            return None  # Nothing that matters depends on this table.
        if name not in bound:
            hit, action, data = (
                (entry is not None, *table.default) if entry is None else (True, entry.action, entry.data)
            )
        else:
            hit, action, data = outcomes_of(table, self.applied[label].hit in self.analysis.part.needed)[
                bound[name]
            ]
            if table.entries is not None and (entry is None) == hit:
                raise Unsteerable(f"give the keys of `{table.name}` scopes: then its entries decide")
        choice = next(each for each in table.choices if each.action == action)
        if data is None:
            data = tuple(
                bound.get(path, bound.get(THREAD, 1))
                if name == label
                else keyed_value(path, kind, keys, bound)
                for path, kind in choice.data
            )
        return Chosen(action, data, hit)

    def _choose_hash(
        self, call: Call, values: tuple[int, ...], bound: Mapping[str, int], fields: Mapping[str, int]
    ) -> int:
        inventory = self.analysis.explored.inventory
        result = values[0]
        for name, (step, made) in inventory.calls.items():
            if call.span not in inventory.sites[name] or name not in bound:
                continue
            inputs = tuple(_number(each, {**fields, **bound}) for each in made.inputs)
            if (made.base, *inputs, made.size) == values:
                result = bound[name]
                self._agree((step.algorithm, values), result, f"{step.algorithm} would give two results")
        return result

    def _choose_colour(self, call: Call, bound: Mapping[str, int]) -> int:
        """The colour that a meter gives at this call; it is the same wherever the call is expanded."""
        place = f"@{call.span.line}:{call.span.column}"
        found = {
            value
            for path, value in bound.items()
            if path.startswith(f"{COLOUR}.") and path.partition("~")[0].endswith(place)
        }
        if len(found) > 1:
            raise Unsteerable(f"the meter in line {call.span.line} would give two colours to one packet")
        return found.pop() if found else 0

    def _agree(self, asked: object, result: object, complaint: str) -> None:
        if self.results.setdefault(asked, result) != result:
            raise Unsteerable(f"no entries or hash function allow this run: {complaint}")


def keyed_value(path: str, kind: Simple, keys: tuple[int, ...], bound: Mapping[str, int]) -> int:
    """What an entry for these keys gives to an action: different numbers for different keys, if possible."""
    thread = bound.get(keyed(THREAD, (", ".join(map(str, keys)),)), 1)
    value = thread + EGRESS_THREADS * (1 + sum(keys))
    return bound.get(keyed(path, keys), kind.fit(value) if isinstance(kind, Bits) else value % 2)


def _default_value(number: int, kind: Simple) -> int:
    """A value for a field that decides nothing: different in each packet, if the type is large enough."""
    return kind.fit(number) if isinstance(kind, Bits) and kind.width > 3 else 1


def _number(value: Value, known: Mapping[str, int]) -> int | None:
    def get(each: Get) -> Value:
        return Const(known[each.path], each.kind) if each.path in known else each

    found = simplify(value, get)
    return found.value if isinstance(found, Const) else None


def _describe(answered: tuple[int, object]) -> str:
    number, answer = answered
    return f"packet {number}: {answer}"
