"""The user's own code, run turn by turn: this executes it, and happens in a process of its own.

The code is unchanged, except that calls which are marked as opaque, and `asyncio.sleep`, wait at *gates*
until they are opened with a value, and that responses of web services, and objects that are answered, are
kept as what they are made of. Lines and the name of the file stay the same.
"""

import ast
import asyncio
import enum
import inspect
import sys
import types
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from seriatim.frontends.python.request_parts import Extent, extent
from seriatim.frontends.python.stepping_loop import OWNER, SteppingLoop, list_coroutines
from seriatim.frontends.python.strangers import Stranger, find_exception

GATE = "__seriatim_gate__"
VALUE = "__seriatim_value__"
BLOCK = "__seriatim_block__"
RECORD = "__seriatim_record__"
PART = "__seriatim_part__"

MOST_ENDS = 20
"""How often a coroutine that was told to end may go on waiting."""

Place = tuple[int, int]
"""The line and the column of a call."""

RELATIVES = ".".join(["beside_the_service"] * 8)
"""The package that files are taken for: what they import from beside them is unknown, as in the model."""

Action = tuple[str, int]
"""What a request does: `run`, `open` the gate of a task, `cancel`, reach a `limit`."""


class Gates(ast.NodeTransformer):
    """Puts gates in the place of calls."""

    def __init__(
        self, places: Mapping[Place, bool], records: Mapping[Place, str], parts: Mapping[Extent, str]
    ) -> None:
        self.places = places
        """Whether it is a coroutine that is called there."""
        self.records = records
        """What is told by its arguments, by name."""
        self.parts = parts
        """What stands for a parameter of the request."""

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr) or extent(node) not in self.parts:
            return super().visit(node)
        given: list[ast.expr] = [ast.Constant(self.parts[extent(node)])]
        if isinstance(node, ast.Await):  # It still waits at its gate.
            self.generic_visit(node)
            given.append(node)
        return ast.fix_missing_locations(
            ast.copy_location(ast.Call(ast.Name(PART, ast.Load()), given, []), node)
        )

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.AST:
        return self._with(node)

    def visit_With(self, node: ast.With) -> ast.AST:
        return self._with(node)

    def _with(self, node: ast.AsyncWith | ast.With) -> ast.AST:
        """Puts gates around blocks of something outside."""
        for item in node.items:
            context = item.context_expr
            if (context.lineno, context.col_offset) in self.places:
                place: list[ast.expr] = [ast.Constant(context.lineno), ast.Constant(context.col_offset)]
                item.context_expr = ast.copy_location(
                    ast.Call(ast.Name(BLOCK, ast.Load()), place, []), context
                )
                ast.fix_missing_locations(item.context_expr)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == BLOCK:
            return node
        is_awaited = self.places.get((node.lineno, node.col_offset))
        if is_awaited is not None:
            return ast.fix_missing_locations(_call(GATE if is_awaited else VALUE, node))
        self.generic_visit(node)
        name = self.records.get((node.lineno, node.col_offset))
        if name is not None:
            node.args.insert(0, ast.Constant(name))
            node.func = ast.copy_location(ast.Name(RECORD, ast.Load()), node.func)
            return ast.fix_missing_locations(node)
        return node


def _call(name: str, node: ast.Call) -> ast.Call:
    """A call that tells its place, instead of one of the user's."""
    place: list[ast.expr] = [ast.Constant(node.lineno), ast.Constant(node.col_offset)]
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), place, []), node)


def prepare(
    text: str,
    file: str,
    places: Mapping[Place, bool],
    records: Mapping[Place, str],
    parts: Mapping[Extent, str],
) -> types.CodeType:
    """The code of a service with its gates; the file itself is not executed yet."""
    return compile(Gates(places, records, parts).visit(ast.parse(text)), file, "exec")


class Record:
    """An object that is told by what it was made of: a response of a web service, say."""

    def __init__(self, name: str, *args: Any, **given: Any) -> None:
        self.name = name
        self.parts = (*args, *given.values())


class Block:
    """What stands for something outside that surrounds a block: it waits before and after."""

    def __init__(self, wait: Callable[[], Awaitable[object]]) -> None:
        self.wait = wait

    async def __aenter__(self) -> Stranger:
        await self.wait()
        return Stranger("block")

    async def __aexit__(self, *_: object) -> None:
        await self.wait()

    def __enter__(self) -> Stranger:
        return Stranger("block")

    def __exit__(self, *_: object) -> None:
        """Exceptions pass."""


