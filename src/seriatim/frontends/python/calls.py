"""Calls: functions of the file are executed in their place, known ones are translated, others need marks."""

import ast
from abc import abstractmethod
from functools import partial

from seriatim.frontends.python.bounds import same
from seriatim.frontends.python.marks import Mark
from seriatim.frontends.python.module import Function
from seriatim.frontends.python.names import Names
from seriatim.frontends.python.opaque_calls import OpaqueCalls
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import Condition, Event, External, Keyed, Lock, Queue, Semaphore
from seriatim.frontends.python.surroundings import Calling, Gate
from seriatim.frontends.python.values import Callee, Composite, Named, Reference, Scalar, Value
from seriatim.frozen import replace
from seriatim.program.syntax import Binary, Number, Operator
from seriatim.source import Span

LOGGING = frozenset(("debug", "info", "warning", "error", "exception", "critical", "log"))

PURE_DECORATORS = frozenset(("staticmethod", "override", "typing.override", "final", "typing.final"))


MAX_INLINED = 40
"""Calls in one another."""


class Calls(OpaqueCalls):
    """Evaluates calls."""

    def call(self, node: ast.Call, is_awaited: bool) -> Value:
        mark = self.module.mark(self.statement, f"call {self.module.full_name(node.func)}")
        callee = self.callee(node, mark)
        if mark is not None and mark.is_opaque and self.is_marked(node, callee):
            return self.opaque(node, mark, is_awaited)
        match callee:
            case Callee():
                return self.function_call(callee, node, is_awaited)
            case Named(name=name):
                return self.known_call(name, node, is_awaited)
            case Reference(item=External(name=name, is_refused=is_refused)):
                if name.rpartition(".")[2] in LOGGING and "log" in name and not is_awaited:
                    return self.ignored(name, node)
                return self.unknown(name, node, is_awaited, is_refused)
            case _:
                return self.unknown(ast.unparse(node.func), node, is_awaited)

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
        try:
            with self.block():
                callee = self.evaluate(node.func)
        except Refused:
            return True
        match callee:
            case Callee():
                return False
            case Named(name=name):
                return self.known_method(node) is None and not self.is_known(name)
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
            "asyncio.sleep",
        ) or (name.startswith("logging.") or name in self.module.enumerations or self.is_exception_name(name))

    # Functions of the file

    def function_call(self, callee: Callee, node: ast.Call, is_awaited: bool) -> Value:
        function = callee.function
        is_coroutine = isinstance(function, ast.AsyncFunctionDef)
        if is_coroutine and not is_awaited:
            hint = "await it; tasks that run on their own are not translated yet"
            raise Refused("SER923", f"{written(node)} makes a coroutine that is not awaited here", node, hint)
        if is_awaited and not is_coroutine:
            raise Refused("SER923", f"{written(node)} is no coroutine", node, "await coroutines alone")
        if any(isinstance(each, Calling) and each.function is function for each in self.surroundings):
            raise Refused("SER923", f"`{function.name}` calls itself", node, "write it as a loop")
        if len(self.surroundings) > MAX_INLINED:
            raise Refused("SER923", f"calls nest more than {MAX_INLINED} deep", node, "call less deeply")
        self.demand_plain(function)
        return self.inline(callee, node)

    def demand_plain(self, function: Function) -> None:
        """Only functions that do what their text says are executed in the place of a call."""
        for decorator in function.decorator_list:
            name = self.module.full_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
            mark = self.module.marks.lines.get(decorator.lineno)
            is_ignored = mark is not None and mark.word == "ignore"
            if name not in PURE_DECORATORS and not is_ignored and not self.module.is_route(function):
                hint = "if it changes neither the state nor the answer, mark its line # ser: ignore"
                raise Refused("SER925", f"the decorator {written(decorator)} is not known", decorator, hint)
        for each in ast.walk(function):
            if isinstance(each, ast.Yield | ast.YieldFrom):
                raise Refused("SER923", f"`{function.name}` is a generator", each, "return values instead")

    def inline(self, callee: Callee, node: ast.Call) -> Value:
        function, span = callee.function, self.places(node)
        self.executed.add(id(function))
        arguments = self.arguments(callee, node)
        calling = Calling(function, self.target(), self.temporary("result"))
        outer, outer_statement = self.names, self.statement
        parameters = function.args.posonlyargs + function.args.args
        self_name = parameters[0].arg if callee.owner is not None and parameters else ""
        names = Names(f"@{function.name}", callee.owner, self_name, function)
        self.assigned = {name for name in self.assigned if not name.partition("#")[0].endswith(names.suffix)}
        for name, value in arguments.items():
            if name in names.locals or (isinstance(value, Scalar) and value.known is None):
                self.names = names
                self.assign_local_as(names, name, value, span)
            else:
                names.bound[name] = value
        self.names = names
        self.surroundings.append(calling)
        self.execute_body(function.body)
        if not self.is_dead:
            self.return_value(self.none(self.places(function.body[-1])), function.body[-1])
        self.surroundings.pop()
        self.names, self.statement = outer, outer_statement
        self.land(calling.after)
        if calling.value is None:  # It always raises.
            return self.none(span)
        return calling.value

    def assign_local_as(self, names: Names, name: str, value: Value, span: Span) -> None:
        """A parameter as a local."""
        if isinstance(value, Scalar):
            self.set_local(names.core(name), value, span)
            names.locals = names.locals | {name}
        else:
            names.bound[name] = value

    def arguments(self, callee: Callee, node: ast.Call) -> dict[str, Value]:
        """The values of the parameters, evaluated in the order of the call."""
        function = callee.function
        if (
            function.args.vararg
            or function.args.kwarg
            or any(isinstance(each, ast.Starred) for each in node.args)
        ):
            raise Refused(
                "SER923", f"{written(node)} has a variable number of arguments", node, "write them out"
            )
        parameters = [each.arg for each in function.args.posonlyargs + function.args.args]
        is_static = any(ast.unparse(each) == "staticmethod" for each in function.decorator_list)
        if callee.owner is not None and not is_static:
            parameters = parameters[1:]
        nodes = [*node.args, *(each.value for each in node.keywords)]
        values = self.operands(nodes)
        given = dict(
            zip(
                [*parameters[: len(node.args)], *(each.arg or "" for each in node.keywords)],
                values,
                strict=True,
            )
        )
        defaults = dict(zip(reversed(parameters), reversed(function.args.defaults), strict=False))
        defaults |= {
            each.arg: default
            for each, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
            if default is not None
        }
        for name in (*parameters, *(each.arg for each in function.args.kwonlyargs)):
            if name not in given:
                if name not in defaults:
                    raise Refused("SER923", f"{written(node)} lacks the argument `{name}`", node, "give it")
                given[name] = self.default(defaults[name])
        return given

    def default(self, node: ast.expr) -> Value:
        if isinstance(node, ast.List | ast.Dict | ast.Set | ast.Call):
            hint = "use None as the default"
            raise Refused("SER923", f"the default {written(node)} is shared by all calls", node, hint)
        found = self.evaluate(node)
        if not isinstance(found, Scalar) or found.known is None:
            hint = "use a constant as the default"
            raise Refused(
                "SER923", f"the default {written(node)} is evaluated when the file is read", node, hint
            )
        return found

    @abstractmethod
    def execute_body(self, body: list[ast.stmt]) -> None: ...

    @abstractmethod
    def return_value(self, value: Value, node: ast.AST) -> None: ...

    # Calls that are known

    def known_call(self, name: str, node: ast.Call, is_awaited: bool) -> Value:
        span = self.places(node)
        method = self.known_method(node)
        if method is not None:
            item, attribute = method
            if isinstance(item, Keyed):
                if is_awaited:
                    raise Refused("SER923", f"{written(node)} cannot be awaited", node, "drop the await")
                return self.container_method(item, attribute, node)
            return self.primitive_method(item, attribute, node, is_awaited)
        if is_awaited:
            if name == "asyncio.sleep":
                self.demand_quiet(node.args)
                self.gates[node.lineno, node.col_offset] = Gate(span, "", ("None",))
                self.suspend(span, "sleeps")
                return self.none(span)
            return self.unknown(name, node, is_awaited)
        if name.startswith("logging.") or name == "print":
            return self.ignored(name, node)
        if self.is_exception_name(name) or name in self.module.classes:
            return self.composed(
                f"{name.rpartition('.')[2]}(", ")", [*node.args, *(each.value for each in node.keywords)]
            )
        return self.builtin_call(name, node)

    def known_method(
        self, node: ast.Call
    ) -> "tuple[Keyed | Lock | Semaphore | Event | Condition | Queue, str] | None":
        """The part of the state whose method is called."""
        if not isinstance(node.func, ast.Attribute):
            return None
        try:
            with self.block():
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
                return replace(self.composed("f'{", "}'", [argument]), is_text=True)
            case "min" | "max", [_, _, *_]:
                return self.extreme(name, node)
            case "abs", [argument]:
                value = self.keep(self.numeric(self.scalar(argument), argument), span)
                negative = Binary(Operator.LESS, value.code, Number(0, span), span)
                minus = self.computed(ast.Sub(), self.number(0, span), value, node, argument, argument)
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
