"""Finds static mistakes in handlers: names that clash, or are used in the wrong way."""

from collections.abc import Iterable, Iterator

from seriatim.closure import closure
from seriatim.frontends.ser.declarations import ANY_INTEGER
from seriatim.frontends.ser.keywords import CALLED
from seriatim.frontends.ser.scope import SCALAR, Scope, Shape, did_you_mean
from seriatim.frontends.ser.surface import (
    AssignElement,
    Call,
    Choose,
    Definition,
    Element,
    For,
    Function,
    Lock,
    Request,
    Surface,
    SurfaceProgram,
    Unlock,
    parts,
    walk,
)
from seriatim.frontends.ser.words import meant_word
from seriatim.program.syntax import Assign, Binary, If, Operator, Read, Return, Sequence, While, is_global
from seriatim.source import Findings, Span, quote

_TRUTH_VALUES = {"true": 1, "false": 0}


def check(program: SurfaceProgram, scope: Scope, findings: Findings) -> None:
    """Reports all static mistakes of the handlers of a program that follows the grammar."""
    if not any(isinstance(definition, Request) for definition in program.definitions):
        if findings:
            return
        findings.report(
            "SER027",
            "there is no handler",
            Span(1, 1, 1, 1),
            "write at least one, such as `request main { X := 1 }`",
        )
    _tell_twice(program.definitions, findings)
    for definition in program.definitions:
        _NameCheck(definition, program, scope, findings).run()
    for function in recursive(scope):
        hint = "what a `fun` does is inserted where it is called, so it cannot call itself; use `while`"
        message = f"{quote(function.name)} calls itself, directly or through others"
        findings.report("SER039", message, function.span, hint)


def _tell_twice(definitions: Iterable[Definition], findings: Findings) -> None:
    first: dict[str, Span] = {}
    for definition in definitions:
        if definition.name in first:
            findings.report(
                "SER023",
                f"there are two handlers named {quote(definition.name)}",
                definition.span,
                f"the other one is in line {first[definition.name].line}; rename one of them",
            )
        first.setdefault(definition.name, definition.span)


def recursive(scope: Scope) -> list[Function]:
    """The functions that can call themselves, directly or through others."""
    calls = {
        function.name: {part.name for part in walk(function.body) if isinstance(part, Call)}
        for function in scope.functions.values()
    }

    def reaches_itself(name: str) -> bool:
        return name in closure(calls[name], lambda called: calls.get(called, ()))

    return [function for name, function in scope.functions.items() if reaches_itself(name)]


