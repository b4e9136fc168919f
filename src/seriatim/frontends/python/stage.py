"""The user's own code, run turn by turn: this executes it, and happens in a process of its own.

The code is unchanged, except that calls which are marked as opaque, and `asyncio.sleep`, wait at *gates*
until they are opened with a value. Lines and the name of the file stay the same.
"""

import ast
import asyncio
import enum
import importlib.abc
import importlib.machinery
import inspect
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from seriatim.frontends.python.stepping_loop import OWNER, Endless, SteppingLoop

GATE = "__seriatim_gate__"
VALUE = "__seriatim_value__"

Place = tuple[int, int]
"""The line and the column of a call."""


class Stranger:
    """Something that is not known: whatever one does with it, something like it comes out."""

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __getattr__(self, name: str) -> "Stranger":
        if name.startswith("__"):
            raise AttributeError(name)
        return Stranger(f"{self.name}.{name}")

    def __call__(self, *args: Any, **_: Any) -> Any:
        """As a decorator, it leaves a function as it is."""
        if len(args) == 1 and inspect.isfunction(args[0]):
            return args[0]
        return Stranger(f"{self.name}()")

    def __repr__(self) -> str:
        return f"<{self.name}>"


class StrangeModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that are not installed, as far as a service needs them to be imported."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        del path, target
        self.names.append(name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return StrangeModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to execute."""


class StrangeException(Exception):
    """An exception of a module that is not installed; it takes any arguments."""

    def __init__(self, *args: Any, **_: Any) -> None:
        super().__init__(*args)


class StrangeModule(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith(("Error", "Exception")):
            made = type(
                name, (Exception,), {"__init__": lambda self, *args, **_: Exception.__init__(self, *args)}
            )
            setattr(self, name, made)
            return made
        return Stranger(f"{self.__name__}.{name}")


class Gates(ast.NodeTransformer):
    """Puts gates in the place of calls."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = frozenset(places)

    def visit_Await(self, node: ast.Await) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and (call.lineno, call.col_offset) in self.places:
            gate = ast.Call(
                ast.Name(GATE, ast.Load()), [ast.Constant(call.lineno), ast.Constant(call.col_offset)], []
            )
            node.value = ast.copy_location(gate, call)
            return ast.fix_missing_locations(node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if (node.lineno, node.col_offset) in self.places:
            return ast.fix_missing_locations(_call(VALUE, node))
        self.generic_visit(node)
        return node


def _call(name: str, node: ast.Call) -> ast.Call:
    """A call that tells its place, instead of one of the user's."""
    place: list[ast.expr] = [ast.Constant(node.lineno), ast.Constant(node.col_offset)]
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), place, []), node)


def prepare(text: str, file: str, places: Sequence[Place]) -> types.CodeType:
    """The code of a service with its gates; the file itself is not executed yet."""
    return compile(Gates(places).visit(ast.parse(text)), file, "exec")


class Objects:
    """New objects, as marks call them: the same name means the same object."""

    def __init__(self) -> None:
        self.known: dict[str, Stranger] = {}

    def value(self, text: str, names: dict[str, Any]) -> Any:
        """The value that a text of the model stands for; exceptions are raised."""
        if text.startswith("raise "):
            raise eval(text.removeprefix("raise "), names)
        if text.startswith("<"):
            return self.known.setdefault(text, Stranger(text.strip("<>")))
        return eval(text, names)


