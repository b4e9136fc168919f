"""Builds the core program that models a packet program: one request for each kind of packet.

A read of a register becomes a branch on its value; everything else has been computed.

Kinds of packets that do the same, up to the names of their answers, are one request. Claim: this changes no
verdict. Take a run with packets of both kinds, and rename those of the second kind to the first, with the
corresponding answers. If a one-at-a-time order explains the new run, it gives each answer as often as the new
run does; so its packets can be renamed back to both kinds, as in the old run, and the state after each packet
stays the same.
For the same reason, kinds that touch no register are left out: their answers are always the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.p4.code import Applied, Const, Converted, Either, Get, Prefixed, Sliced, Value
from seriatim.frontends.p4.exploring import Explored, Kind
from seriatim.frontends.p4.kinds import Bool, Enumerated, valid
from seriatim.frontends.p4.parameters import path_text
from seriatim.frontends.p4.slicing import SPEC
from seriatim.frontends.p4.traces import (
    Answer,
    End,
    Enter,
    Fork,
    Lottery,
    Outside,
    Pause,
    Quit,
    Store,
    Then,
    Tree,
)
from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Expression,
    Fault,
    Handler,
    If,
    InitialValue,
    Number,
    Operator,
    Program,
    Read,
    While,
    Yield,
    global_names,
    is_global,
    sequence,
)
from seriatim.source import Span

LARGEST = 1000
"""A register with a larger or negative value stores the numbers of its values, in sorted order, instead."""

OUT_OF_SCOPE = "SER804"


@dataclass(frozen=True, slots=True)
class Model:
    """A program, and the meaning of its requests."""

    program: Program
    kinds: dict[str, tuple[Kind, ...]]
    """The kinds of packets of each request, by its name; the answers are those of the first one."""
    answers: dict[str, tuple[Answer, ...]]
    """The answers of each request, by their numbers."""
    idle: int
    """The number of kinds of packets that touch no register."""
    values: dict[str, tuple[int, ...]]
    """The values of registers, in the order of their numbers."""
    pauses: dict[Span, str]
    """The statement before which a packet pauses, by place."""


class ModelBuilder:
    """Converts trees to expressions."""

    def __init__(self, explored: Explored, lines: list[str], span: Span) -> None:
        self.explored = explored
        self.lines = lines
        self.span = span
        """The place in the source that requests point to."""
        self.answers: dict[Answer, int] = {}
        self.pauses: dict[Span, str] = {}
        self.codes = {
            name: {value: number for number, value in self._number_values(values)}
            for name, values in explored.contents.items()
        }
        self.names: dict[str, dict[int, str]] = {}
        self._written: dict[Tree, Expression] = {}

    @staticmethod
    def _number_values(values: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        is_plain = min(values) >= 0 and max(values) <= LARGEST
        return ((value if is_plain else number, value) for number, value in enumerate(values))

    def build(self) -> Model:
        groups: dict[Expression, list[Kind]] = {}
        answers: dict[Expression, list[Answer]] = {}
        idle: list[Kind] = []
        for kind, tree in self.explored.trees:
            self._written.clear()
            self.answers = {}
            body = self._expression(tree)
            groups.setdefault(body, []).append(kind)
            answers.setdefault(body, list(self.answers))
        for body in [each for each in groups if isinstance(each, Number)]:
            if len(groups) > 1:
                idle += groups.pop(body)
        names = _names(list(groups.values()))
        handlers = tuple(Handler(name, body, self.span) for name, body in zip(names, groups, strict=True))
        program = Program((), handlers)
        program = Program(
            tuple(InitialValue(name, 0, self.span) for name in global_names(program)),
            handlers,
            value_names={name: self.names[name] for name in global_names(program) if name in self.names},
            answer_names={
                name: {number: answer_text(answer) for number, answer in enumerate(answers[body])}
                for name, body in zip(names, groups, strict=True)
            },
        )
        kinds = dict(zip(names, map(tuple, groups.values()), strict=True))
        told = dict(zip(names, (tuple(answers[body]) for body in groups), strict=True))
        return Model(program, kinds, told, len(idle), self.explored.contents, self.pauses)

    def _expression(self, tree: Tree) -> Expression:
        if tree not in self._written:
            self._written[tree] = self._convert(tree)
        return self._written[tree]

    def _convert(self, tree: Tree) -> Expression:
        match tree:
            case End(answer=answer):
                if answer is None:
                    return Number(0, self.span)  # Never reached: a fault comes before.
                return Number(self.answers.setdefault(answer, len(self.answers)), self.span)
            case Lottery(cases=cases, span=span):
                found = self._expression(cases[-1])
                for each in reversed(cases[:-1]):
                    found = If(Choice(span), self._expression(each), found, span)
                return found
            case Fork():
                return self._fork(tree)
            case Then(event=event, next=following):
                return sequence(*self._event(event), self._expression(following))

    def _event(self, event: Pause | Store | Enter | Quit | Outside) -> list[Expression]:
        span = event.span
        match event:
            case Pause():
                self.pauses[span] = self._text(span)
                return [Yield(span)]
            case Store(cell=cell, register=register, value=value):
                self._name(cell, register)
                return [Assign(cell, Number(self.codes[register][value], span), span)]
            case Enter(thread=thread):
                busy: Expression = Binary(Operator.EQUAL, Read(_thread(thread), span), Number(1, span), span)
                return [While(busy, Yield(span), span), Assign(_thread(thread), Number(1, span), span)]
            case Quit(thread=thread):
                return [Assign(_thread(thread), Number(0, span), span)]
            case Outside(register=register, value=value):
                message = f"{register} would become {value}, which is not in its scope"
                return [Fault(OUT_OF_SCOPE, message, span)]

    def _fork(self, fork: Fork) -> Expression:
        """Branches on the value of a cell. The last branch needs no test: the cell has no other values."""
        span, codes = fork.span, self.codes[fork.register]
        self._name(fork.cell, fork.register)
        variable = local_name(fork.variable)
        found = self._expression(fork.cases[-1][1])
        for value, tree in reversed(fork.cases[:-1]):
            test: Expression = Binary(Operator.EQUAL, Read(variable, span), Number(codes[value], span), span)
            found = If(test, self._expression(tree), found, span)
        return sequence(Assign(variable, Read(fork.cell, span), span), found)

    def _name(self, cell: str, register: str) -> None:
        codes = self.codes[register]
        if any(value != code for value, code in codes.items()):
            self.names[cell] = {code: str(value) for value, code in codes.items()}

    def _text(self, span: Span) -> str:
        """The source text of a statement."""
        line = self.lines[span.line - 1]
        return line[span.column - 1 :].strip() if span.line == span.end_line else line.strip()


def _thread(number: int) -> str:
    return f"egress.thread[{number}]"


def local_name(name: str) -> str:
    """The name, in the core, of a local variable that a register is read into."""
    plain = name.partition("[")[0] or "value"
    return plain if not is_global(plain) else plain[0].lower() + plain[1:]


# --- words --------------------------------------------------------------------------------------------------


def _names(groups: list[list[Kind]]) -> list[str]:
    """Names each group of kinds by the parameters that all its kinds share; if that name is not unique, by
    all parameters of its first kind."""
    short = _short_names({each.name for group in groups for kind in group for each, _ in kind.parameters})
    words = [[_words(kind, short) for kind in group] for group in groups]
    shared = [_request_name(_common(group)) for group in words]
    return [
        name if shared.count(name) == 1 else _unique(_request_name(group[0]), shared, place)
        for place, (name, group) in enumerate(zip(shared, words, strict=True))
    ]


def _short_names(names: set[str]) -> dict[str, str]:
    """The shortest unique end of each path, such as `syn` for `hdr.tcp.syn`."""
    found: dict[str, str] = {}
    for name in names:
        path, validity = (name[: -len(valid(""))], valid("")) if name.endswith(valid("")) else (name, "")
        parts = path.split(".")
        ends = [".".join(parts[place:]) + validity for place in range(len(parts) - 1, -1, -1)]
        is_clear = [sum(f".{other}".endswith(f".{end}") for other in names) == 1 for end in ends]
        found[name] = ends[is_clear.index(True)] if True in is_clear else name
    return found


def _words(kind: Kind, short: dict[str, str]) -> dict[str, str]:
    return {each.name: each.describe(value, short[each.name]) for each, value in kind.parameters}


def _unique(name: str, others: list[str], place: int) -> str:
    return name if name not in others else f"{name} #{place + 1}"


def _common(group: list[dict[str, str]]) -> dict[str, str]:
    found = group[0]
    for words in group[1:]:
        found = {name: text for name, text in found.items() if words.get(name) == text}
    return found


def _request_name(words: dict[str, str]) -> str:
    return f"packet({', '.join(words.values())})" if words else "packet"


def answer_text(answer: Answer) -> str:
    """Describes an answer in words."""
    texts: list[str] = []
    for path, value in answer.parts:
        if path == SPEC:
            texts.append("dropped" if value is None else f"port {value_text(value)}")
        else:
            texts.append(f"{path} = {'-' if value is None else value_text(value)}")
    return ", ".join(texts) or "forwarded"


def value_text(value: Value) -> str:
    match value:
        case Const(value=number, kind=Bool()):
            return "true" if number else "false"
        case Const(value=number, kind=Enumerated(members=members)):
            return members[number]
        case Const(value=number):
            return str(number)
        case Get(path=path):
            return path_text(path)
        case Prefixed(operator=operator, operand=operand):
            return f"{operator}{value_text(operand)}"
        case Converted(operand=operand, kind=kind):
            return f"({kind}) {value_text(operand)}"
        case Sliced(operand=operand, high=high, low=low):
            return f"{value_text(operand)}[{high}:{low}]"
        case Either(condition=condition, then=then, otherwise=otherwise):
            return f"({value_text(condition)} ? {value_text(then)} : {value_text(otherwise)})"
        case Applied(operator=operator, left=left, right=right):
            return f"({value_text(left)} {operator} {value_text(right)})"
