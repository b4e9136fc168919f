"""The language reference is true of the reference interpreter, the compiled program and `ser check`."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.program.syntax import Program
from seriatim.result import verdict_name
from seriatim.source import InputError
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding
from testkit.oracles.brute_force import (
    Interpreted,
    Outcome,
    Rules,
    interleaved,
    rules_of_unfolding,
    serial,
)
from testkit.running.markdown_blocks import Block, blocks

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
BLOCKS = blocks(PAGE)

_LABEL = r"\w+(?:\(\w+\))?"
"""The name of a request, perhaps with an argument."""

_ANSWER = re.compile(
    rf"(?P<request>{_LABEL})/(?P<response>-?\d+)(?: in (?P<steps>\d+) steps?)?(?:, leaves (?P<left>.+))?"
)
_NO_ANSWER = re.compile(rf"(?P<request>{_LABEL}) never answers")
_PAIR = re.compile(rf"(?P<request>{_LABEL})/(?P<response>-?\d+)(?: ×(?P<count>\d+))?")
_ERROR = re.compile(r"(?P<code>SER\d{3}) in line (?P<line>\d+)")


def programs_with_boxes() -> list[tuple[Block, Block]]:
    """Each example and the box under it."""
    return [
        (block, after)
        for block, after in pairwise(BLOCKS)
        if (block.language, after.language) == ("ser", "text")
    ]


def twins() -> list[tuple[Block, Block]]:
    """Examples side by side, in a row of a table."""
    return [(left, right) for left, right in pairwise(BLOCKS) if right.lead == "</td><td>"]


# What a box says


@dataclass(frozen=True, slots=True)
class Ending:
    """How a request that runs alone can end; what the box does not mention is None."""

    request: str
    response: str
    steps: int | None
    left: tuple[tuple[str, int], ...] | None
    """The globals that the box mentions."""


def fields(box: Block, keyword: str) -> list[str]:
    lines = [line.partition(": ") for line in box.text.splitlines()]
    return [rest for word, _, rest in lines if word == keyword]


def matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    assert match, f"not in the notation of the page: {text}"
    return match


def read_ending(text: str) -> Ending:
    match = matched(_ANSWER, text)
    steps = None if match["steps"] is None else int(match["steps"])
    left = None
    if match["left"] is not None:
        values = (part.split(" = ") for part in match["left"].split(", "))
        left = tuple((name, int(value)) for name, value in values)
    return Ending(match["request"], match["response"], steps, left)


def read_outcome(text: str) -> Outcome:
    pairs = (matched(_PAIR, part) for part in text.split(", "))
    return tuple(
        sorted((pair["request"], pair["response"]) for pair in pairs for _ in range(int(pair["count"] or 1)))
    )


# What a program does


class Meaning(Protocol):
    """What the boxes speak of."""

    def endings(self) -> set[Ending]:
        """All ways in which a request that runs alone can end, with all globals."""

    def serial(self, requests: int) -> frozenset[Outcome]: ...

    def interleaved(self, requests: int) -> frozenset[Outcome]: ...


def alone(rules: Rules) -> dict[tuple[str, str, int], int]:
    """(request, response, global state at the end) to the least number of steps of a request alone."""
    found: dict[tuple[str, str, int], int] = {}
    for request, start in rules.req:
        level, steps = {(start, rules.initial)}, 0
        seen = set(level)
        while level:
            for local, global_ in level:
                for response in rules.responses(local):
                    found.setdefault((request, response, global_), steps)
            level = {after for state in level for after in rules.steps(*state)} - seen
            seen |= level
            steps += 1
    return found


class Interpretation:
    """By the reference interpreter alone."""

    def __init__(self, program: Program) -> None:
        self.interpreted = Interpreted(program)

    def endings(self) -> set[Ending]:
        return {
            Ending(request, response, steps, self.interpreted.globals.items[global_])
            for (request, response, global_), steps in alone(self.interpreted.rules).items()
        }

    def serial(self, requests: int) -> frozenset[Outcome]:
        return serial(self.interpreted.rules, requests)

    def interleaved(self, requests: int) -> frozenset[Outcome]:
        return interleaved(self.interpreted.rules, requests)


class Compilation:
    """By the compiled program and its serial automaton."""

    def __init__(self, program: Program) -> None:
        self.unfolding = ProgramUnfolding(program, Limits())
        self.automaton = SerialAutomaton(self.unfolding, max_states=1_000)

    def endings(self) -> set[Ending]:
        steps = alone(rules_of_unfolding(self.unfolding))
        edges = self.automaton.after(INITIAL_GLOBAL)
        ends = {(*self._pair(completion), after) for completion in edges for after in edges[completion]}
        assert ends == steps.keys()
        return {
            Ending(request, response, steps[request, response, global_], self._globals(global_))
            for request, response, global_ in ends
        }

    def _pair(self, completion: int) -> tuple[str, str]:
        request, response = self.unfolding.completions[completion]
        return self.unfolding.requests[request], response

    def _globals(self, global_: int) -> tuple[tuple[str, int], ...]:
        return tuple(zip(self.unfolding.global_names, self.unfolding.global_values[global_], strict=True))

    def serial(self, requests: int) -> frozenset[Outcome]:
        reached: set[tuple[int, Outcome]] = {(INITIAL_GLOBAL, ())}
        outcomes = set(reached)
        for _ in range(requests):
            reached = {
                (after, tuple(sorted((*done, self._pair(completion)))))
                for global_, done in reached
                for completion, targets in self.automaton.after(global_).items()
                for after in targets
            }
            outcomes |= reached
        return frozenset(done for _, done in outcomes)

    def interleaved(self, requests: int) -> frozenset[Outcome]:
        return interleaved(rules_of_unfolding(self.unfolding), requests)


def as_mentioned(ending: Ending, mentioned: Ending) -> Ending:
    """The ending without what another one does not mention; globals that are 0 may have no entry."""
    steps = None if mentioned.steps is None else ending.steps
    if mentioned.left is None:
        return replace(ending, steps=steps, left=None)
    values = dict(ending.left or ())
    return replace(ending, steps=steps, left=tuple((name, values.get(name, 0)) for name, _ in mentioned.left))


def assert_endings(meaning: Meaning, box: Block, handlers: set[str]) -> None:
    lines = fields(box, "alone")
    if not lines:
        return
    silent = {match["request"] for line in lines if (match := _NO_ANSWER.fullmatch(line))}
    expected = {read_ending(line) for line in lines if not _NO_ANSWER.fullmatch(line)}
    assert {ending.request for ending in expected} | silent == handlers, "the box leaves a handler out"
    example = next(iter(expected), Ending("", "", None, None))
    assert {as_mentioned(ending, example) for ending in meaning.endings()} == expected


def assert_outcomes(meaning: Meaning, box: Block) -> None:
    said = {kind: {read_outcome(line) for line in fields(box, kind)} for kind in ("serial", "interleaved")}
    requests = [sorted(request for request, _ in outcome) for kind in said for outcome in said[kind]]
    assert all(names == requests[0] for names in requests), "a box speaks of the same requests throughout"
    for kind, expected in said.items():
        if expected:
            every = meaning.serial if kind == "serial" else meaning.interleaved
            found = {
                outcome
                for outcome in every(len(requests[0]))
                if sorted(request for request, _ in outcome) == requests[0]
            }
            assert found == expected, kind


def line_of(pair: tuple[Block, Block]) -> str:
    return f"line {pair[0].line}"


EXAMPLES = programs_with_boxes()
ACCEPTED = [(program, box) for program, box in EXAMPLES if not fields(box, "error")]
REFUSED = [(program, box) for program, box in EXAMPLES if fields(box, "error")]


def test_every_program_on_the_page_is_checked() -> None:
    checked = [program for pair in twins() for program in pair] + [program for program, _ in EXAMPLES]
    assert Counter(checked) == Counter(block for block in BLOCKS if block.language == "ser")


def test_every_line_of_a_box_is_checked() -> None:
    known = {"alone", "serial", "interleaved", "verdict", "error"}
    boxes = [block for block in BLOCKS if block.language == "text"]
    assert len(boxes) == len(EXAMPLES)
    assert all(box.text for box in boxes)
    assert {line.partition(": ")[0] for box in boxes for line in box.text.splitlines()} == known


@pytest.mark.parametrize("meaning", [Interpretation, Compilation])
@pytest.mark.parametrize("example", ACCEPTED, ids=line_of)
def test_what_a_box_says_is_what_happens(
    example: tuple[Block, Block], meaning: type[Interpretation] | type[Compilation]
) -> None:
    text, box = example
    program = parse(text.text)
    assert_endings(meaning(program), box, {handler.name for handler in program.handlers})
    assert_outcomes(meaning(program), box)


@pytest.mark.parametrize("example", [pair for pair in ACCEPTED if fields(pair[1], "verdict")], ids=line_of)
def test_a_verdict_is_the_one_of_the_tool(example: tuple[Block, Block]) -> None:
    text, box = example
    decision = decide(parse(text.text), Options(timeout=20))
    assert [verdict_name(decision).replace("_", " ")] == fields(box, "verdict")


@pytest.mark.parametrize("example", REFUSED, ids=line_of)
def test_what_a_box_calls_an_error_is_refused_with_its_code_at_its_line(example: tuple[Block, Block]) -> None:
    text, box = example
    with pytest.raises(InputError) as caught:
        parse(text.text)
    found = [
        f"{diagnostic.code} in line {diagnostic.span.line if diagnostic.span else None}"
        for diagnostic in caught.value.diagnostics
    ]
    assert found == [matched(_ERROR, line)[0] for line in fields(box, "error")]


@pytest.mark.parametrize("pair", twins(), ids=line_of)
def test_programs_side_by_side_are_the_same(pair: tuple[Block, Block]) -> None:
    left, right = pair
    assert parse(left.text) == parse(right.text)
