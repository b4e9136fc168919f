"""Functions of the file are executed in the place of their calls."""

import ast
from abc import abstractmethod

from seriatim.frontends.python.marks import Mark
from seriatim.frontends.python.module import LENDING, Function
from seriatim.frontends.python.names import Names
from seriatim.frontends.python.opaque_calls import SPECIAL, OpaqueCalls
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.surroundings import Calling, Generating
from seriatim.frontends.python.values import Callee, Composite, Prepared, Scalar, Value
from seriatim.source import Span

PURE_DECORATORS = frozenset(
    ("staticmethod", "property", "override", "typing.override", "final", "typing.final")
)

MAX_INLINED = 40
"""Calls in one another."""


class Inlining(OpaqueCalls):
    """Executes functions of the file."""

    generating: list[Generating]
    """The generators that are being executed, for `async for`."""

    def function_call(self, callee: Callee, node: ast.Call, is_awaited: bool) -> Value:
        self.demand_callable(callee, node, is_awaited)
        return self.inline(callee, node)

    def demand_callable(self, callee: Callee, node: ast.Call, is_awaited: bool) -> None:
        """Raises `Refused` where a call cannot be executed in its place."""
        function = callee.function
        is_coroutine = isinstance(function, ast.AsyncFunctionDef)
        is_entered = any(each.function is function for each in self.generating)
        if self.module.lends(function) and not is_entered:
            hint = "use it in `async with`" if is_coroutine else "use it in `with`"
            raise Refused("SER923", f"{quote_code(node)} is a context manager", node, hint)
        if is_coroutine and not is_awaited:
            what = "makes a coroutine that is not awaited here"
            hint = "await it, or hand it to asyncio.gather, create_task or wait_for at once"
            if any(isinstance(each, ast.Yield) for each in ast.walk(function)):
                what = "is an async generator"
                hint = "loop over it with `async for`; where it lends something, such as a session of a"
                hint += " database, await a call marked # ser: opaque instead"
            raise Refused("SER923", f"{quote_code(node)} {what}", node, hint)
        if is_awaited and not is_coroutine:
            raise Refused("SER923", f"{quote_code(node)} is not a coroutine", node, "await coroutines alone")
        if any(each is function for each in self.callers()):
            raise Refused("SER923", f"`{function.name}` calls itself", node, "write it as a loop")
        if len(self.surroundings) > MAX_INLINED:
            raise Refused("SER923", f"calls nest more than {MAX_INLINED} deep", node, "call less deeply")
        self.demand_plain(function)

    def callers(self) -> tuple[Function, ...]:
        """The functions that are being executed."""
        here = tuple(each.function for each in self.surroundings if isinstance(each, Calling))
        return (*self.ancestors, *here)

    def demand_plain(self, function: Function) -> None:
        """Only functions that do what their text says are executed in the place of a call."""
        for decorator in function.decorator_list:
            name = self.module.full_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
            mark = self.module.marks.lines.get(decorator.lineno)
            is_ignored = mark is not None and mark.word == "ignore"
            if name in LENDING and any(each.function is function for each in self.generating):
                continue
            if name not in PURE_DECORATORS and not is_ignored and not self.module.is_route(function):
                hint = "if it changes neither the state nor the answer, mark its line # ser: ignore"
                raise Refused(
                    "SER925", f"the decorator {quote_code(decorator)} is not known", decorator, hint
                )
        found = next(
            (each for each in ast.walk(function) if isinstance(each, ast.Yield | ast.YieldFrom)), None
        )
        if found is not None and not any(each.function is function for each in self.generating):
            hint = "return values instead, or loop over it with `async for`, in a coroutine of this file that"
            hint += " requests call, and mark its own line # ser: internal"
            if self.module.lends(function):
                hint = "write a coroutine that uses it, with `async with`, and check that"
            raise Refused("SER923", f"`{function.name}` is a generator", found, hint)

    def inline(self, callee: Callee, node: ast.Call) -> Value:
        if self.module.is_property(callee.function):
            self.demand_callable(callee, node, is_awaited=False)
        return self.execute_call(callee, self.arguments(callee, node), node)

    def prepare(self, node: ast.Call) -> Prepared:
        """A coroutine with its arguments, which starts later; raises `Refused`."""
        mark = self.module.mark(self.statement, f"call {self.module.full_name(node.func)}")
        callee = self.callee(node, mark)
        if isinstance(callee, Callee) and not (mark is not None and mark.is_opaque):
            self.demand_callable(callee, node, is_awaited=True)
            span = self.places(node)
            given = self.arguments(callee, node)
            return Prepared(callee, {name: self.keep_value(value, span) for name, value in given.items()})
        name = self.module.full_name(node.func)
        if name in SPECIAL:
            raise Refused("SER923", f"`{name}` is not translated", node, SPECIAL[name])
        for part in (*node.args, *(each.value for each in node.keywords)):
            is_fixed = isinstance(part, ast.Name) and part.id not in self.root.members
            if not isinstance(part, ast.Constant) and not is_fixed:
                hint = "give it constants or local variables, which do not change until it starts"
                raise Refused(
                    "SER923", f"{quote_code(part)} is evaluated before {quote_code(node)} starts", part, hint
                )
        return Prepared(None, {})

    def call_evaluated(self, node: ast.Call, prepared: Prepared) -> Value:
        """Executes what was evaluated before."""
        if prepared.callee is None:
            return self.call(node, is_awaited=True)
        return self.execute_call(prepared.callee, prepared.arguments, node)

    def execute_call(self, callee: Callee, arguments: dict[str, Value], node: ast.Call) -> Value:
        function, span = callee.function, self.places(node)
        self.executed.add(id(function))
        calling = Calling(function, self.target(), self.temporary("result"))
        outer, outer_statement = self.names, self.statement
        self.names = self.parameters_of(callee, arguments, span)
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

    def parameters_of(self, callee: Callee, arguments: dict[str, Value], span: Span) -> Names:
        """The names of a function that is called, with its parameters."""
        function = callee.function
        parameters = function.args.posonlyargs + function.args.args
        self_name = parameters[0].arg if callee.owner is not None and parameters else ""
        others = sum(each is function for each in self.suspended)  # Their variables are still in use.
        frame = f"{function.name}^{others}" if others else function.name
        names = Names(f"@{frame}{self.of_task}", callee.owner, self_name, function)
        self.assigned = {name for name in self.assigned if not name.partition("#")[0].endswith(names.suffix)}
        for name, value in arguments.items():
            if name in names.locals or (isinstance(value, Scalar) and value.known is None):
                self.names = names
                self.assign_local_as(names, name, value, span)
            else:
                names.bound[name] = value
        return names

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
        self.demand_counted(function, node)
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
        if function.args.vararg is not None:
            given[function.args.vararg.arg] = Composite(("()",), (), is_sequence=True)
        if function.args.kwarg is not None:
            given[function.args.kwarg.arg] = Composite(("{}",), ())
        for name in (*parameters, *(each.arg for each in function.args.kwonlyargs)):
            if name not in given:
                if name not in defaults:
                    raise Refused(
                        "SER923", f"{quote_code(node)} lacks the argument `{name}`", node, "give it"
                    )
                given[name] = self.default(defaults[name])
        return given

    def demand_counted(self, function: Function, node: ast.Call) -> None:
        """Raises `Refused` for arguments whose number or names are not known; `*args` may stay empty."""
        own = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
        is_open = any(isinstance(each, ast.Starred) for each in node.args) or any(
            each.arg is None for each in node.keywords
        )
        is_more = function.args.vararg is not None and len(node.args) > len(function.args.args)
        is_other = function.args.kwarg is not None and any(each.arg not in own for each in node.keywords)
        if is_open or is_more or is_other:
            hint = "write them out, here and where the function takes them"
            raise Refused("SER923", f"{quote_code(node)} has a variable number of arguments", node, hint)

    def default(self, node: ast.expr) -> Value:
        if isinstance(node, ast.List | ast.Dict | ast.Set | ast.Call):
            hint = "use None as the default"
            raise Refused("SER923", f"the default {quote_code(node)} is shared by all calls", node, hint)
        found = self.evaluate(node)
        if not isinstance(found, Scalar) or found.known is None:
            hint = "use a constant as the default"
            raise Refused(
                "SER923", f"the default {quote_code(node)} is evaluated when the file is read", node, hint
            )
        return found

    @abstractmethod
    def execute_body(self, body: list[ast.stmt]) -> None: ...

    @abstractmethod
    def return_value(self, value: Value, node: ast.AST) -> None: ...

    @abstractmethod
    def callee(self, node: ast.Call, mark: Mark | None) -> Value: ...

    @abstractmethod
    def keep_value(self, value: Value, span: Span) -> Value: ...
