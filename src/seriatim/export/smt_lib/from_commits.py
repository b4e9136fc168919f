"""Commit points as an inductive invariant: a serial run that goes along, as ghost variables.

A state consists of the global state, of how many requests wait in each way, of how many are completed in
each way, and of a serial run that is extended whenever a request takes effect: where it can be (a set of
global states, by number) and how many of its requests are completed in each way. The serial run goes only
where `after…` says that a request running alone can lead; -1 is nowhere, and in no node. The invariant:

- the global state and the set are those of a *node* of the cover (`seriatim.checking.cover`); only those
  wait who can be there, at level 2 only those side by side who can be, and the invariants of the cover hold;
- the serial run has answered those who are answered, and those who have taken effect and wait for it.

Claim: each step keeps it, because the cover is closed under steps and none breaks a commitment.

Wrong is a state with nobody in flight in which the serial run has not answered the same. If nothing is
wrong, every outcome is that of a serial run. Evidence of the kind `atomic` is a special case: requests take
effect in their only step.
"""

from collections.abc import Iterable, Iterator
from typing import Generic

from seriatim.certificate.in_flight import Waiting
from seriatim.checking.allowed import Completion
from seriatim.checking.cover import Cover, Node
from seriatim.checking.reference import State
from seriatim.checking.words import state_words, waiting_words
from seriatim.export.smt_lib.script import DeclaredVariable, ScriptDefinition, ScriptPart, ScriptStep, System
from seriatim.export.smt_lib.terms import Term, conjunction, disjunction, is_none, linear, number

ABOUT = (
    "Every complete run of the input has the outcome of a serial run: the one in which requests run in the",
    "order in which they take effect.",
    "The steps are those of the situations that the invariant allows, as executing the input shows; if some",
    "requests are never answered, without the steps to there.",
)

GLOBAL, SERIAL = "g", "d"
"""The variables for the global state and for where the serial run can be."""

Move = tuple[int, int, int | str, int]
"""(flight, global state, the next flight or the answer, the next global state)."""


def commit_system(cover: Cover[State]) -> System:
    names = CommitNames(cover)
    return System(
        about=ABOUT,
        variables=tuple(names.variables()),
        definitions=tuple(after(completion, names) for completion in names.completions),
        invariant=(
            ScriptPart("All numbers are natural.", conjunction(f"(>= {name} 0)" for name in names.counts())),
            *(state_answered(completion, names) for completion in names.completions),
            ScriptPart("Who can be where.", nodes_term(names)),
        ),
        steps=tuple(step for move in names.moves for step in steps(move, names)),
        wrong=conjunction(
            [
                is_none(names.flights.values()),
                disjunction(f"(not (= s{index} z{index}))" for index in names.completions.values()),
            ]
        ),
        wrong_means="With no request in flight, the serial run has answered the same.",
    )


class CommitNames(Generic[State]):
    """Numbers for what occurs in a cover, and the moves in it."""

    def __init__(self, cover: Cover[State]) -> None:
        self.cover = cover
        self.nodes = sorted(cover.nodes, key=self.node_words)
        start = cover.flights.initial
        self.globals = {g: i for i, g in enumerate(dict.fromkeys((start, *(g for g, _ in self.nodes))))}
        sets = dict.fromkeys((frozenset({cover.flights.start}), *(d for _, d in self.nodes)))
        self.serials = {d: i for i, d in enumerate(sets)}
        self.moves: list[Move] = []
        self.following: dict[tuple[Completion, int], int] = {}
        """Where the serial run can be after a completion, by number."""
        completions: set[Completion] = set()
        entered: set[int] = set()
        for node in cover.nodes:
            global_, serial = node
            for flight in (*sorted(cover.flights.fresh), *cover.at(node)):
                for target, then in cover.flights.steps(flight, global_):
                    if isinstance(target, int) and cover.hopeful is not None and target not in cover.hopeful:
                        continue
                    if (target, then) == (flight, global_):
                        continue
                    self.moves.append((flight, global_, target, then))
                    if isinstance(target, int):
                        entered.add(target)
                    completion = self.commits(flight, target)
                    if completion is not None:
                        completions.add(completion)
                        then_serial = cover.flights.serial_after(serial, *completion)
                        self.following[completion, self.serials[serial]] = self.serials[then_serial]
        self.moves = sorted(set(self.moves), key=self.move_words)
        self.flights = {flight: f"f{i}" for i, flight in enumerate(sorted(entered, key=self.flight_words))}
        self.completions = {completion: i for i, completion in enumerate(sorted(completions))}

    def commits(self, flight: int, target: int | str) -> Completion | None:
        """The completion to which a step commits its request, if it does."""
        response = self.cover.flights.commit(flight, target)
        return None if response is None else (self.cover.flights.known[flight][0], response)

    def counts(self) -> Iterator[str]:
        yield from self.flights.values()
        for index in self.completions.values():
            yield from (f"z{index}", f"s{index}")

    def variables(self) -> Iterator[DeclaredVariable]:
        states = "; ".join(f"{index}: {self.global_words(state)}" for state, index in self.globals.items())
        yield DeclaredVariable(GLOBAL, f"The global state.  {states}", 0)
        sets = "; ".join(
            f"{index}: {' or '.join(sorted(map(self.serial_words, serial)))}"
            for serial, index in self.serials.items()
        )
        yield DeclaredVariable(SERIAL, f"Where the serial run can be.  {sets}", 0)
        for flight, name in self.flights.items():
            effect = self.cover.flights.committed[flight]
            suffix = "" if effect is None else f", which has taken effect and will answer {effect}"
            yield DeclaredVariable(name, f"How many wait: {self.flight_words(flight)}{suffix}", 0)
        for (handler, response), index in self.completions.items():
            yield DeclaredVariable(f"z{index}", f"How many {handler} have been answered {response}", 0)
            yield DeclaredVariable(
                f"s{index}", f"How many {handler} the serial run has answered {response}", 0
            )

    def node_words(self, node: Node) -> tuple[str, list[str]]:
        """Returns words that order nodes: their numbers differ between processes, and so do those of
        moves."""
        return self.global_words(node[0]), sorted(map(self.serial_words, node[1]))

    def move_words(self, move: Move) -> tuple[str, ...]:
        flight, before, target, then = move
        ends = target if isinstance(target, str) else self.flight_words(target)
        return self.global_words(before), self.flight_words(flight), ends, self.global_words(then)

    def global_words(self, global_: int) -> str:
        return state_words(self.cover.flights.globals[global_])

    def serial_words(self, state: int) -> str:
        return state_words(self.cover.flights.states[state])

    def flight_words(self, flight: int) -> str:
        handler, state = self.cover.flights.known[flight]
        return waiting_words(Waiting(handler, *self.cover.flights.reference.description(state)))


