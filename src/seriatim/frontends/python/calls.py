"""Calls: functions of the file are executed in their place, known ones are translated, others need marks."""

import ast
from dataclasses import replace
from functools import partial

from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.app_state import FRAMEWORKS
from seriatim.frontends.python.bounds import same
from seriatim.frontends.python.gathering import Gathering
from seriatim.frontends.python.marks import Mark
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.request_parts import READING
from seriatim.frontends.python.state import Condition, Event, External, Keyed, Lock, Queue, Semaphore
from seriatim.frontends.python.surroundings import Gate
from seriatim.frontends.python.tasks import STARTERS
from seriatim.frontends.python.values import (
    Callee,
    Composite,
    Grouping,
    Named,
    Reference,
    Scalar,
    Started,
    Value,
)
from seriatim.program.syntax import Binary, Number, Operator

LOGGING = frozenset(("debug", "info", "warning", "error", "exception", "critical", "log"))


RESPONSES = frozenset(
    (
        *("HTMLResponse", "HTTPResponse", "JSONResponse", "ORJSONResponse", "PlainTextResponse"),
        *("RedirectResponse", "Response", "UJSONResponse", "empty", "html", "json", "json_response"),
        *("jsonify", "make_response", "redirect", "text"),
    )
)
"""What makes answers of a web service, by the last part of the name."""


def is_response(name: str) -> bool:
    first, _, _ = name.partition(".")
    return first in FRAMEWORKS and name.rpartition(".")[2] in RESPONSES


def is_no_exception(value: Value) -> bool:
    """Whether a value is surely no exception: a number, a constant, a list, a text."""
    match value:
        case Scalar(domain=domain):
            return not any(atom.text.startswith(("<", "raise ")) for atom in domain.in_order())
        case Composite(pieces=pieces, is_text=is_text):
            return is_text or pieces[0][:1] in ("(", "[", "{")
        case _:
            return False