class Objects:
    """New objects, as marks call them: the same name means the same object."""

    def __init__(self) -> None:
        self.known: dict[str, Stranger] = {}

    def value(self, text: str, names: dict[str, Any]) -> Any:
        """The value that a text of the model stands for; exceptions are raised."""
        if text.startswith("raise "):
            raise find_exception(text.removeprefix("raise "), names)
        if text.startswith("<"):
            return self.known.setdefault(text, Stranger(text.strip("<>")))
        return eval(text, names)


def describe(value: object) -> str:
    """A value as text, the same for values that a service cannot tell apart."""
    return (
        str(int(value))
        if isinstance(value, int) and not isinstance(value, enum.Enum)
        else _text(value, describe)
    )


def show(value: object) -> str:
    """A value as its user would write it."""
    return repr(value) if isinstance(value, bool) else _text(value, show)


def _text(value: object, tell: Callable[[object], str]) -> str:
    match value:
        case enum.Enum():
            return f"{type(value).__name__}.{value.name}"
        case int():
            return str(value)
        case tuple():
            return "(" + ", ".join(map(tell, value)) + ")"
        case list():
            return "[" + ", ".join(map(tell, value)) + "]"
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(tell, value))) + "}"
        case dict():
            return "{" + ", ".join(f"{tell(key)}: {tell(item)}" for key, item in value.items()) + "}"
        case None | str() | float() | bytes():
            return repr(value)
        case Stranger():
            return repr(value)
        case Record():
            return f"{value.name}(" + ", ".join(map(tell, value.parts)) + ")"
        case _:
            return f"<{type(value).__name__}>"


