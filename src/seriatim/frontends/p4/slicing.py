"""Slices code to the part that matters: answers that depend on registers, and all that they need.

*Answers.* A part of the answer (port, validity and fields of emitted headers) that depends on no register and
no random number is a function of the packet: it is the same in every run with this packet, alone or not.
So only the other parts, the *tainted* ones, can tell runs apart. `Taint` follows the code, which has no
loops. The targets of register reads and of `random` become tainted, and so do the targets of assignments that
read a tainted path, stand under a tainted condition, or come after a tainted condition under which the code
leaves early. Any other assignment removes the taint of its target. If no part of any answer is tainted, the
final values of the registers are observed.

*Needs.* `needed` is the least set of paths that contains the tainted parts of the answers and, with the
target of an assignment, all paths that are read there and in the conditions around it. A register is needed
if it is read into a needed path; then the operands and conditions of all its writes are needed. The set
ignores the order of statements, so it is larger than necessary, never smaller. Steps whose targets are not
needed are skipped: `execution.py` marks the paths that they would have written, and reading such a mark is an
internal error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from seriatim.frontends.p4.code import (
    Apply,
    Branch,
    Code,
    Frame,
    Leave,
    Put,
    Random,
    ReadCell,
    Step,
    WriteCell,
    nested,
    reads,
    steps,
    values_of,
    writes,
)
from seriatim.frontends.p4.kinds import valid
from seriatim.frontends.p4.switch import Switch

SPEC = "standard_metadata.egress_spec"
PORT = "standard_metadata.egress_port"


@dataclass(frozen=True, slots=True)
class Flow:
    """A step, the paths that it reads, and the paths that decide whether it happens."""

    step: Step
    sources: frozenset[str]
    context: frozenset[str]


@dataclass(frozen=True, slots=True)
class Slice:
    """The part of the code that matters."""

    dependent: frozenset[str]
    """The applications of tables whose key depends on a register, by label."""
    needed: frozenset[str]
    registers: frozenset[str]
    answers: tuple[str, ...]
    """The tainted parts of answers, by path."""
    depends: dict[str, frozenset[str]]
    """The paths and registers that the value of each path may depend on."""
    known: dict[int, tuple[Step, bool]] = field(default_factory=dict, init=False, compare=False)
    """The steps that have been asked about, by identity, and whether they matter."""

    def is_idle(self, code: Code) -> bool:
        """Whether nothing in the code of a control is needed; then leaving it early does not matter."""
        return not any(
            step.register.name in self.registers
            if isinstance(step, WriteCell)
            else not self.needed.isdisjoint(writes(step))
            for step in steps(code)
        )

    def matters(self, step: Step) -> bool:
        """Whether a step, or a step inside it, changes anything that is needed."""
        found = self.known.get(id(step))
        if found is None:
            found = self.known[id(step)] = step, self._matters(step)
        return found[1]

    def _matters(self, step: Step) -> bool:
        match step:
            case WriteCell(register=register):
                return register.name in self.registers
            case Leave():
                return True
            case _ if any(path in self.needed for path in writes(step)):
                return True
            case _:
                return any(self.matters(inner) for code in nested(step) for inner in code)


def slice_switch(switch: Switch) -> Slice:
    in_ingress, in_egress = (_exit_paths(each.body) for each in (switch.ingress, switch.egress))
    flows = [
        *_flows(switch.ingress.body, in_ingress),
        *_flows(switch.passes.after_ingress, in_ingress),
        *_flows(switch.egress.body, in_egress | {SPEC}),
        *_flows(switch.passes.after_egress, in_egress | {SPEC}),
    ]
    written = {step.register.name for step in steps(switch.code) if isinstance(step, WriteCell)}
    taint = Taint(written)
    taint.control(switch.ingress)
    taint.follow(switch.passes.after_ingress)
    if SPEC in taint.paths:
        taint.paths.add(PORT)
        taint.context = True
    taint.control(switch.egress)
    taint.follow(switch.passes.after_egress)
    answers = tuple(path for path in _answer_paths(switch) if path in taint.paths)
    needed, registers = _find_needed(flows, answers)
    return Slice(frozenset(taint.dependent), needed, registers, answers, _find_dependences(flows))


class Taint:
    """The paths that depend on registers or random numbers, at a place in the code."""

    def __init__(self, written: set[str]) -> None:
        self.written = written
        """The registers that packets write; others never change."""
        self.paths: set[str] = set()
        self.context = False
        """Whether reaching this place depends on registers."""
        self.dependent: set[str] = set()
        self.left: set[str] = set()
        """The paths that were tainted where code has left early; they stay tainted after the frame."""

    def control(self, frame: Frame) -> None:
        self.follow(frame.body)
        self.paths |= self.left

    def follow(self, code: Code) -> None:
        for step in code:
            match step:
                case Branch(condition=condition, then=then, otherwise=otherwise):
                    self._either((then, otherwise), not self.paths.isdisjoint(reads(condition)))
                case Frame(body=body):
                    self.follow(body)
                    self.paths |= self.left
                case Leave():
                    self.left |= self.paths
                case Apply(table=table, label=label):
                    depends = any(not self.paths.isdisjoint(reads(key)) for key in table.keys)
                    if depends:
                        self.dependent.add(label)
                    self._set(writes(step), depends)
                    self._either(nested(step), depends)
                case _:
                    is_source = isinstance(step, Random) or (
                        isinstance(step, ReadCell) and step.register.name in self.written
                    )
                    self._set(writes(step), is_source or not self.paths.isdisjoint(_sources(step)))

    def _set(self, paths: tuple[str, ...], is_tainted: bool) -> None:
        if is_tainted or self.context:
            self.paths.update(paths)
        else:
            self.paths.difference_update(paths)

    def _either(self, branches: tuple[Code, ...], is_tainted: bool) -> None:
        """Follows alternative branches; `is_tainted` says whether a tainted value chooses between them."""
        before, around = set(self.paths), self.context
        after: set[str] = set()
        leaves = False
        for branch in branches:
            self.paths, self.context = set(before), around or is_tainted
            self.follow(branch)
            after |= self.paths
            leaves = leaves or any(isinstance(step, Leave) for step in steps(branch))
            around = around or (self.context and not is_tainted)
        self.paths, self.context = after, around or (is_tainted and leaves)


def _answer_paths(switch: Switch) -> list[str]:
    """The paths that are visible in a packet that leaves the switch."""
    emitted = tuple(f"{header}." for header in switch.emitted)
    told = (*switch.passes.revealed, *switch.checksummed)
    return [SPEC, *told, *(path for path in switch.kinds if path.startswith(emitted))]


def _exit_paths(code: Code, context: frozenset[str] = frozenset()) -> frozenset[str]:
    """The paths in conditions under which code leaves early; all later code depends on them."""
    found: frozenset[str] = frozenset()
    for step in code:
        match step:
            case Leave():
                found |= context
            case Branch(condition=condition):
                inner = context | reads(condition)
                for part in nested(step):
                    found |= _exit_paths(part, inner)
            case Apply(ran=ran):
                for part in nested(step):
                    found |= _exit_paths(part, context | {ran})
            case _:
                for part in nested(step):
                    found |= _exit_paths(part, context)
    return found


def _flows(code: Code, context: frozenset[str]) -> Iterator[Flow]:
    for step in code:
        match step:
            case Branch(condition=condition, then=then, otherwise=otherwise):
                inner = context | reads(condition)
                yield from _flows(then, inner)
                yield from _flows(otherwise, inner)
            case Frame(body=body):
                yield from _flows(body, context)
            case Apply(table=table, ran=ran):
                keys = frozenset(path for key in table.keys for path in reads(key))
                yield Flow(step, keys, context)
                for choice in table.choices:
                    yield from _flows((choice.body,), context | {ran})
            case _:
                yield Flow(step, _sources(step), context)


def _sources(step: Step) -> frozenset[str]:
    found = frozenset(path for value in values_of(step) for path in reads(value))
    is_partial = isinstance(step, Put) and step.high is not None
    return found | set(writes(step)) if is_partial else found


def _find_needed(flows: list[Flow], answers: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    found: set[str] = set(answers)
    found.update(valid(path.rpartition(".")[0]) for path in answers if path.startswith("hdr."))
    registers: set[str] = set()
    if not answers:  # Then the final values of all registers are observed.
        registers.update(flow.step.register.name for flow in flows if isinstance(flow.step, WriteCell))
    if answers:
        found.add(SPEC)  # Of a dropped packet nothing else is visible.
    size = (-1, -1)
    while size != (len(found), len(registers)):
        size = len(found), len(registers)
        if PORT in found:
            found.add(SPEC)
        for flow in flows:
            step = flow.step
            is_needed = not found.isdisjoint(writes(step)) or (
                isinstance(step, WriteCell) and step.register.name in registers
            )
            if is_needed:
                found |= flow.sources | flow.context
                if isinstance(step, ReadCell):
                    registers.add(step.register.name)
    return frozenset(found), frozenset(registers)


def _find_dependences(flows: list[Flow]) -> dict[str, frozenset[str]]:
    """The paths and registers that each path or register depends on through data, transitively."""
    found: dict[str, set[str]] = {}
    direct: list[tuple[str, frozenset[str]]] = []
    for flow in flows:
        step = flow.step
        if isinstance(step, ReadCell):
            direct.append((step.path, flow.sources | {step.register.name}))
        elif isinstance(step, WriteCell):
            direct.append((step.register.name, flow.sources))
        else:
            direct += [(path, flow.sources) for path in writes(step)]
    is_new = True
    while is_new:
        is_new = False
        for target, sources in direct:
            known = found.setdefault(target, set())
            size = len(known)
            known |= sources
            for source in sources:
                known |= found.get(source, set())
            is_new = is_new or len(known) != size
    return {path: frozenset(known) for path, known in found.items()}
