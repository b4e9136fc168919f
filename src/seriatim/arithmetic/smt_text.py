"""Terms as SMT-LIB 2: names are numbered as they occur, so that naming changes no answer."""

from collections.abc import Sequence

from seriatim.arithmetic.terms import (
    Apply,
    Compound,
    Constant,
    Name,
    Op,
    Quantifier,
    Sort,
    Term,
    conjuncts,
    parts_of,
)


class _Printer:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.free: dict[str, Sort] = {}
        self.functions: dict[str, tuple[tuple[Sort, ...], Sort]] = {}
        self._bound: set[str] = set()

    def term(self, term: Term) -> str:
        match term:
            case Constant(value=bool() as value):
                return "true" if value else "false"
            case Constant(value=value):
                return str(value) if value >= 0 else f"(- {-value})"
            case Name(name=name, sort=sort):
                printed = self._name(name)
                if name not in self._bound:
                    self.free[printed] = sort
                return printed
            case Apply(function=function, arguments=arguments, sort=sort):
                printed = self._name(function, "f")
                self.functions[printed] = tuple(each.sort for each in arguments), sort
                return f"({printed} {' '.join(map(self.term, arguments))})" if arguments else printed
            case Compound(op=op, arguments=arguments):
                return f"({op} {' '.join(map(self.term, arguments))})"
            case Quantifier(for_all=universal, variables=variables, body=body):
                self._bound |= {each.name for each in variables}
                listed = " ".join(f"({self._name(each.name)} {each.sort})" for each in variables)
                return f"({'forall' if universal else 'exists'} ({listed}) {self.term(body)})"

    def list_declared(self) -> list[str]:
        """Lists declarations of all names that have been printed."""
        constants = [f"(declare-const {name} {sort})" for name, sort in self.free.items()]
        return constants + [
            f"(declare-fun {name} ({' '.join(sorts)}) {sort})"
            for name, (sorts, sort) in self.functions.items()
        ]

    def _name(self, name: str, letter: str = "v") -> str:
        if name not in self.names:
            self.names[name] = f"{letter}{len(self.names)}"
        return self.names[name]


def script(assertions: Sequence[Term], comment: str = "") -> str:
    """A script that asks whether all assertions can hold together."""
    return script_with_names(assertions, comment)[0]


def script_with_names(assertions: Sequence[Term], comment: str = "") -> tuple[str, dict[str, str]]:
    """The script, and what it calls each name."""
    printer = _Printer()
    printed = [f"(assert {printer.term(each)})" for each in assertions]
    meanings = [f"; {short} is {name}" for name, short in printer.names.items() if "!" not in name]
    header = [f"; {line}" for line in comment.split("\n") if line]
    arithmetic = "NIA" if any(map(_multiplies, assertions)) else "LIA"
    theories = f"{'A' if Sort.CELLS in printer.free.values() else ''}UF{arithmetic}"
    logic = theories if any(map(_has_quantifier, assertions)) else f"QF_{theories}"
    asked = [f"(set-logic {logic})", *printer.list_declared(), *printed, "(check-sat)", ""]
    return "\n".join([*header, *meanings, *asked]), printer.names


def incremental_script(questions: Sequence[tuple[str, Term]], about: Sequence[str]) -> str:
    """A script that asks of each term, with a comment, whether it can hold."""
    lines = [f"; {line}" for line in about]
    lines.append("; Every answer must be unsat:  z3 FILE,  or  cvc5 --incremental FILE")
    lines.append("(set-logic ALL)")
    for comment, term in questions:
        printer = _Printer()
        printed = printer.term(term)
        lines += ["", f"; {comment}"]
        lines += [f"; {short} is {name}" for name, short in printer.names.items()]
        lines += ["(push 1)", *printer.list_declared(), f"(assert {printed})", "(check-sat)", "(pop 1)"]
    return "\n".join([*lines, ""])


def _has_quantifier(term: Term) -> bool:
    return isinstance(term, Quantifier) or any(map(_has_quantifier, parts_of(term)))


def _multiplies(term: Term) -> bool:
    """Whether there are products of terms that are no numbers."""
    match term:
        case Compound(op=Op.TIMES, arguments=(left, right)):
            return not isinstance(left, Constant) and not isinstance(right, Constant)
        case _:
            return any(map(_multiplies, parts_of(term)))


def horn_script(rules: Sequence[tuple[Term, Apply]]) -> tuple[str, dict[str, str]]:
    """Horn clauses, each with a body and a head, and the relations by what the script calls them.

    Relations are the functions to truth values that heads apply, and those that bodies do."""
    printer = _Printer()
    printed: list[str] = []
    for body, head in rules:
        parts = " ".join(map(printer.term, conjuncts(body)))
        implied = printer.term(head)
        printed.append(f"(rule (=> (and {parts}) {implied}))" if parts else f"(rule {implied})")
    declared = [f"(declare-var {name} {sort})" for name, sort in printer.free.items()]
    relations = [
        f"(declare-rel {name} ({' '.join(sorts)}))"
        for name, (sorts, sort) in printer.functions.items()
        if sort is Sort.BOOL
    ]
    known = {short: name for name, short in printer.names.items() if short in printer.functions}
    return "\n".join([*relations, *declared, *printed]), known
