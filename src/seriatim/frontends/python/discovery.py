"""The service of a file: which class or module it is, which requests it has, and with which arguments."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from seriatim.frontends.python.annotations import read_annotation
from seriatim.frontends.python.domains import INTEGERS, Atoms, Domain, integers
from seriatim.frontends.python.initial import InitialState
from seriatim.frontends.python.module import Function, Module
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.request_parts import parts_of
from seriatim.frontends.python.state import Instance

MAX_REQUESTS = 256
"""Combinations of arguments, of all handlers together."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    values: Domain | None
    """None if it is an object of which nothing is known."""
    is_refused: bool = False
    is_integer: bool = False
    """Whether it is an `int` without a scope."""
    is_part: bool = False
    """Whether it is a part of what the handler is given; its name is then the text that stands for it."""

    @property
    def is_open(self) -> bool:
        """Whether it may be any integer, and its values are only examples."""
        return self.is_integer and self.values is not None


@dataclass(frozen=True, slots=True)
class HandlerSource:
    """A coroutine that requests call."""

    function: Function
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Service:
    """What is to be checked."""

    owner: Instance | None
    """The object whose methods are called; None if they are functions of the module."""
    root: Instance
    """The variables of the module."""
    handlers: tuple[HandlerSource, ...]
    refusals: tuple[Refused, ...] = ()
    """What is refused of the state."""

    def combinations(self, handler: HandlerSource, atoms: Atoms) -> list[tuple[int | None, ...]]:
        """The arguments of a handler, as numbers and codes; None for objects that are not known."""
        choices = [
            (None,) if each.values is None else each.values.values(atoms) for each in handler.parameters
        ]
        return list(product(*choices))

    def open_combinations(self, handler: HandlerSource, atoms: Atoms) -> list[tuple[int | None, ...]]:
        """The same for a handler that takes any integers, which are None here; nothing for others."""
        if not any(each.is_open for each in handler.parameters):
            return []
        choices = [
            (None,) if each.values is None or each.is_open else each.values.values(atoms)
            for each in handler.parameters
        ]
        return list(product(*choices))

    def open_integers(self) -> "Service":
        """The same service, where every `int` without a scope may be any integer."""
        return replace(self, handlers=tuple(map(_open_integers, self.handlers)))


FEW = ((0, 0), (-1, 3), (0, 2), (0, 1))
"""The integers that are examples of any, by how many such parameters a handler has."""


def _open_integers(handler: HandlerSource) -> HandlerSource:
    number = sum(each.is_integer for each in handler.parameters)
    few = integers(*FEW[min(number, len(FEW) - 1)])
    parameters = (replace(each, values=few) if each.is_integer else each for each in handler.parameters)
    return replace(handler, parameters=tuple(parameters))


def find_service(module: Module, atoms: Atoms, wanted: str = "") -> Service:
    """The service, or the class that somebody wants to be it; raises `Refused`."""
    state = InitialState(module, atoms)
    root = state.of_module()
    routes = _routes(module)
    is_threaded = not any(name.partition(".")[0] == "sanic" for name in module.imported.values())
    refusals = state.refusals
    marked = [_class(module, wanted)] if wanted else _find_marked(module)
    if routes and not marked:
        plain = [each for each in routes if isinstance(each, ast.FunctionDef) and is_threaded]
        refusals += [_refuse_thread(each) for each in plain]
        return Service(None, root, _sources(module, routes, 0, refusals), tuple(refusals))
    cls = marked[0] if len(marked) == 1 else _service_class(module)
    if cls is not None:
        _refuse_view(module, cls)
        owner = state.of_class(cls, "self")
        methods = [each for each in module.methods(cls).values() if _is_handler(module, each)]
        if not methods:
            message, hint = f"the class `{cls}` has no public coroutine", "write `async def` handlers"
            lender = next((each.name for each in module.methods(cls).values() if module.lends(each)), None)
            if lender is not None:
                hint = f"write one that uses it as others do: async with self.{lender}(): …"
            raise Refused("SER922", message, module.classes[cls], hint)
        return Service(owner, root, _sources(module, methods, 1, refusals), tuple(refusals))
    functions = [each for each in module.functions.values() if _is_handler(module, each)]
    if functions:
        return Service(None, root, _sources(module, functions, 0, refusals), tuple(refusals))
    raise Refused("SER922", "there is no service here: no public coroutine", 1, "write `async def` handlers")


def _routes(module: Module) -> list[Function]:
    """The functions that a framework calls, unless marks say otherwise; none if it calls none."""
    functions = list(module.functions.values())
    if not any(module.is_route(each) for each in functions):
        return []
    words = {each.name: mark.word for each in functions if (mark := module.mark(each)) is not None}
    return [
        each
        for each in functions
        if words.get(each.name) == "handler" or (module.is_route(each) and words.get(each.name) != "internal")
    ]


def _refuse_thread(function: Function) -> Refused:
    message = f"`{function.name}` is not a coroutine: the framework runs it in a thread"
    return Refused("SER923", message, function, "make it `async def`, or take it out of the file")


def _class(module: Module, name: str) -> str:
    """The name of a class that there is; raises `Refused`."""
    if name in module.classes:
        return name
    hint = "define it at the top level of its file"
    raise Refused("SER922", f"there is no class `{name}` here", 1, hint)


