"""Code that can be left at its pauses and resumed there: how one handler executes several tasks in turn.

Claim: let C be code of the core, whose pauses are numbered in the order of the text. `resumable(C)` with 0 in
`#run` does what C does up to its first pause, and leaves the number of that pause in `at`; with the number
of a pause in `#run` it does what C does from there. In both cases `#run` is 0 afterwards if C has ended,
`PAUSED` if it has come to a pause, and `ANSWERED` if it has answered; then `#answer` has the answer.

Why: while `#run` is not 0, everything without pauses is passed over; an `if` or a `while` with pauses is
entered if the number is that of one of its own, which are consecutive; and where the pause with this number
stands, `#run` becomes 0. Conditions are evaluated only while it is 0.

Locals that nobody reads any more are set to 0 at each pause, so that there are no more states than needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from seriatim.frontends.python.core_code import equal_to, is_equal, join_code
from seriatim.program.syntax import (
    NOWHERE,
    Assign,
    Binary,
    Connective,
    Expression,
    If,
    Logical,
    Number,
    Operator,
    Read,
    Return,
    Sequence,
    While,
    Yield,
    children,
    is_global,
    walk,
    yields,
)
from seriatim.source import Span

RUN = "#run"
ANSWER = "#answer"
PAUSED, ANSWERED = -1, -2


@dataclass(frozen=True, slots=True)
class Resumable:
    """The code of a task, and the places of its pauses: the first has the number 1."""

    code: Expression
    pauses: tuple[Span, ...]
    own: tuple[str, ...]
    """The locals that nobody else reads: they are 0 whenever nobody reads them any more."""

    def forget(self) -> list[Expression]:
        """Sets them to 0, when the task has ended."""
        return [Assign(name, Number(0)) for name in self.own]


def resumable(code: Expression, at: str, own: frozenset[str]) -> Resumable:
    """Code that can be resumed; `own` are the locals that no other task reads or writes."""
    maker = _Maker(at, own)
    maker.find_live(code, frozenset())
    made = maker.make(code)
    return Resumable(made, tuple(maker.pauses), tuple(sorted((*own, *maker.flags()))))


def locals_of(code: Expression) -> frozenset[str]:
    """The locals that code reads or writes."""
    return frozenset(
        part.name for part in walk(code) if isinstance(part, Read | Assign) and not is_global(part.name)
    )


def is_running() -> Expression:
    return is_equal(Read(RUN), 0)


def both(left: Expression, right: Expression) -> Expression:
    return Logical(Connective.AND, left, right)


def either(left: Expression, right: Expression) -> Expression:
    return Logical(Connective.OR, left, right)


class _Maker:
    def __init__(self, at: str, own: frozenset[str]) -> None:
        self.at = at
        self.own = own
        self.pauses: list[Span] = []
        self.live: list[frozenset[str]] = []
        """The locals that are read after each pause, in the order of the text."""
        self.flag_count = 0

    # What is read later

    def find_live(self, code: Expression, after: frozenset[str]) -> frozenset[str]:
        """The locals that are live before some code, given those after it; notes them at its pauses."""
        match code:
            case Yield():
                self.live.append(after)
                return after
            case Read(name=name):
                return after if is_global(name) else after | {name}
            case Assign(name=name, value=value):
                return self.find_live(value, after - {name})
            case Return(value=value):
                return self.find_live(value, frozenset())
            case Sequence(items=items):
                return self._backwards(items, after)
            case If(condition=condition, then=then, otherwise=otherwise):
                return self._branches(condition, then, otherwise, after)
            case While():
                return self._loop(code, after)
            case _:
                return self._backwards(children(code), after)

    def _backwards(self, items: tuple[Expression, ...], after: frozenset[str]) -> frozenset[str]:
        """Pauses are noted from the last to the first, and put in order."""
        noted: list[list[frozenset[str]]] = []
        for item in reversed(items):
            after, found = self._apart(item, after)
            noted.append(found)
        for found in reversed(noted):
            self.live += found
        return after

    def _apart(self, code: Expression, after: frozenset[str]) -> tuple[frozenset[str], list[frozenset[str]]]:
        outer, self.live = self.live, []
        before = self.find_live(code, after)
        found, self.live = self.live, outer
        return before, found

    def _branches(
        self, condition: Expression, then: Expression, otherwise: Expression | None, after: frozenset[str]
    ) -> frozenset[str]:
        yes, first = self._apart(then, after)
        no, second = (after, []) if otherwise is None else self._apart(otherwise, after)
        before, tested = self._apart(condition, yes | no)
        self.live += [*tested, *first, *second]
        return before

    def _loop(self, loop: While[Expression], after: frozenset[str]) -> frozenset[str]:
        head = after
        while True:
            body, inside = self._apart(loop.body, head)
            before, tested = self._apart(loop.condition, after | body)
            if before <= head:
                self.live += [*tested, *inside]
                return before | head
            head = head | before

    # Code

    def make(self, code: Expression) -> Expression:
        """The code, to be passed over, resumed or executed, for what it does."""
        match code:
            case Yield(span=span):
                return self.pause(span)
            case Return(value=value, span=span):
                answer = join_code([Assign(ANSWER, value, span), Assign(RUN, Number(ANSWERED))])
                return If(is_running(), answer)
            case Sequence(items=items) if self.must_split(code):
                return join_code([self.make(part) for part in self.stretches(items)])
            case If(condition=condition, then=then, otherwise=otherwise) if self.must_split(code):
                return self.make_branch(condition, then, otherwise, self.make)
            case While() if self.must_split(code):
                return self.make_loop(code)
            case _:
                assert not self.must_split(code)
                return If(is_running(), code)

    def stretches(self, items: tuple[Expression, ...]) -> Iterator[Expression]:
        """Statements without pauses that follow each other are one."""
        for is_split, group in groupby(items, self.must_split):
            if is_split:
                yield from group
            else:
                yield join_code(list(group))

    @staticmethod
    def must_split(code: Expression) -> bool:
        return yields(code) or any(isinstance(part, Return) for part in walk(code))

    def pause(self, span: Span) -> Expression:
        self.pauses.append(span)
        number = len(self.pauses)
        dead = sorted(self.own - self.live[number - 1])
        leave: list[Expression] = [
            *(Assign(name, Number(0)) for name in dead),
            Assign(self.at, Number(number)),
            Assign(RUN, Number(PAUSED)),
        ]
        here = If(equal_to(Read(RUN), number, NOWHERE), Assign(RUN, Number(0)))
        return If(is_running(), join_code(leave), here)

    def number_part(self, make: Callable[[], Expression]) -> tuple[Expression, Expression]:
        """Some code, and whether it is one of its pauses that is looked for."""
        first = len(self.pauses) + 1
        code = make()
        last = len(self.pauses)
        if last < first:
            return code, Number(0)
        low: Expression = Binary(Operator.GREATER_EQUAL, Read(RUN), Number(first))
        return code, both(low, Binary(Operator.LESS_EQUAL, Read(RUN), Number(last)))

    def flag(self) -> str:
        self.flag_count += 1
        return f"{self.at} flag {self.flag_count}"

    def flags(self) -> list[str]:
        return [f"{self.at} flag {number}" for number in range(1, self.flag_count + 1)]

    def make_branch(
        self,
        condition: Expression,
        then: Expression,
        otherwise: Expression | None,
        make: Callable[[Expression], Expression],
    ) -> Expression:
        flag = self.flag()
        yes, in_yes = self.number_part(lambda: make(then))
        no, in_no = self.number_part(lambda: make(Number(0) if otherwise is None else otherwise))
        test = If(is_running(), Assign(flag, condition))
        enters_yes = either(both(is_running(), Read(flag)), in_yes)
        return join_code([test, If(enters_yes, yes, If(either(is_running(), in_no), no))])

    def make_loop(self, loop: While[Expression]) -> Expression:
        """A loop goes on while a flag is set, which is also set to resume it."""
        goes_on, value = self.flag(), self.flag()
        test, in_test = self.number_part(lambda: self.keep_value(loop.condition, value))
        body, in_body = self.number_part(lambda: self.make(loop.body))
        round_: list[Expression] = [
            If(either(is_running(), in_test), test),
            If(is_running(), Assign(goes_on, Binary(Operator.UNEQUAL, Read(value), Number(0)))),
            If(either(both(is_running(), Read(goes_on)), in_body), body),
            If(Binary(Operator.UNEQUAL, Read(RUN), Number(0)), Assign(goes_on, Number(0))),
        ]
        whole = join_code([Assign(goes_on, Number(1)), While(Read(goes_on), join_code(round_), loop.span)])
        return If(either(is_running(), either(in_test, in_body)), whole)

    def keep_value(self, code: Expression, name: str) -> Expression:
        """The code, with its value in a local."""
        match code:
            case Sequence(items=(*first, last)):
                return join_code([*(self.make(item) for item in first), self.keep_value(last, name)])
            case If(condition=condition, then=then, otherwise=otherwise) if self.must_split(code):
                return self.make_branch(condition, then, otherwise, lambda part: self.keep_value(part, name))
            case _:
                assert not self.must_split(code)
                return If(is_running(), Assign(name, code))
