"""Terms as SMT-LIB 2: names are numbered as they occur, so that naming changes no answer."""

from collections.abc import Sequence

from seriatim.arithmetic.terms import Apply, Compound, Constant, Name, Quantifier, Sort, Term, parts_of


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
                return f"({printed} {' '.join(map(self.term, arguments))})"
            case Compound(op=op, arguments=arguments):
                return f"({op} {' '.join(map(self.term, arguments))})"
            case Quantifier(for_all=universal, variables=variables, body=body):
                self._bound |= {each.name for each in variables}
                listed = " ".join(f"({self._name(each.name)} {each.sort})" for each in variables)
                return f"({'forall' if universal else 'exists'} ({listed}) {self.term(body)})"

    def _name(self, name: str, letter: str = "v") -> str:
        if name not in self.names:
            self.names[name] = f"{letter}{len(self.names)}"
        return self.names[name]


def script(assertions: Sequence[Term], comment: str = "") -> str:
    """A script that asks whether all assertions can hold together."""
    printer = _Printer()
    printed = [f"(assert {printer.term(each)})" for each in assertions]
    declared = [f"(declare-const {name} {sort})" for name, sort in printer.free.items()]
    declared += [
        f"(declare-fun {name} ({' '.join(sorts)}) {sort})"
        for name, (sorts, sort) in printer.functions.items()
    ]
    meanings = [f"; {short} is {name}" for name, short in printer.names.items() if "!" not in name]
    header = [f"; {line}" for line in comment.split("\n") if line]
    logic = "UFLIA" if any(map(_has_quantifier, assertions)) else "QF_UFLIA"
    return "\n".join([*header, *meanings, f"(set-logic {logic})", *declared, *printed, "(check-sat)", ""])


def _has_quantifier(term: Term) -> bool:
    return isinstance(term, Quantifier) or any(map(_has_quantifier, parts_of(term)))