class Performance:
    """One run of a service: a fresh one, then requests take turns."""

    def __init__(
        self,
        code: types.CodeType,
        module: str,
        service: str | None,
        app: str | None,
        answer: Callable[[Place], str],
    ) -> None:
        self.app = app
        """The variable that holds the application of a web framework."""
        self.answer = answer
        """Asked for the value of a call at a gate, as text."""
        self.loop = SteppingLoop(code.co_filename)
        self.objects = Objects()
        forget_apps()
        self.gates: dict[tuple[int, int], tuple[asyncio.Future[Any], Place]] = {}
        """The gates at which requests wait: by request, and by task of it."""
        self.module = types.ModuleType(module)
        self.module.__package__ = RELATIVES
        self.module.__dict__.update(
            {GATE: self._gate, VALUE: self._value, BLOCK: self._block, RECORD: Record, PART: self._part}
        )
        asyncio.set_event_loop(self.loop)
        asyncio.events._set_running_loop(self.loop)
        try:
            exec(code, self.module.__dict__)
            self.owner = None if service is None else self._make(getattr(self.module, service))
        finally:
            asyncio.events._set_running_loop(None)
        self.parts: dict[int, dict[str, str]] = {}
        """What parts of each request are, as text."""
        self.begun: set[int] = set()
        self.waiting: set[int] = set()
        """The requests that have run, and may be interrupted."""

    def _make(self, cls: Any) -> Any:
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
        owner, task = OWNER.get(), asyncio.current_task()
        assert task is not None
        key = owner, self.loop.tasks[owner].index(task)
        future: asyncio.Future[Any] = self.loop.create_future()
        self.gates[key] = future, (line, column)
        try:
            await future
        finally:
            self.gates.pop(key, None)
        return self._value(line, column)

    def _block(self, line: int, column: int) -> Block:
        return Block(lambda: self._gate(line, column))

    def _value(self, line: int, column: int) -> Any:
        return self.objects.value(self.answer((line, column)), self.module.__dict__)

    def _unknown(self, name: str) -> Stranger:
        """An object of which nothing is known but the application that it belongs to, if it is a request."""
        found = Stranger(name)
        if self.app is not None:
            found.__dict__["app"] = getattr(self.module, self.app)
        return found

    def _part(self, name: str, *_: object) -> Any:
        """What a part of the request is that now runs."""
        return self.objects.value(self.parts[OWNER.get()][name], self.module.__dict__)

    # Turns

    def begin(self, number: int, function: str, arguments: Sequence[tuple[str, str | None]]) -> None:
        """A request comes; it has not run yet."""
        given = {
            name: self._unknown(name) if text is None else self.objects.value(text, self.module.__dict__)
            for name, text in arguments
            if name.isidentifier()
        }
        self.parts[number] = {name: text for name, text in arguments if text is not None}
        target = getattr(self.module if self.owner is None else self.owner, function)
        self.loop.start(number, lambda: _coroutine(target, given))
        self.begun.add(number)

    def options(self, number: int) -> list[Action]:
        """What a request can do next: run what is ready, or be told that a call has answered."""
        if self.is_over(number):
            return []
        ready: list[Action] = [("run", 0)] if self.loop.is_ready(number) else []
        closed = [
            member for owner, member in self.gates if owner == number and self._is_closed(number, member)
        ]
        return [*ready, *(("open", member) for member in sorted(closed))]

    def _is_closed(self, number: int, member: int) -> bool:
        return not self.gates[number, member][0].done()

    def interruptions(self, number: int) -> list[Action]:
        """How a request can be interrupted where it waits: it is cancelled, or a limit of time is reached."""
        if self.is_over(number) or self.loop.is_cancelling(number):
            return []
        limits = self.loop.limits(number)
        return [("cancel", 0), *(("limit", index) for index in range(len(limits)))]

    def act(self, number: int, action: Action) -> bool:
        """Does it; whether a task of the request has run then."""
        match action:
            case "run", _:
                self.waiting.add(number)
                return self.loop.run_next(number) is not None
            case "open", member:
                self.gates[number, member][0].set_result(None)
            case "limit", index:
                self.loop.reach_limit(number, self.loop.limits(number)[index])
            case _:
                self.loop.tasks[number][0].cancel()
        return False

    def go_on(self, number: int) -> None:
        """Runs what is ready until a task has run; the first gate is opened if nothing is."""
        while options := self.options(number):
            if self.act(number, options[0]):
                return

    def is_over(self, number: int) -> bool:
        """Whether a request, and every task that it has started, has ended."""
        return all(task.done() for task in self.loop.tasks[number])

    def outcome(self, number: int) -> str | None:
        """What a request has answered; None if it is in flight."""
        if not self.is_over(number):
            return None
        return self._tell(number, describe)

    def show_answer(self, number: int) -> str | None:
        """The same as its user would write it."""
        return self._tell(number, show) if self.is_over(number) else None

    def _tell(self, number: int, tell: Callable[[object], str]) -> str:
        task = self.loop.tasks[number][0]
        if task.cancelled():
            return "raise CancelledError"
        failure = task.exception()
        return tell(task.result()) if failure is None else f"raise {type(failure).__name__}"

    def lines(self, number: int) -> list[int]:
        """Where the tasks of a request wait, in the user's file: in the innermost coroutine of it."""
        found = (self._line(task) for task in self.loop.tasks[number] if not task.done())
        return [line for line in found if line is not None]

    def _line(self, task: "asyncio.Task[Any]") -> int | None:
        found: int | None = None
        for coroutine in list_coroutines(task):
            frame = coroutine.cr_frame
            if frame is not None and frame.f_code.co_filename == self.loop.file:
                found = frame.f_lineno
        return found

    def look(self, expression: str, tell: Callable[[object], str] = describe) -> str:
        """The value of a piece of the state; `—` where it has no value."""
        names = {**self.module.__dict__, "self": self.owner, self.module.__name__: self.module}
        try:
            return tell(eval(expression, names))
        except (KeyError, IndexError):
            return "—"

    def close(self) -> None:
        """Ends what is in flight here and now: later, its last words would be part of another run."""
        for _ in range(2):  # What ends may start tasks, of which nothing has run.
            for task in [task for tasks in self.loop.tasks.values() for task in tasks]:
                setattr(task, "_log_destroy_pending", False)  # noqa: B010 - types do not know it
                setattr(task, "_log_traceback", False)  # noqa: B010 - nor this
                _end(task.get_coro())
        self.loop.close()


def _end(coroutine: Any) -> None:
    """Ends a coroutine, even one that awaits something in `finally`."""
    for _ in range(MOST_ENDS):
        if getattr(coroutine, "cr_frame", None) is None:
            return
        with suppress(BaseException):
            coroutine.close()


async def _coroutine(target: Callable[..., Any], given: dict[str, Any]) -> Any:
    """A call of a coroutine function, or of a plain one that is marked as a handler."""
    found = target(**given)
    return await found if inspect.isawaitable(found) else found


def forget_apps() -> None:
    """Sanic allows one service of a name in a process; each run makes a fresh one."""
    sanic = sys.modules.get("sanic")
    if sanic is not None:
        sanic.Sanic._app_registry.clear()
