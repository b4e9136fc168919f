"""The network system of a service, read off from its runs: every turn of every request that can occur.

A move (l, g) -> (l', g') is a turn of the real code: a request in state l, the shared state g, both as forms
(`canonical.py`), and what they are after one callback (`turns.py`). Each turn is taken in a copy of a process
in which the moment really occurs. Nothing is ever set back, so nothing can be set back wrongly.

The moves are closed under "can occur together", for any number of requests: `cover` computes, from the moves
that are known, which pairs (l, g) can occur together; the witness of a pair that is not known yet is played
in a fresh copy of the first moment, and its turns are taken. At the end, no pair is unknown.

Claim: if `close` returns a system, then each run of any number of these requests, with answers of the world
that were tried, is a run of the system, as far as forms tell everything. A request that runs alone behaves in
the system exactly as in reality. Two things are checked all along, and end the search where they fail: no
turn of a request changes the form of another one; a pair that occurs again goes on as before.
"""

import asyncio
import mmap
import os
import pickle
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from seriatim.frontends.python.canonical import Unseen, digest
from seriatim.frontends.python.covering import (
    Moves,
    Need,
    Pair,
    Step,
    TooManyMoments,
    cover,
    depends_on_loose,
    is_closed,
    is_covered,
    unknown_pairs,
    witnesses,
)
from seriatim.frontends.python.places import Places
from seriatim.frontends.python.recording import RECORDER, Question, Term, symbol_term
from seriatim.frontends.python.sandbox import GUARD, Refusal, end_with_parent
from seriatim.frontends.python.turns import Option, Turns

MOST_TURNS = 3_000
"""Turns that are taken; a count, so that the same file gets the same answer everywhere."""

MOST_GLOBALS, MOST_LOCALS = 250, 800
MOST_NEEDS = 15_000
"""What has to be there before a pair occurs: most that is looked at to find a witness."""

MOST_TOGETHER = 6
"""Requests in a witness."""

TOGETHER_AT_FIRST = 3
"""Requests that are in flight together while turns are tried depth first."""

CHECKS = 24
"""Most ways that are played again, each by random turns; fewer where there are few moves."""

LONGEST_CHECK = 40
"""Turns of such a way."""

DEEPEST = 150
"""Processes that wait for each other."""


class TooMany(Exception):
    """The states grow beyond what is tried; says which."""


@dataclass(frozen=True)
class Move:
    """What a request does in a turn, and where that leads."""

    local: str
    state: str
    option: Option
    choices: tuple[int, ...]
    tests: tuple[Question | None, ...] = ()
    """What was asked about recorded integers, for each choice; None where the world has chosen."""
    own: tuple[Term, ...] = ()
    """The integers that the request keeps, or those of its answer."""
    shared: tuple[tuple[str, Term], ...] = ()
    """The integers that places of the shared state have got."""

    @property
    def target(self) -> Pair:
        return self.local, self.state


@dataclass(frozen=True)
class LocalText:
    """What to say about a state of a request."""

    request: int
    answer: str | None
    """What it has answered, if it is over."""
    line: int | None
    waits: str


@dataclass
class Knowledge:
    """What is known about the turns of a service."""

    moves: dict[Pair, tuple[Move, ...]] = field(default_factory=dict)
    locals: dict[str, LocalText] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    parts: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """What the shared states are made of: digests of the objects, by name."""
    numbers: frozenset[str] = frozenset()
    """What cannot be recorded, by its sources."""
    wanted: frozenset[str] = frozenset()
    """Places that have to be recorded from the beginning."""
    complaint: str = ""
    """Why no system can be made."""

    def add(self, other: "Knowledge") -> None:
        for pair, moves in other.moves.items():
            known = self.moves.setdefault(pair, moves)
            if {effect(each) for each in known} != {effect(each) for each in moves}:
                self.complaint = self.complaint or DEPENDS
        self.locals |= other.locals
        self.states |= other.states
        self.parts |= other.parts
        self.numbers |= other.numbers
        self.wanted |= other.wanted
        self.complaint = self.complaint or other.complaint
        if len(self.states) > MOST_GLOBALS:
            self.complaint = self.complaint or f"there are more than {MOST_GLOBALS} shared states"
        if len(self.locals) > MOST_LOCALS:
            self.complaint = self.complaint or f"there are more than {MOST_LOCALS} states of requests"