class Calls(Gathering):
    """Evaluates calls."""

    def call(self, node: ast.Call, is_awaited: bool) -> Value:
        mark = self.module.mark(self.statement, f"call {self.module.full_name(node.func)}")
        tasks = self.tasks_named(node.func)
        if tasks is not None and not is_awaited:
            return self.task_method(tasks, node)
        callee = self.callee(node, mark)
        if mark is not None and mark.is_opaque and self.is_marked(node, callee):
            return self.opaque(node, mark, is_awaited)
        match callee:
            case Callee():
                return self.function_call(callee, node, is_awaited)
            case Named(name=name):
                return self.call_known(name, node, is_awaited)
            case Reference(item=External(name=name, is_refused=is_refused, is_parameter=is_parameter)):
                if name.rpartition(".")[2] in LOGGING and "log" in name and not is_awaited:
                    return self.ignore_call(name, node)
                if is_parameter and not is_awaited:
                    self.refuse_part(node)
                return self.unknown(name, node, is_awaited, is_refused)
            case _:
                return self.unknown(ast.unparse(node.func), node, is_awaited)

    def refuse_part(self, node: ast.Call) -> None:
        """Raises `Refused` if a call takes a part of a request, as `request.headers.get("Origin")` does."""
        reads = isinstance(node.func, ast.Attribute) and node.func.attr in READING
        if reads and not node.keywords and all(isinstance(each, ast.Constant) for each in node.args):
            hint = f"take it in a line that says which values to look at: value = {ast.unparse(node)}"
            hint += "  # ser: {'a', 'b'}; or mark it # ser: ignore if nobody uses it"
            message = f"{quote_code(node)} belongs to the request, and its values are not known"
            raise Refused("SER924", message, node, hint)

    def tasks_named(self, node: ast.expr) -> Started | Grouping | None:
        """The tasks whose method is called."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            return None
        found = self.names.bound.get(node.value.id)
        return found if isinstance(found, Started | Grouping) else None

    def callee(self, node: ast.Call, mark: Mark | None) -> Value:
        """What is called; methods of containers and locks are called by their names."""
        func = node.func
        try:
            return self.evaluate(func)
        except Refused:
            if mark is not None and mark.is_opaque:
                return Named(ast.unparse(func))
            raise

    def is_marked(self, node: ast.Call, callee: Value) -> bool:
        """Whether the mark of the statement is about this call: an unknown one, or else the outermost."""
        calls = [each for each in ast.walk(self.statement) if isinstance(each, ast.Call)]
        unknown = [each for each in calls if self.is_unknown(each)]
        return node in unknown[:1] or (not unknown and node is calls[0] and isinstance(callee, Callee))

    def is_unknown(self, node: ast.Call) -> bool:
        if self.tasks_named(node.func) is not None:
            return False
        try:
            with self.probe():
                callee = self.evaluate(node.func)
        except Refused:
            return True
        match callee:
            case Callee():
                return False
            case Named(name=name):
                return self.find_method(node) is None and not self.is_known(name)
            case _:
                return True

    def is_known(self, name: str) -> bool:
        plain = name.removeprefix("builtins.")
        return plain in (
            "len",
            "min",
            "max",
            "abs",
            "bool",
            "int",
            "str",
            "print",
            "range",
            "list",
            "sorted",
            "isinstance",
            "asyncio.sleep",
            "asyncio.wait_for",
            "asyncio.gather",
            *STARTERS,
        ) or (
            name.startswith("logging.")
            or name in self.module.enumerations
            or self.is_exception_name(name)
            or is_response(name)
        )

    # Calls that are known

    def call_known(self, name: str, node: ast.Call, is_awaited: bool) -> Value:
        method = self.find_method(node)
        if method is not None:
            item, attribute = method
            if isinstance(item, Keyed):
                if is_awaited:
                    raise Refused("SER923", f"{quote_code(node)} cannot be awaited", node, "drop the await")
                return self.container_method(item, attribute, node)
            return self.primitive_method(item, attribute, node, is_awaited)
        if name in STARTERS:
            started = self.create_task(node)
            return self.await_task(started.tasks[0], node) if is_awaited else started
        if is_awaited:
            match name:
                case "asyncio.sleep":
                    return self.sleep(node)
                case "asyncio.wait_for":
                    return self.wait_for(node)
                case "asyncio.gather":
                    return self.gather(node)
                case _:
                    return self.unknown(name, node, is_awaited)
        if name.startswith("logging.") or name == "print":
            return self.ignore_call(name, node)
        if self.is_exception_name(name) or name in self.module.classes or is_response(name):
            return self.record(name.rpartition(".")[2], node)
        return self.builtin_call(name, node)

    def record(self, name: str, node: ast.Call) -> Composite:
        """An object of which only matters what it was made of: an answer, an exception."""
        made = self.compose(f"{name}(", ")", [*node.args, *(each.value for each in node.keywords)])
        if self.is_exception_name(name):
            return made
        self.records[node.lineno, node.col_offset] = name
        return replace(made, is_record=True)

    def sleep(self, node: ast.Call) -> Scalar:
        span = self.places(node)
        self.demand_quiet(node.args, is_gate=True)
        if [literal(each) for each in node.args] == [0] and not node.keywords:
            self.give_way(span)
        else:
            self.gates[node.lineno, node.col_offset] = Gate(span, "", ("None",))
            self.suspend(span, "sleeps")
        return self.none(span)

    def find_method(
        self, node: ast.Call
    ) -> "tuple[Keyed | Lock | Semaphore | Event | Condition | Queue, str] | None":
        """The part of the state whose method is called."""
        if not isinstance(node.func, ast.Attribute):
            return None
        try:
            with self.probe():
                base = self.evaluate(node.func.value)
        except Refused:
            return None
        if isinstance(base, Reference) and isinstance(
            base.item, Keyed | Lock | Semaphore | Event | Condition | Queue
        ):
            return base.item, node.func.attr
        return None

    def builtin_call(self, name: str, node: ast.Call) -> Value:
        span = self.places(node)
        match name, node.args:
            case "len", [argument]:
                value = self.evaluate(argument)
                if isinstance(value, Reference) and isinstance(value.item, Keyed):
                    return self.length(value.item, span)
                if isinstance(value, Composite) and value.is_sequence:
                    return self.number(len(value.parts), span)
                self.to_scalar(value, argument)
            case "bool", [argument]:
                return self.boolean(self.condition(argument))
            case "int", [argument]:
                value = self.numeric(self.scalar(argument), argument)
                return Scalar(value.code, replace(value.domain, is_boolean=False))
            case "str", [argument]:
                return replace(self.compose("f'{", "}'", [argument]), is_text=True)
            case "isinstance", [argument, ast.Name() | ast.Attribute() as kind] if self.is_exception_name(
                self.module.full_name(kind)
            ):
                if is_no_exception(self.evaluate(argument)):
                    return self.boolean(Number(0, span))
            case "min" | "max", [_, _, *_]:
                return self.extreme(name, node)
            case "abs", [argument]:
                value = self.keep(self.numeric(self.scalar(argument), argument), span)
                negative = Binary(Operator.LESS, value.code, Number(0, span), span)
                minus = self.compute(ast.Sub(), self.number(0, span), value, node, argument, argument)
                return self.either(negative, lambda: minus, lambda: value, span)
        return self.unknown(name, node, is_awaited=False)

    def extreme(self, name: str, node: ast.Call) -> Scalar:
        span = self.places(node)
        values = [
            self.numeric(self.to_scalar(value, part), part)
            for value, part in zip(self.operands(node.args), node.args, strict=True)
        ]
        best = self.keep(values[0], span)
        operator = Operator.LESS if name == "min" else Operator.GREATER
        for value in values[1:]:
            other, current = self.keep(value, span), best
            better = Binary(operator, other.code, current.code, span)
            best = self.either(better, partial(same, other), partial(same, current), span)
        return best
