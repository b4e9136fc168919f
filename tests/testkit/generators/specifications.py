"""Random specifications of small inputs: made up, or what serial runs do with some states taken for one.

Each step is drawn by itself, from a number and from what it is about. So a smaller input with the same
number has the same specification, as far as it has the same completions.
"""

from collections.abc import Iterable, Iterator
from random import Random

from seriatim.frontends.ser.specification import read_specification
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.source import SourceText
from testkit.oracles.brute_force import Completion, Interpreted, Rules, TooLarge
from testkit.oracles.histories import Following, alone

MOST_STATES = 3
MOST_SERIAL_STATES = 30


def random_specification(letters: Iterable[Completion], number: int) -> Specification:
    """An automaton with a few states, not always deterministic."""
    states = range(Random(number).randint(1, MOST_STATES))
    steps = (
        f'q{state} -> q{target}: "{request}"/"{answer}";'
        for state in states
        for request, answer in letters
        for target in targets(Random(f"{number} {state} {request}/{answer}"), states)
    )
    return automaton(0, steps)


def targets(random: Random, states: range) -> Iterator[int]:
    for _ in range(random.choice((0, 1, 1, 1, 1, 2))):
        yield random.choice(states)


def coarse_specification(rules: Rules, number: int) -> Specification:
    """What serial runs answer, and more: some global states, or none, are taken for one another.

    Raises `TooLarge` if there are many.
    """
    classes = Random(number).choice((1, 2, 3, None))
    found = [rules.initial]
    steps: list[str] = []
    for state in found:
        for request in sorted({request for request, _ in rules.req}):
            for answer, after in alone(rules)(state, request):
                assert isinstance(after, int)
                if after not in found:
                    found.append(after)
                source, target = (coarse(number, classes, each) for each in (state, after))
                steps.append(f'q{source} -> q{target}: "{request}"/"{answer}";')
        if len(found) > MOST_SERIAL_STATES:
            raise TooLarge
    return automaton(coarse(number, classes, rules.initial), dict.fromkeys(steps))


def coarse(number: int, classes: int | None, state: int) -> int:
    return state if classes is None else Random(f"{number} {state}").randrange(classes)


def automaton(initial: int, steps: Iterable[str]) -> Specification:
    return read_specification(SourceText("random", f"spec {{ init q{initial}; {' '.join(steps)} }}"))


def allowed_by(specification: Specification) -> tuple[object, Following]:
    """What may be answered when, by definition: from which state on, and what follows."""
    meaning = specification.meaning
    if not isinstance(meaning, SpecificationAutomaton):
        rules = Interpreted(meaning).rules
        return rules.initial, alone(rules)
    steps = meaning.steps
    return meaning.initial, lambda state, request: (
        (step.response, step.target) for step in steps if (step.source, step.request) == (state, request)
    )
