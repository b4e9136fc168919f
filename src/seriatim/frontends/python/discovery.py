"""The service of a file: which class or module it is, which requests it has, and with which arguments."""

import ast
from itertools import product

from seriatim.frontends.python.annotations import read_annotation
from seriatim.frontends.python.domains import INTEGERS, Atoms, Domain, integers
from seriatim.frontends.python.initial import InitialState
from seriatim.frontends.python.module import Function, Module
from seriatim.frontends.python.places import Refused
from seriatim.frontends.python.state import Instance
from seriatim.frozen import frozen, replace

MAX_REQUESTS = 256
"""Combinations of arguments, of all handlers together."""


@frozen
class Parameter:
    name: str
    values: Domain | None
    """None if it is an object of which nothing is known."""
    is_integer: bool = False
    """Whether it is an `int` without a scope."""

    @property
    def is_open(self) -> bool:
        """Whether it may be any integer, and its values are only examples."""
        return self.is_integer and self.values is not None


@frozen
class HandlerSource:
    """A coroutine that requests call."""

    function: Function
    parameters: tuple[Parameter, ...]


@frozen
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

    def opened(self) -> "Service":
        """The same service, where every `int` without a scope may be any integer."""
        return replace(self, handlers=tuple(map(_opened, self.handlers)))


FEW = ((0, 0), (-1, 3), (0, 2), (0, 1))
"""The integers that are examples of any, by how many such parameters a handler has."""


def _opened(handler: HandlerSource) -> HandlerSource:
    number = sum(each.is_integer for each in handler.parameters)
    few = integers(*FEW[min(number, len(FEW) - 1)])
    parameters = (replace(each, values=few) if each.is_integer else each for each in handler.parameters)
    return replace(handler, parameters=tuple(parameters))


def find_service(module: Module, atoms: Atoms) -> Service:
    """Raises `Refused`."""
    state = InitialState(module, atoms)
    root = state.of_module()
    routes = [each for each in module.functions.values() if module.is_route(each)]
    is_threaded = not any(name.partition(".")[0] == "sanic" for name in module.imported.values())
    plain = [each for each in routes if isinstance(each, ast.FunctionDef) and is_threaded]
    if plain:
        hint = "make it `async def`, or take it out of the file"
        raise Refused(
            "SER923",
            f"`{plain[0].name}` is not a coroutine: the framework runs it in a thread",
            plain[0],
            hint,
        )
    if routes:
        return Service(None, root, tuple(_source(module, each, 0) for each in routes), tuple(state.refusals))
    cls = _service_class(module)
    if cls is not None:
        owner = state.of_class(cls, "self")
        methods = [each for each in module.methods(cls).values() if _is_handler(module, each)]
        return Service(
            owner, root, tuple(_source(module, each, 1) for each in methods), tuple(state.refusals)
        )
    functions = [each for each in module.functions.values() if _is_handler(module, each)]
    if functions:
        return Service(
            None, root, tuple(_source(module, each, 0) for each in functions), tuple(state.refusals)
        )
    raise Refused("SER922", "there is no service here: no public coroutine", 1, "write `async def` handlers")


def _service_class(module: Module) -> str | None:
    """The class that is the service; None if the module is."""
    candidates = [
        name
        for name in module.classes
        if any(_is_handler(module, each) for each in module.methods(name).values())
    ]
    marked = [
        name
        for name in candidates
        if (mark := module.mark(module.classes[name])) is not None and mark.word == "service"
    ]
    if len(marked) == 1:
        return marked[0]
    functions = [each for each in module.functions.values() if _is_handler(module, each)]
    if len(candidates) == 1 and not functions:
        return candidates[0]
    if candidates and not functions:
        names = ", ".join(candidates)
        node = module.classes[candidates[1]]
        hint = "mark the one to check: # ser: service, at the line of its class"
        raise Refused("SER922", f"there are several classes with public coroutines: {names}", node, hint)
    return None


def _is_handler(module: Module, function: Function) -> bool:
    """Whether requests call it: a public coroutine that the file does not start itself."""
    mark = module.mark(function)
    if mark is not None and mark.word in ("handler", "internal"):
        return mark.word == "handler"
    is_coroutine = isinstance(function, ast.AsyncFunctionDef)
    return is_coroutine and not function.name.startswith("_") and function.name not in module.runners


UNFIT = {
    "Depends": "call the dependency in the handler; FastAPI runs plain ones in threads",
    "BackgroundTasks": "await what it does in the handler; FastAPI runs plain ones in threads",
}


def _source(module: Module, function: Function, skipped: int) -> HandlerSource:
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Refused(
            "SER923", f"`{function.name}` has a variable number of parameters", function, "write them out"
        )
    defaults = [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]
    for node in (*defaults, *(each.annotation for each in arguments.args if each.annotation)):
        for part in ast.walk(node):
            name = (
                part.id
                if isinstance(part, ast.Name)
                else part.attr
                if isinstance(part, ast.Attribute)
                else ""
            )
            if name in UNFIT:
                raise Refused("SER923", f"`{name}` in `{function.name}` is not translated", node, UNFIT[name])
    positional = (arguments.posonlyargs + arguments.args)[skipped:]
    return HandlerSource(
        function, tuple(_parameter(module, function, each) for each in positional + arguments.kwonlyargs)
    )


def _parameter(module: Module, function: Function, argument: ast.arg) -> Parameter:
    mark = None
    if argument.lineno != function.lineno:  # A mark at the line of the function is about the function.
        mark = module.mark(argument)
    mark = mark or module.marks.names.get(f"{function.name}.{argument.arg}")
    values = mark.values if mark is not None else read_annotation(argument.annotation, module.enumerations)
    if values is None or not values.is_finite:
        return Parameter(argument.arg, None, is_integer=values == INTEGERS)
    return Parameter(argument.arg, values)
