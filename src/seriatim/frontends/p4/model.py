"""The program of the core that stands for a packet program: a request for each kind of packet.

A read of a register becomes a branch on its value; everything else has been computed.

Kinds of packets that do the same, up to the names of their answers, are one request. Claim: this changes no
verdict. Take a run with packets of both kinds, and call those of the second kind by the first, with the
answers that correspond. If a one-at-a-time order explains the new run, as many packets give each answer there
as in the run; so they can be called by both kinds again, as in the run, and the state after each is the same.
For the same reason, kinds that touch no register are left out: their answers are always the same.
"""

from collections.abc import Iterator

from seriatim.frontends.p4.code import Applied, Const, Converted, Either, Get, Prefixed, Sliced, Value
from seriatim.frontends.p4.exploring import Explored, Kind
from seriatim.frontends.p4.kinds import Bool, Enumerated, valid
from seriatim.frontends.p4.parameters import shown_path
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
from seriatim.frozen import frozen
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
"""Registers with larger values hold their numbers in the list of values instead."""

OUT_OF_SCOPE = "SER804"


@frozen
class Model:
    """A program, and the meaning of its requests."""

    program: Program
    kinds: dict[str, tuple[Kind, ...]]
    """The kinds of packets of each request, by its name; the answers are those of the first one."""
    answers: dict[str, tuple[Answer, ...]]
    """The answers of each request, by their numbers."""
    idle: int
    """How many kinds of packets touch no register."""
    values: dict[str, tuple[int, ...]]
    """The values of registers, in the order of their numbers."""
    pauses: dict[Span, str]
    """What comes next where a packet pauses."""


class ModelBuilder:
    """Writes trees down as expressions."""

    def __init__(self, explored: Explored, lines: list[str], span: Span) -> None:
        self.explored = explored
        self.lines = lines
        self.span = span
        """Where packets come from, for requests."""
        self.answers: dict[Answer, int] = {}
        self.pauses: dict[Span, str] = {}
        self.codes = {
            name: {value: number for number, value in self._numbered(values)}
            for name, values in explored.contents.items()
        }
        self.names: dict[str, dict[int, str]] = {}
        self._written: dict[Tree, Expression] = {}

    @staticmethod
    def _numbered(values: tuple[int, ...]) -> Iterator[tuple[int, int]]:
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
            self._written[tree] = self._of(tree)
        return self._written[tree]

    def _of(self, tree: Tree) -> Expression:
        match tree:
            case End(answer=answer):
                if answer is None:
                    return Number(0, self.span)  # After a fault, which no request passes.
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
        """Branches on the value of a cell. The last one needs no test: there are no other values."""
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
        """A statement as the source has it."""
        line = self.lines[span.line - 1]
        return line[span.column - 1 :].strip() if span.line == span.end_line else line.strip()


def _thread(number: int) -> str:
    return f"egress.thread[{number}]"


def local_name(name: str) -> str:
    """The core's name of a local variable that a register is read to."""
    plain = name.partition("[")[0] or "value"
    return plain if not is_global(plain) else plain[0].lower() + plain[1:]


# --- words --------------------------------------------------------------------------------------------------


def _names(groups: list[list[Kind]]) -> list[str]:
    """A name for each group of kinds: the parameters that all of them share, as far as that tells the groups
    apart; otherwise all parameters of the first one."""
    short = _short_names({each.name for group in groups for kind in group for each, _ in kind.parameters})
    words = [[_words(kind, short) for kind in group] for group in groups]
    shared = [_told(_common(group)) for group in words]
    return [
        name if shared.count(name) == 1 else _unique(_told(group[0]), shared, place)
        for place, (name, group) in enumerate(zip(shared, words, strict=True))
    ]


def _short_names(names: set[str]) -> dict[str, str]:
    """The shortest ends of paths that tell them apart, such as `syn` for `hdr.tcp.syn`."""
    found: dict[str, str] = {}
    for name in names:
        path, validity = (name[: -len(valid(""))], valid("")) if name.endswith(valid("")) else (name, "")
        parts = path.split(".")
        ends = [".".join(parts[place:]) + validity for place in range(len(parts) - 1, -1, -1)]
        is_clear = [sum(f".{other}".endswith(f".{end}") for other in names) == 1 for end in ends]
        found[name] = ends[is_clear.index(True)] if True in is_clear else name
    return found


def _words(kind: Kind, short: dict[str, str]) -> dict[str, str]:
    return {each.name: each.told(value, short[each.name]) for each, value in kind.parameters}


def _unique(name: str, others: list[str], place: int) -> str:
    return name if name not in others else f"{name} #{place + 1}"


def _common(group: list[dict[str, str]]) -> dict[str, str]:
    found = group[0]
    for words in group[1:]:
        found = {name: text for name, text in found.items() if words.get(name) == text}
    return found


def _told(words: dict[str, str]) -> str:
    return f"packet({', '.join(words.values())})" if words else "packet"


def answer_text(answer: Answer) -> str:
    """An answer in words."""
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
            return shown_path(path)
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