def effect(move: Move) -> tuple[object, ...]:
    """What a move does, and for which integers."""
    if not (move.own or move.shared or any(move.tests)):
        return move.target
    return move.target, move.choices, move.tests, move.own, move.shared


class Meter:
    """The CPU time of this process and of all its copies, which run one at a time."""

    def __init__(self) -> None:
        self.shared = mmap.mmap(-1, 8)
        self.noted = 0
        """What this process has added so far."""

    def note(self) -> float:
        """Adds what this process has used; returns the seconds of all."""
        used = time.process_time_ns()
        total = self.total + used - self.noted
        self.shared[:8], self.noted = total.to_bytes(8, "little"), used
        return total / 1e9

    @property
    def total(self) -> int:
        """The nanoseconds that processes have added."""
        return int.from_bytes(self.shared[:8], "little")


METER = Meter()
STALLED = 120.0
"""Seconds after which copies that have used no CPU time wait for ever. Each notes what it uses many times a
second, so this is no limit of work, however busy the machine is."""


@dataclass(frozen=True)
class Limit:
    """When turns have to end at the latest. Most end by their count."""

    seconds: float
    """By the CPU time of all copies."""

    @property
    def is_reached(self) -> bool:
        return METER.note() > self.seconds


def latest(seconds: float) -> Limit:
    """The limit of turns that may take so many CPU seconds."""
    return Limit(METER.note() + seconds)


DEPENDS = "what a request does depends on more than the state that can be seen"


def start_of(index: int) -> str:
    """The local state of a request that has not arrived yet."""
    return f"start {index}"


