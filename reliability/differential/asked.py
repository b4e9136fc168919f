"""What is asked about a subject beside serializability of its answers; its number draws the parameters."""

from collections.abc import Iterator
from random import Random

from differential.facts import Facts
from seriatim.frontends.ser.specification import read_specification
from seriatim.method import Method
from seriatim.program.semantics import Unbounded
from seriatim.program.specification import Specification
from seriatim.program.syntax import Program, global_names
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.properties.strict import StrictSerializability
from seriatim.source import SourceText
from testkit.generators.specifications import coarse_specification, random_specification
from testkit.oracles.brute_force import TooLarge

MOST_BARRIERS = 2

OTHER_METHODS = (Method.COMMIT, Method.STATE_EQUATION, Method.CHAINS, Method.SEARCH, Method.MODULAR)
"""For questions about outcomes; the paper's method answers none but the first."""

Asked = tuple[Property, Method]


def asked(facts: Facts) -> Iterator[Asked]:
    """Each question in the usual way, some by a single method as well; implications hold between many."""
    random = Random(facts.subject.number)
    barriers = random.randrange(MOST_BARRIERS)
    questions: list[Property] = [
        SERIALIZABILITY,
        Serializability("all"),
        *observed_variables(facts, random),
        ConflictSerializability(),
        StrictSerializability(barriers),
        StrictSerializability(barriers + 1),
    ]
    specification = a_specification(facts, random)
    if specification is not None:
        questions += [
            Linearizability(specification, random.randrange(MOST_BARRIERS + 1)),
            Linearizability(specification, random.randrange(MOST_BARRIERS + 1), pending=True),
            StaticLinearizability(specification),
        ]
    yield from ((question, Method.AUTO) for question in questions)
    for question in random.sample(questions[1:], 2):
        if isinstance(question, Serializability | StrictSerializability | Linearizability):
            yield question, random.choice(OTHER_METHODS)
    yield DEADLOCK_FREEDOM, Method.AUTO


def observed_variables(facts: Facts, random: Random) -> Iterator[Serializability]:
    names = global_names(facts.content) if isinstance(facts.content, Program) else ()
    if len(names) > 1:
        yield Serializability(tuple(sorted(random.sample(names, random.randrange(1, len(names))))))


def a_specification(facts: Facts, random: Random) -> Specification | None:
    """The serial runs of a program itself, or an automaton; None if nobody knows what it could speak of."""
    known = facts.enumerated
    if known is None:
        return None
    letters = sorted({completion for outcome in known.interleaved for completion in outcome})
    number = facts.subject.number
    drawn = random.random()
    if drawn < 0.3 or not letters:
        return random_specification(letters, number)
    if drawn < 0.6 and isinstance(facts.content, Program):
        return read_specification(SourceText("itself", facts.subject.text))
    try:
        return coarse_specification(facts.rules(), number)
    except (TooLarge, Unbounded):
        return random_specification(letters, number)
