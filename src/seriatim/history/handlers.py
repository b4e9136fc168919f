"""A program as a model: each request runs alone, from its start to its answer."""

import json
from ast import literal_eval
from collections.abc import Mapping

from seriatim.budget import Deadline
from seriatim.history.automaton import TooManyStates, explore
from seriatim.history.log import request_text
from seriatim.history.model import Access, Outcome, Part, Request, State, Unfit
from seriatim.program.state import Names
from seriatim.program.syntax import leaves_out
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding, Unfolding


class Handlers:
    """The answers of a system to requests that run alone. States are numbers of global states."""

    def __init__(self, name: str, unfolding: Unfolding, names: Names, max_steps: int) -> None:
        self.name = name
        self.unfolding = unfolding
        self.initial: State = INITIAL_GLOBAL
        self._names: Mapping[str, Mapping[int, str]] = names
        self._max_steps = max_steps
        self._is_large = False
        self._answers: dict[tuple[Request, str], str] = {}
        self._requests = {request_text(each): number for number, each in enumerate(unfolding.requests)}
        handlers = unfolding.content.handlers if isinstance(unfolding, ProgramUnfolding) else ()
        self._unknown = {handler.name for handler in handlers if leaves_out(handler.body)}
        """Handlers whose answers are not known: they may need array cells that are not executed."""
        self._changing: set[tuple[Request, str]] | None = None
        self._known: dict[tuple[State, Request], tuple[Outcome, ...]] = {}

    def request(self, text: str) -> Request:
        """Without arguments, logs may say `left` or `left()`, whatever the program says."""
        number = self._requests.get(request_text(text))
        if number is None:
            known = ", ".join(self.unfolding.requests)
            raise Unfit(f"{self.name} has no request `{text}`; it has {known}")
        if self.unfolding.requests[number] in self._unknown:
            raise Unfit(f"`{text}` may need any cell of an unbounded array, but only a few are executed")
        return number

    def spell(self, request: Request) -> str:
        assert isinstance(request, int)
        return self.unfolding.requests[request]

    def answer(self, request: Request, text: str) -> str:
        """The answer as the program spells it, for its name, or for true or false where the program says 1 or
        0."""
        assert isinstance(request, int)
        known = self._answers.get((request, text))
        if known is None:
            names = self._names.get(self.unfolding.requests[request], {})
            fitting = (str(number) for number, name in names.items() if _means(name, text))
            known = next(fitting, {"true": "1", "false": "0"}.get(text, text))
            self._answers[request, text] = known
        return known

    def say(self, request: Request, answer: str) -> str:
        assert isinstance(request, int)
        names = self._names.get(self.unfolding.requests[request], {})
        return names.get(int(answer), answer) if names else answer

    def part(self, request: Request) -> Part:  # noqa: ARG002 - one part
        return None

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        known = self._known.get((state, request))
        if known is None:
            known = self._known[state, request] = self._run_alone(state, request)
        return known

    def _run_alone(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(state, int)
        unfolding = self.unfolding
        pending = [(start, state) for start in unfolding.starts if unfolding.request_of(start) == request]
        seen = set(pending)
        found: dict[Outcome, None] = {}
        while pending:
            for move in unfolding.moves(*pending.pop()):
                target, after = move
                if target < 0:
                    found[unfolding.completions[~target][1], after] = None
                elif move not in seen:
                    seen.add(move)
                    pending.append(move)
            if len(seen) > self._max_steps:
                raise LimitReached("--max-states", self._max_steps)
        return tuple(sorted(found))

    def only_reads(self, request: Request, answer: str | None) -> bool:
        changing = self._labels_that_change()
        if changing is None:
            return False
        return not any(each == request and answer in (None, said) for each, said in changing)

    def as_register(self, request: Request) -> Access | None:  # noqa: ARG002 - handlers do more
        return None

    def only_grows(self, request: Request) -> bool:  # noqa: ARG002 - not known
        return False

    def hopeless(self, state: State, answer: str) -> bool:  # noqa: ARG002 - not known
        return False

    def all_requests(self) -> tuple[Request, ...] | None:
        return tuple(self._requests.values())

    def _labels_that_change(self) -> set[tuple[Request, str]] | None:
        """The requests with answers that change some state; None if there are too many states to tell."""
        if self._changing is None and not self._is_large:
            try:
                graph = explore(self, tuple(self._requests.values()), Deadline())
            except (TooManyStates, LimitReached):
                self._is_large = True
                return None
            self._changing = {edge.label for edge in graph.edges if edge.source != edge.target}
        return self._changing

    def show(self, part: Part, state: State) -> str:  # noqa: ARG002 - one part
        assert isinstance(state, int)
        names = getattr(self.unfolding, "global_names", ())
        values = self.unfolding.global_values[state]
        if not names or len(names) != len(values):
            return f"state {state}"
        return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def _means(name: str, text: str) -> bool:
    """Whether an answer of a log has this name: it is the same text, or the same value."""
    if text == name:
        return True
    try:
        return bool(literal_eval(name) == _value(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