def after(completion: Completion, names: CommitNames[State]) -> ScriptDefinition:
    """Where the serial run leads."""
    index = names.completions[completion]
    body = "(- 1)"
    for serial in reversed(names.serials.values()):
        then = names.following.get((completion, serial))
        if then is not None:
            body = f"(ite (= {SERIAL} {serial}) {then} {body})"
    meaning = f"Where the serial run can be after {'/'.join(completion)}."
    return ScriptDefinition(meaning, f"after{index}", (SERIAL,), "Int", body)


def state_answered(completion: Completion, names: CommitNames[State]) -> ScriptPart:
    index = names.completions[completion]
    flights = names.cover.flights
    waiting = [
        name
        for flight, name in names.flights.items()
        if (flights.known[flight][0], flights.committed[flight]) == completion
    ]
    meaning = f"The serial run has answered {'/'.join(completion)} to those that got or will get it."
    return ScriptPart(meaning, f"(= s{index} {linear((1, name) for name in (f'z{index}', *waiting))})")


def nodes_term(names: CommitNames[State]) -> Term:
    """A line for each node."""
    nodes = (node_term(node, names) for node in names.nodes)
    return "\n      ".join(("(or", *nodes, "false)"))


def node_term(node: Node, names: CommitNames[State]) -> Term:
    global_, serial = node
    return conjunction(
        [
            f"(= {GLOBAL} {names.globals[global_]})",
            f"(= {SERIAL} {names.serials[serial]})",
            *_absent(node, names),
            *_apart(node, names),
            *_weigh(node, names),
        ]
    )


def _absent(node: Node, names: CommitNames[State]) -> Iterator[Term]:
    """Requests that cannot be at the node. One that is as good as fresh can be anywhere."""
    possible = names.cover.flights.fresh.union(names.cover.at(node))
    absent = [name for flight, name in names.flights.items() if flight not in possible]
    if absent:
        yield is_none(absent)


def _apart(node: Node, names: CommitNames[State]) -> Iterator[Term]:
    """Pairs of requests that cannot be there together, at level 2."""
    if names.cover.level == 1:
        return
    cover = names.cover
    order = [flight for flight in names.flights if cover.has(node, flight)]
    for index, flight in enumerate(order):
        name = names.flights[flight]
        others = [other for other in order[index + 1 :] if not cover.has_beside(node, flight, other)]
        if others:
            yield f"(or (= {name} 0) {is_none([names.flights[other] for other in others])})"
        if not cover.has_beside(node, flight, flight):
            yield f"(<= {name} 1)"


def _weigh(node: Node, names: CommitNames[State]) -> Iterable[Term]:
    """The weights of all requests in flight add up to what the global state says."""
    weights = names.cover.weights
    for index, room in enumerate(names.cover.room(node[0])):
        total = linear(
            (weights[flight][index], name) for flight, name in names.flights.items() if flight in weights
        )
        yield f"(= {total} {number(room)})"


def steps(move: Move, names: CommitNames[State]) -> Iterator[ScriptStep]:
    """A step, of a fresh request or of one that waits; or of both, if some wait as fresh ones do."""
    flight, before, target, then = move
    handler = names.cover.flights.known[flight][0]
    changes: dict[str, Term] = {}
    if then != before:
        changes[GLOBAL] = str(names.globals[then])
    completion = names.commits(flight, target)
    if completion is not None:
        index = names.completions[completion]
        changes[SERIAL] = f"(after{index} {SERIAL})"
        changes[f"s{index}"] = f"(+ s{index} 1)"
    if isinstance(target, str):
        index = names.completions[handler, target]
        changes[f"z{index}"] = f"(+ z{index} 1)"
        does = f"answers {target}"
    else:
        changes[names.flights[target]] = f"(+ {names.flights[target]} 1)"
        does = f"becomes {names.flight_words(target)}"
    effect = "" if completion is None else f", and takes effect as {'/'.join(completion)}"
    where = f"In {names.global_words(before)},"
    ending = f"{does}, leaving {names.global_words(then)}{effect}."
    at = f"(= {GLOBAL} {names.globals[before]})"
    if flight in names.cover.flights.fresh:
        yield ScriptStep(f"{where} a new `{handler}` {ending}", at, changes)
    if flight in names.flights:
        name = names.flights[flight]
        # Who waits on in the same way is neither more nor less.
        own = {name: name} if target == flight else {name: f"(- {name} 1)"}
        guard = f"(and {at} (>= {name} 1))"
        yield ScriptStep(f"{where} {names.flight_words(flight)} {ending}", guard, changes | own)