class Performance:
    """One run of a service: a fresh one, then requests take turns."""

    def __init__(
        self, code: types.CodeType, module: str, service: str | None, answer: Callable[[Place], str]
    ) -> None:
        self.answer = answer
        """Asked for the value of a call at a gate, as text."""
        self.loop = SteppingLoop()
        self.objects = Objects()
        self.gates: dict[int, tuple[asyncio.Future[Any], Place]] = {}
        """The gate at which a request waits."""
        self.module = types.ModuleType(module)
        self.module.__dict__.update({GATE: self._gate, VALUE: self._value})
        asyncio.set_event_loop(self.loop)
        asyncio.events._set_running_loop(self.loop)
        try:
            exec(code, self.module.__dict__)
            self.owner = None if service is None else self._made(getattr(self.module, service))
        finally:
            asyncio.events._set_running_loop(None)
        self.tasks: dict[int, asyncio.Task[Any]] = {}

    def _made(self, cls: Any) -> Any:
        """The service; what its constructor needs and nobody gives is unknown."""
        parameters = inspect.signature(cls).parameters.values()
        needed = [each for each in parameters if each.default is each.empty]
        return cls(
            **{
                each.name: Stranger(each.name)
                for each in needed
                if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
            }
        )

    async def _gate(self, line: int, column: int) -> Any:
        owner = OWNER.get()
        future: asyncio.Future[Any] = self.loop.create_future()
        self.gates[owner] = future, (line, column)
        await future
        return self._value(line, column)

    def _value(self, line: int, column: int) -> Any:
        return self.objects.value(self.answer((line, column)), self.module.__dict__)

    # Turns

    def begin(self, number: int, function: str, arguments: Sequence[tuple[str, str | None]]) -> None:
        """A request comes; it has not run yet."""
        given = {
            name: Stranger(name) if text is None else self.objects.value(text, self.module.__dict__)
            for name, text in arguments
        }
        target = getattr(self.module if self.owner is None else self.owner, function)
        self.tasks[number] = self.loop.start(number, lambda: _coroutine(target, given))

    def can_go_on(self, number: int) -> bool:
        task = self.tasks[number]
        return not task.done() and (number in self.gates or self.loop.is_ready(number))

    def take_turn(self, number: int) -> None:
        """Lets a request run until it waits or ends."""
        gate = self.gates.pop(number, None)
        if gate is not None:
            gate[0].set_result(None)
        self.loop.run(number, lambda: number in self.gates or self.tasks[number].done())

    def can_be_cancelled(self, number: int) -> bool:
        """Whether a request has begun and waits."""
        return number in self.tasks and not self.tasks[number].done()

    def cancel(self, number: int) -> None:
        """Cancels a request where it waits, and lets it run until it waits again or ends."""
        self.gates.pop(number, None)
        self.tasks[number].cancel()
        self.loop.run(number, lambda: number in self.gates or self.tasks[number].done())

    def outcome(self, number: int) -> str | None:
        """What a request has answered; None if it is in flight."""
        task = self.tasks[number]
        if not task.done():
            return None
        if task.cancelled():
            return "raise CancelledError"
        failure = task.exception()
        if isinstance(failure, Endless):
            raise failure
        return describe(task.result()) if failure is None else f"raise {type(failure).__name__}"

    def line(self, number: int, file: str) -> int | None:
        """Where a request waits, in the user's file: in the innermost coroutine of it."""
        found: int | None = None
        awaited: Any = self.tasks[number].get_coro()
        while inspect.iscoroutine(awaited):
            frame = awaited.cr_frame
            if frame is not None and frame.f_code.co_filename == file:
                found = frame.f_lineno
            awaited = awaited.cr_await
        return found

    def look(self, expression: str) -> str:
        """The value of a piece of the state; `—` where there is none."""
        names = {**self.module.__dict__, "self": self.owner, self.module.__name__: self.module}
        try:
            return describe(eval(expression, names))
        except (KeyError, IndexError):
            return "—"

    def close(self) -> None:
        for task in self.tasks.values():
            setattr(task, "_log_destroy_pending", False)  # noqa: B010 - types do not know it
        self.loop.close()


async def _coroutine(target: Callable[..., Any], given: dict[str, Any]) -> Any:
    """A call of a coroutine function, or of a plain one that is marked as a handler."""
    found = target(**given)
    return await found if inspect.isawaitable(found) else found


def describe(value: object) -> str:
    """A value as text, the same for values that a service cannot tell apart."""
    match value:
        case enum.Enum():
            return f"{type(value).__name__}.{value.name}"
        case bool() | int():
            return str(int(value))
        case tuple():
            return "(" + ", ".join(map(describe, value)) + ")"
        case list():
            return "[" + ", ".join(map(describe, value)) + "]"
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(describe, value))) + "}"
        case dict():
            return "{" + ", ".join(f"{describe(key)}: {describe(item)}" for key, item in value.items()) + "}"
        case None | str() | float() | bytes():
            return repr(value)
        case Stranger():
            return repr(value)
        case _:
            return f"<{type(value).__name__}>"


def allow_strangers() -> StrangeModules:
    """From now on, modules that are not installed are replaced by strangers."""
    strangers = StrangeModules()
    sys.meta_path.append(strangers)
    return strangers