class _NameCheck:
    """Checks one definition."""

    def __init__(
        self, definition: Definition, program: SurfaceProgram, scope: Scope, findings: Findings
    ) -> None:
        self.definition = definition
        self.requests = {each.name for each in program.definitions if isinstance(each, Request)}
        self.scope = scope
        self.findings = findings
        self.locals: dict[str, Shape] = {}
        self.loops = {part.variable.name for part in walk(definition.body) if isinstance(part, For)}
        """The variables of its loops."""

    def run(self) -> None:
        self._declare_all()
        pending: list[tuple[Surface, frozenset[str]]] = [(self.definition.body, frozenset())]
        while pending:
            part, inside = pending.pop()
            self._part(part)
            self._loop_variable(part, inside)
            if isinstance(part, For):
                inside |= {part.variable.name}
            pending.extend((inner, inside) for inner in reversed(parts(part)))
        if isinstance(self.definition, Function):
            if self.definition.name in CALLED:
                message = f"{quote(self.definition.name)} already has a meaning"
                self.findings.report("SER033", message, self.definition.span, "choose another name")
            for place in find_misplaced_returns(self.definition.body):
                self.findings.report(
                    "SER041",
                    "a `return` from a `fun` cannot be part of an expression",
                    place.span,
                    "make it a separate statement, also inside `if` and `while`",
                )

    def _declare_all(self) -> None:
        taken: dict[str, Span] = {}
        for parameter in self.definition.parameters:
            self._declare(parameter.name, parameter.span, taken)
            if parameter.values is not None:
                values = self.scope.enumerable(parameter.values, self.findings)
                self.locals[parameter.name] = Shape(values=values)
            elif isinstance(self.definition, Request) and not parameter.is_any_integer:
                message = f"the parameter {quote(parameter.name)} has no range"
                hint = f"write `{parameter.name} in 0..2`, or `{parameter.name}: int` for any integer"
                self.findings.report("SER044", message, parameter.span, hint)
            if parameter.kind not in (None, ANY_INTEGER, *self.scope.kinds):
                message = f"no array has an index that is called {quote(parameter.kind or '')}"
                hint = f"write `{parameter.name}: int` for any integer"
                hint += did_you_mean(parameter.kind or "", self.scope.kinds)
                self.findings.report("SER044", message, parameter.span, hint)
        for variable in self.definition.locals:
            self._declare(variable.name, variable.span, taken)
            if variable.index is not None:
                message = f"{quote(variable.name)} is local, and cannot have a cell for each integer"
                self.findings.report("SER031", message, variable.span, "write how many elements it has")
            self.locals[variable.name] = self.scope.shape(variable, self.findings)

    def _loop_variable(self, part: Surface, inside: frozenset[str]) -> None:
        """The variable of a loop is a constant of its body, and has no meaning outside of it."""
        match part:
            case For(variable=variable):
                taken = dict.fromkeys((*self.locals, *inside), variable.span)
                taken |= dict.fromkeys(
                    (each.name for each in self.definition.parameters if each.values is None), variable.span
                )
                self._declare(variable.name, variable.span, taken)
                assert variable.values is not None, "the grammar asks for a range"
                self.scope.enumerable(variable.values, self.findings)
            case (
                Assign(name=name, span=span)
                | Lock(target=Read(name=name, span=span))
                | Unlock(target=Read(name=name, span=span))
            ) if name in inside:
                message = f"{quote(name)} is the variable of a loop, which sets it"
                self.findings.report("SER034", message, span.first(len(name)), "assign to another variable")
            case Read(name=name, span=span) | Assign(name=name, span=span) if name in self.loops - inside:
                message = f"{quote(name)} is the variable of a loop, and has no value outside of it"
                hint = "keep its value in another variable, or rename one of them"
                self.findings.report("SER033", message, span.first(len(name)), hint)

    def _declare(self, name: str, span: Span, taken: dict[str, Span]) -> None:
        if is_global(name):
            message = f"{quote(name)} is a global, and cannot be declared in a handler"
            hint = "declare it before the first handler, or begin its name with a lowercase letter"
            self.findings.report("SER042", message, span, hint)
        elif name in taken or name in self.scope.constants:
            message = f"{quote(name)} already has a meaning here"
            self.findings.report("SER033", message, span, "choose another name")
        elif name in _TRUTH_VALUES:
            self._tell_truth_value(name, span)
        taken.setdefault(name, span)

    def _shape(self, name: str) -> Shape:
        return (self.scope.globals if is_global(name) else self.locals).get(name, SCALAR)

    def _part(self, part: Surface) -> None:
        match part:
            case Read(name=name, span=span):
                self._scalar(name, span)
            case Assign(name=name, span=span):
                place = span.first(len(name))
                if name in self.scope.constants:
                    message = f"{quote(name)} is a constant"
                    self.findings.report("SER034", message, place, "assign to a variable of another name")
                else:
                    self._scalar(name, place)
            case Element(name=name, span=span) | AssignElement(name=name, span=span):
                self._array(name, span.first(len(name)))
            case Lock(target=Read(name=name, span=span)) | Unlock(target=Read(name=name, span=span)):
                if name in self.scope.constants:
                    message = f"{quote(name)} is a constant"
                    self.findings.report("SER034", message, span, "any variable can be a lock")
            case Choose(values=values):
                self.scope.enumerable(values, self.findings)
            case Call():
                self._call(part)
            case Binary(operator=Operator.MODULO, right=right):
                modulus = self.scope.value(right)
                if modulus is None or modulus <= 0:
                    self.findings.report(
                        "SER024",
                        "the right side of `%` is not a positive constant",
                        right.span,
                        "write a number greater than 0, as in `(X + 1) % 3`" + self.scope.suggestion(right),
                    )

    def _scalar(self, name: str, span: Span) -> None:
        if name in _TRUTH_VALUES:
            self._tell_truth_value(name, span)
        elif self._shape(name).size is not None:
            message = f"{quote(name)} is an array and needs an index"
            self.findings.report("SER035", message, span, f"write `{name}[0]`, `{name}[1]`, …")
        elif name in self.scope.enumerations:
            message = f"{quote(name)} is an `enum`, which is not a value"
            self.findings.report("SER035", message, span, "write one of its members")

    def _tell_truth_value(self, name: str, span: Span) -> None:
        self.findings.report(
            "SER009",
            f"`{name}` cannot name a variable",
            span,
            f"truth values are 1 and 0; write `{_TRUTH_VALUES[name]}`",
        )

    def _array(self, name: str, span: Span) -> None:
        if self._shape(name).size is not None:
            return
        arrays = [
            known
            for known, shape in (*self.scope.globals.items(), *self.locals.items())
            if shape.size is not None
        ]
        if is_global(name):
            hint = f"declare it before the first handler, as in `{name}[4] := 0`"
        else:
            hint = f"declare it where the handler begins, as in `{name}[4] := 0`"
        hint += did_you_mean(name, arrays)
        self.findings.report("SER036", f"{quote(name)} is not an array", span, hint)

    def _call(self, call: Call) -> None:
        function = self.scope.functions.get(call.name)
        if function is None:
            if call.name in self.requests:
                hint = "requests come from outside; move what is shared to a `fun`"
            elif (meant := meant_word(call.name)) is not None:
                hint = f"did you mean {quote(meant)}?"
            else:
                known = (*self.scope.functions, *CALLED)
                hint = f"define it, as in `fun {call.name}(…) {{ … }}`" + did_you_mean(call.name, known)
            self.findings.report("SER037", f"there is no `fun` named {quote(call.name)}", call.span, hint)
        elif len(call.arguments) != len(function.parameters):
            expected, found = len(function.parameters), len(call.arguments)
            noun = "argument" if expected == 1 else "arguments"
            message = f"{quote(call.name)} takes {expected} {noun}, but gets {found}"
            hint = f"it is defined in line {function.span.line}"
            self.findings.report("SER038", message, call.span, hint)


def find_misplaced_returns(body: Surface) -> Iterator[Return[Surface]]:
    """The `return`s that are part of a larger expression."""
    pending = [(body, True)]
    while pending:
        part, is_statement = pending.pop()
        match part:
            case Return(value=value):
                if not is_statement:
                    yield part
                pending.append((value, False))
            case Sequence(items=items) if is_statement:
                pending.extend((item, True) for item in items)
            case If(condition=condition, then=then, otherwise=otherwise) if is_statement:
                pending += [(condition, False), (then, True)]
                if otherwise is not None:
                    pending.append((otherwise, True))
            case While(condition=condition, body=inner) if is_statement:
                pending += [(condition, False), (inner, True)]
            case For(body=inner) if is_statement:
                pending.append((inner, True))
            case _:
                pending.extend((inner, False) for inner in parts(part))
