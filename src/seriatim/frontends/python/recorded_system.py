"""What turns with recorded integers have shown of a service, as plain data, and as JSON between processes."""

from dataclasses import asdict, dataclass
from typing import Any

from seriatim.frontends.python.recording import Question, Symbol, Term

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request of which some arguments may be any integers."""

    label: str
    parameters: tuple[str, ...]
    examples: tuple[tuple[int, ...], ...]
    """The integers with which it was tried."""


@dataclass(frozen=True, slots=True)
class RecordedLocal:
    """A state of a request."""

    request: int
    answer: str | None
    """The text of its answer, if it is over; recorded integers are holes in it."""
    line: int | None
    waits: str


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """What a request does in a turn, and for which integers."""

    local: int
    state: int
    """Where it is, and the shared state, before."""
    option: int
    """Which of the things it is that it may do."""
    choices: tuple[int, ...]
    tests: tuple[Question | None, ...]
    """What each choice was about: a test of integers (0 if it holds), or something that the world chooses."""
    target: int
    after: int
    """Where it is, and the shared state, afterwards."""
    own: tuple[Term, ...]
    """The integers that it keeps, or those of its answer."""
    shared: tuple[tuple[str, Term], ...]
    """The integers that it has put into places of the shared state."""


@dataclass(frozen=True, slots=True)
class RecordedSystem:
    """The states and moves of a service; the first locals are those of requests that have not begun."""

    requests: tuple[RecordedRequest, ...]
    locals: tuple[RecordedLocal, ...]
    states: tuple[tuple[tuple[str, str], ...], ...]
    """What each shared state is made of, without its recorded integers: digests by name."""
    first: int
    initial: tuple[tuple[str, int], ...]
    """The recorded integers of the first state, by their places."""
    moves: tuple[RecordedMove, ...]
    waiting: tuple[tuple[int, int], ...]
    """The states of requests with shared states in which they have to wait."""
    turns: int
    """How many turns of the real code were taken for it."""


def write_system(system: RecordedSystem) -> Json:
    return asdict(system)


def read_system(told: Json) -> RecordedSystem:
    return RecordedSystem(
        tuple(
            RecordedRequest(each["label"], tuple(each["parameters"]), tuple(map(tuple, each["examples"])))
            for each in told["requests"]
        ),
        tuple(RecordedLocal(**each) for each in told["locals"]),
        tuple(tuple((name, part) for name, part in state) for state in told["states"]),
        told["first"],
        tuple((name, value) for name, value in told["initial"]),
        tuple(map(_read_move, told["moves"])),
        tuple((local, state) for local, state in told["waiting"]),
        told["turns"],
    )


def _read_move(told: Json) -> RecordedMove:
    return RecordedMove(
        told["local"],
        told["state"],
        told["option"],
        tuple(told["choices"]),
        tuple(each and Question(each["is_order"], _read_term(each["term"])) for each in told["tests"]),
        told["target"],
        told["after"],
        tuple(map(_read_term, told["own"])),
        tuple((name, _read_term(term)) for name, term in told["shared"]),
    )


def _read_term(told: Json) -> Term:
    return Term(told["number"], tuple((_read_symbol(symbol), count) for symbol, count in told["parts"]))


def _read_symbol(told: Any) -> Symbol:
    return ("mod", _read_term(told[1]), told[2]) if told[0] == "mod" else tuple(told)