def _find_marked(module: Module) -> list[str]:
    """The classes that are marked as the service."""
    marks = {name: module.mark(node) for name, node in module.classes.items()}
    return [name for name, mark in marks.items() if mark is not None and mark.word == "service"]


def _service_class(module: Module) -> str | None:
    """The class that is the service; None if the module is."""
    candidates = [
        name
        for name in module.classes
        if any(_is_handler(module, each) for each in module.methods(name).values())
    ]
    functions = [each for each in module.functions.values() if _is_handler(module, each)]
    if len(candidates) == 1 and not functions:
        return candidates[0]
    if candidates and not functions:
        names = ", ".join(candidates)
        node = module.classes[candidates[1]]
        hint = "mark the one to check: # ser: service, at the line of its class"
        raise Refused("SER922", f"there are several classes with public coroutines: {names}", node, hint)
    return None


VIEWS = frozenset(
    (
        *("HTTPEndpoint", "WebSocketEndpoint", "HTTPMethodView", "MethodView"),
        *("aiohttp.web.View", "quart.views.View", "flask.views.View", "django.views.View"),
    )
)
"""Classes of frameworks, of which each request gets an object of its own."""


def _refuse_view(module: Module, cls: str) -> None:
    """Raises `Refused` if a class has an object for each request: what is in `self` is not shared then."""
    for base in module.classes[cls].bases:
        name = module.full_name(base)
        if name in VIEWS or name.rpartition(".")[2] in VIEWS:
            hint = "write its methods as coroutines of the module, such as `async def get(request)`, and keep"
            hint += " what they share in variables of the module"
            message = f"of `{cls}`, every request gets an object of its own: {quote_code(base)} does that"
            raise Refused("SER923", message, module.classes[cls], hint)


def _is_handler(module: Module, function: Function) -> bool:
    """Whether requests call it: a public coroutine that the file does not start itself."""
    mark = module.mark(function)
    if mark is not None and mark.word in ("handler", "internal"):
        return mark.word == "handler"
    is_coroutine = isinstance(function, ast.AsyncFunctionDef) and not module.lends(function)
    return is_coroutine and not function.name.startswith("_") and function.name not in module.runners


UNFIT = {
    "Depends": "call the dependency in the handler; FastAPI runs plain ones in threads",
    "BackgroundTasks": "await what it does in the handler; FastAPI runs plain ones in threads",
}


def _sources(
    module: Module, functions: list[Function], skipped: int, refusals: list[Refused]
) -> tuple[HandlerSource, ...]:
    """The handlers; what is refused of their parameters joins the refusals."""
    found: list[HandlerSource] = []
    for function in functions:
        arguments = function.args
        plain = (arguments.posonlyargs + arguments.args)[skipped:] + arguments.kwonlyargs
        extra = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
        refused = [*_unfit(function), *(_variable(function, each) for each in extra)]
        refusals += refused
        nodes = [each.node for each in refused]
        refusals += _find_misnamed(module, function, [each.arg for each in plain])
        parameters = [_parameter(module, function, each, each in nodes) for each in plain + extra]
        unknown = [
            argument
            for argument, parameter in zip(plain, parameters, strict=False)
            if parameter.values is None and not parameter.is_refused and not parameter.is_integer
        ]
        parts = parts_of(module, function, unknown)
        parameters += [Parameter(part.text, part.values, is_part=True) for part in parts]
        found.append(HandlerSource(function, tuple(parameters)))
    return tuple(found)


def _find_misnamed(module: Module, function: Function, names: list[str]) -> Iterator[Refused]:
    """Marks of a handler about parameters that it does not have."""
    mark = module.mark(function)
    for name in () if mark is None else mark.parameters:
        if name not in names:
            hint = f"its parameters are {', '.join(names)}" if names else "it has no parameters"
            yield Refused("SER926", f"`{function.name}` has no parameter `{name}`", function, hint)


def _variable(function: Function, argument: ast.arg) -> Refused:
    message = f"`{function.name}` has a variable number of parameters: `{argument.arg}`"
    hint = "write them out, or mark the line of the coroutine # ser: internal if requests do not call it"
    return Refused("SER923", message, argument, hint)


def _unfit(function: Function) -> Iterator[Refused]:
    """Parameters that a framework gives in ways that are not translated."""
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    padding = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*padding, *arguments.defaults, *arguments.kw_defaults]
    for argument, default in zip(positional + arguments.kwonlyargs, defaults, strict=True):
        for node in (default, argument.annotation):
            parts = () if node is None else ast.walk(node)
            names = {str(getattr(part, "id", getattr(part, "attr", ""))) for part in parts}
            for name in sorted(names & set(UNFIT)):
                message = f"`{name}` in `{function.name}` is not translated"
                yield Refused("SER923", message, argument, UNFIT[name])


def _parameter(module: Module, function: Function, argument: ast.arg, is_refused: bool) -> Parameter:
    mark = None
    if argument.lineno != function.lineno:  # A mark at the line of the function is about the function.
        mark = module.mark(argument)
    mark = mark or module.marks.names.get(f"{function.name}.{argument.arg}")
    of_all = module.mark(function)
    if of_all is not None and argument.arg in of_all.parameters:
        values: Domain | None = of_all.parameters[argument.arg]
    elif mark is not None:
        values = mark.values
    else:
        values = read_annotation(argument.annotation, module.enumerations)
    if values is None or not values.is_finite:
        return Parameter(argument.arg, None, is_refused, values == INTEGERS)
    return Parameter(argument.arg, values)