class Closer:
    """Takes turns in copies of this process, until the moves are closed."""

    def __init__(
        self,
        turns: Turns,
        file: str,
        tell_state: Callable[[], str],
        find_change: Callable[[], str | None],
        ends: Limit,
        places: Places,
        *,
        alone: bool = False,
    ) -> None:
        self.alone = alone
        """Whether only requests that come one at a time count."""
        self.places = places
        self.own: tuple[Term, ...] = ()
        self.assigned: tuple[tuple[str, Term], ...] = ()
        """The recorded integers that the last turn has left behind."""
        self.turns, self.file, self.tell_state, self.find_change = turns, file, tell_state, find_change
        self.known = Knowledge()
        self.learned = Knowledge()
        """What this process has found out itself, and its parent does not know yet."""
        self.counter = mmap.mmap(-1, 8)
        self.ends = ends
        self.depth = 0
        turns.shared.see()
        turns.shared.first = tuple(sorted(turns.shared.objects))
        places.start()
        self.state = self.first = self.look()
        """The shared state now, and at the start."""
        self.last_key = ""
        self.longest = LONGEST_CHECK
        self._note_state()

    # A turn

    def look(self) -> str:
        """The key of the shared state, with what is held by requests."""
        shared = self.turns.shared
        shared.has_stray = False
        self.forms = shared.see()
        if shared.has_stray:
            raise Unseen("an integer of the shared state is kept where it cannot be recorded")
        return digest((tuple(sorted(self.forms.items())), tuple(sorted(shared.holders.items()))))

    def _note_state(self) -> None:
        """Notes what to say about the shared state."""
        if self.state in self.known.states:
            return
        self.known.states[self.state] = self.learned.states[self.state] = self.tell_state()
        if RECORDER.is_on:
            parts = {name: digest(form) for name, form in self.forms.items()}
            parts |= {f"holders of {name}": str(count) for name, count in self.turns.shared.holders.items()}
            self.known.parts[self.state] = self.learned.parts[self.state] = tuple(sorted(parts.items()))

    def settle(self, index: int) -> None:
        """After a turn of a request: sees the states, and checks what has to stay as it is."""
        turns = self.turns
        live = turns.current
        assert live is not None
        over = turns.has_ended(live)
        if turns.alarm or GUARD.complaint:
            raise Unseen(turns.alarm or GUARD.complaint or "")
        turns.shared.see()
        self.assigned = self.places.separate()
        if over:
            turns.live.remove(live)
            key, held = digest(("end", index, live.answer)), frozenset[str]()
            self.own = live.answer_terms
        else:
            if live.answer_terms:
                raise Unseen("an integer is answered before the request has ended")
            if turns.waits_within_limit(live):
                raise Unseen("a limit of time may be reached where requests wait for each other")
            key, held = turns.local_form(live, index)
            self.own = tuple(each.term for each in live.integers)
            for number, each in enumerate(live.integers):
                each.term = symbol_term("own", number)
        turns.shared.hold(live.held, held)
        self.state = self.look()
        live.key, live.held = key, held
        self.last_key = key
        for other in turns.live:
            if other is not live and turns.local_form(other, self.index_of(other)) != (other.key, other.held):
                raise Unseen("one request changes what belongs to another one")
        change = self.find_change()
        if change:
            raise Unseen(change)
        if key not in self.known.locals:
            line, waits = (None, "") if over else turns.place(live, self.file)
            text = LocalText(index, live.answer if over else None, line, waits)
            self.known.locals[key] = self.learned.locals[key] = text
        self._note_state()
        turns.current = None

    def index_of(self, live: Any) -> int:
        return self.turns.requests.index(live.request)

    def act(self, number: int | None, index: int, option: Option, prefix: tuple[int, ...]) -> None:
        """Takes a turn in this process: of a request in flight, or of one that arrives."""
        turns = self.turns
        turns.prefix, turns.choices, turns.tests = prefix, [], []
        asyncio.events._set_running_loop(turns.loop)  # It is known by the number of the process.
        GUARD.is_active = True
        try:
            live = turns.start(index) if number is None else turns.live[number]
            turns.take(live, option)
        finally:
            GUARD.is_active = False
        self.settle(index)

    # Turns in copies

    def explore(self) -> None:
        """Takes all turns from this moment that are not known, and goes on from there, depth first."""
        turns = self.turns
        while not self.known.complaint:
            numbers: list[int | None] = list(range(len(turns.live)))
            most = 1 if self.alone else TOGETHER_AT_FIRST
            arrivals = range(len(turns.requests)) if len(turns.live) < most else ()
            todo = [(number, self.index_of(turns.live[number])) for number in numbers if number is not None]
            found = next(
                (
                    (number, index, self.key_of(number, index))
                    for number, index in [*todo, *((None, index) for index in arrivals)]
                    if (self.key_of(number, index), self.state) not in self.known.moves
                ),
                None,
            )
            if found is None:
                return
            number, index, key = found
            self.take_all(number, index, key)

    def key_of(self, number: int | None, index: int) -> str:
        return start_of(index) if number is None else self.turns.live[number].key

    def take_all(self, number: int | None, index: int, key: str) -> None:
        """All turns of a request at this moment, each in a copy that goes on exploring."""
        pair = (key, self.state)
        options = [Option("start")] if number is None else self.turns.options(self.turns.live[number])
        moves: list[Move] = []
        # The pair counts as known in the copies, so that a loop ends.
        self.known.moves[pair] = ()
        for option in options:
            stack: list[tuple[int, ...]] = [()]
            while stack:
                prefix = stack.pop()
                taken, move, learned = self.in_copy(number, index, option, prefix)
                if move is not None:
                    moves.append(move)
                self.known.add(learned)
                self.learned.add(learned)
                if self.known.complaint:
                    return
                choices = tuple(choice for choice, _ in taken)
                for position in range(len(prefix), len(taken)):
                    stack += [(*choices[:position], other) for other in range(1, taken[position][1])]
        found = tuple(moves)
        self.known.moves[pair] = self.learned.moves[pair] = found

    def in_copy(
        self, number: int | None, index: int, option: Option, prefix: tuple[int, ...]
    ) -> tuple[list[tuple[int, int]], Move | None, Knowledge]:
        """A turn in a copy of this process: its choices, where it leads, and what was learned after it."""
        self._count()

        def work() -> Any:
            self.depth += 1
            self.learned = Knowledge()
            turns, move = self.turns, None
            try:
                self.act(number, index, option, prefix)
                taken = list(turns.choices)
                choices = tuple(choice for choice, _ in taken)
                tests = tuple(turns.tests)
                move = Move(self.last_key, self.state, option, choices, tests, self.own, self.assigned)
                if self.depth < DEEPEST:
                    self.explore()
            except (Unseen, Refusal, TooMany) as unseen:
                self._note_failure(unseen)
                taken = list(turns.choices)
            return taken, move, self.learned

        found: tuple[list[tuple[int, int]], Move | None, Knowledge] = in_copy(work)
        return found

    def _note_failure(self, failed: BaseException) -> None:
        self.learned.complaint = str(failed)
        self.learned.numbers |= RECORDER.sources
        self.learned.wanted |= self.places.wanted

    def check_time(self) -> None:
        """Raises `TooMany` if it has taken too long."""
        if self.ends.is_reached:
            raise TooMany("it takes too long to try all turns")

    @property
    def count(self) -> int:
        """How many turns were taken."""
        return int.from_bytes(self.counter[:8], "little")

    def _count(self) -> None:
        count = self.count + 1
        self.counter[:8] = count.to_bytes(8, "little")
        if count > MOST_TURNS:
            raise TooMany(f"after {MOST_TURNS:,} turns, it was enough")
        self.check_time()

    # Closing

    @property
    def moves(self) -> Moves:
        """What is known, for `covering`."""
        targets = {pair: tuple(each.target for each in moves) for pair, moves in self.known.moves.items()}
        starts = tuple(start_of(index) for index in range(len(self.turns.requests)))
        return Moves(targets, starts, lambda local: self.known.locals[local].answer is not None, self.alone)

    def close(self) -> Moves:
        """Takes turns until no pair that can occur together is unknown; raises `Unseen` and `TooMany`."""
        self.explore()
        while True:
            self._complain()
            self.check_time()
            moves = self.moves
            try:
                found = cover(moves, self.first, self.check_time)
            except TooManyMoments:
                raise TooMany("there are too many ways in which requests meet") from None
            wanted = unknown_pairs(moves, found)
            if not wanted:
                assert is_closed(moves, self.first, found)
                break
            if not self._explore_at(moves, wanted, partial(is_covered, found)):
                raise TooMany(f"some states need more than {MOST_TOGETHER} requests to occur together")
        self._play_again()
        loose = {
            (*pair, *move.target)
            for pair, all_moves in self.known.moves.items()
            for move in all_moves
            if move.option.is_loose
        }
        if depends_on_loose(moves, self.first, loose):
            raise Unseen("whether a request goes on alone depends on whom asyncio wakes up")
        return moves

    def _complain(self) -> None:
        if self.known.complaint:
            raise Unseen(self.known.complaint)

    def _explore_at(self, moves: Moves, wanted: set[Pair], can_occur: Callable[[Need], bool]) -> bool:
        """Takes the turns of unknown pairs, at moments in which they occur; returns whether one was found."""
        has_found = False
        for pair, steps in witnesses(moves, self.first, wanted, can_occur, MOST_TOGETHER, MOST_NEEDS):
            if pair in self.known.moves:
                continue
            has_found = True
            learned = in_copy(partial(self._explore_after, steps))
            assert isinstance(learned, Knowledge)
            self.known.add(learned)
            self._complain()
        return has_found

    def _explore_after(self, steps: Sequence[Step]) -> Knowledge:
        self.learned = Knowledge()
        try:
            for local, state, number in steps:
                self.play(local, self.known.moves[local, state][number])
            self.explore()
        except (Unseen, Refusal, TooMany) as unseen:
            self._note_failure(unseen)
        return self.learned

    def play(self, local: str, move: Move) -> None:
        """Takes a turn that is known, in this process; it has to lead where it led."""
        live = self.turns.live
        number = next((number for number, each in enumerate(live) if each.key == local), None)
        index = self.index_of(live[number]) if number is not None else int(local.removeprefix("start "))
        self.act(number, index, move.option, move.choices)
        if (self.last_key, self.state, self.own, self.assigned) != (*move.target, move.own, move.shared):
            raise Unseen(DEPENDS)

    def _play_again(self) -> None:
        """Plays random ways through the moves, each in a copy: every turn has to lead where it led."""
        moves = sum(map(len, self.known.moves.values()))
        self.longest = min(LONGEST_CHECK, 10 + moves)
        for number in range(min(CHECKS, 4 + moves // 2)):
            learned = in_copy(partial(self._play_randomly, Random(number)))
            assert isinstance(learned, Knowledge)
            self.known.add(learned)
            self._complain()

    def _play_randomly(self, random: Random) -> Knowledge:
        self.learned = Knowledge()
        try:
            for _ in range(self.longest):
                locals_ = [each.key for each in self.turns.live]
                if len(locals_) < 4:
                    locals_ += [start_of(index) for index in range(len(self.turns.requests))]
                local = random.choice(locals_)
                moves = self.known.moves.get((local, self.state), ())
                if moves:
                    self.play(local, random.choice(moves))
        except (Unseen, Refusal) as unseen:
            self._note_failure(unseen)
        return self.learned


def in_copy(work: Callable[[], Any], ends: Limit | None = None) -> Any:
    """Does work in a copy of this process; raises `Unseen` if that ends early, or waits for ever.

    With a limit, the copy and all copies of it are a group of their own, which is ended as a whole.
    """
    reading, writing = os.pipe()
    METER.note()
    child = os.fork()
    if child == 0:
        end_with_parent()
        METER.noted = 0  # The clock of a new process starts at 0.
        os.close(reading)
        if ends is not None:
            os.setpgid(0, 0)
        status = 0
        try:
            data = pickle.dumps(work())
        except Unseen as unseen:
            data = pickle.dumps(unseen)
        except BaseException as error:  # noqa: BLE001 - the user's code may raise anything
            data = pickle.dumps(Unseen(f"{type(error).__name__}: {error}"))
        METER.note()
        try:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(data)
        finally:
            os._exit(status)
    os.close(writing)
    if ends is not None:
        data = _read_while_working(reading)
        for end in (partial(os.killpg, child, signal.SIGKILL), partial(os.kill, child, signal.SIGKILL)):
            with suppress(ProcessLookupError, PermissionError):
                end()
        os.waitpid(child, 0)
        if not data:
            raise Unseen("it takes too long to try all turns")
        return pickle.loads(data)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.kill(child, signal.SIGKILL)  # It has told everything; finalizers of the user's code may go on.
    os.waitpid(child, 0)
    if not data:
        raise Unseen("the process of a turn has ended early")
    found = pickle.loads(data)
    if isinstance(found, Unseen):
        raise found
    return found


def _read_while_working(reading: int) -> bytes:
    """What comes through a pipe until it is closed; nothing if nobody works any more."""
    parts: list[bytes] = []
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while True:
            used = METER.total
            if select.select([pipe], [], [], STALLED)[0]:
                part = pipe.read(1 << 16)
                if not part:
                    return b"".join(parts)
                parts.append(part)
            elif METER.total == used:
                return b""
