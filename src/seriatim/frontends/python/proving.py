"""The system of a service from its runs, as plain data, after it was compared with fresh runs.

Whatever could make the system wrong, and is known before anything runs, is refused here: packages whose state
cannot be seen, code that looks into asyncio's own objects, routes that run in threads.
"""

import ast
import builtins
import enum
import logging
import os
import re
import sys
import threading
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from seriatim.frontends.python.canonical import Seer, SharedState, Unseen, probe_stacks
from seriatim.frontends.python.closing import Closer, Limit, TooMany, in_copy, latest, start_of
from seriatim.frontends.python.covering import Moves, TooManyMoments, outcomes
from seriatim.frontends.python.exploring import Explorer
from seriatim.frontends.python.loading import Builtins, Loaded, user_value
from seriatim.frontends.python.places import MOST_NUMBERS, Places, Recorded
from seriatim.frontends.python.requests import Service, is_coroutine
from seriatim.frontends.python.running import Loop
from seriatim.frontends.python.stand_ins import STORES, WORLD, StandIn, StandInModule
from seriatim.frontends.python.turns import Turns, prepare

Json = dict[str, Any]

PURE = frozenset(("annotated_types", "attr", "attrs", "seriatim", "typing_extensions"))
"""Installed packages that keep no state of a service."""

OF_ASYNCIO = frozenset((
    "_waiters", "_getters", "_putters", "_queue", "_locked", "_value", "_unfinished_tasks", "_callbacks",
    "_fut_waiter", "_ready", "_scheduled",
))  # fmt: skip
MEMORIES = frozenset(("_cache", "_cache2", "_caches", "_cleanups"))
"""Where `re` and `typing` keep what they have computed; it only saves time."""

UNSEEN = frozenset((
    "get_name", "set_name", "weakref", "gc", "ctypes", "getrefcount", "all_tasks", "_getframe", "settrace",
    "setprofile", "__traceback__", "format_exc", "start_new_thread", "set_task_factory", "new_event_loop",
    "getsizeof", "call_soon_threadsafe", "run_coroutine_threadsafe", "threading", "multiprocessing",
    "concurrent", "eager_task_factory", "set_exception_handler", "__annotations__", "__builtins__",
    "import_module", "__import__", "setrecursionlimit", "set_int_max_str_digits", "setswitchinterval",
    "umask", "chdir", "fchdir", "field_size_limit", "register_dialect", "unregister_dialect",
    "setdefaulttimeout", "setlocale", "tzset", "setrlimit", "addLevelName", "DefaultContext", "BasicContext",
    "ExtendedContext", "simplefilter", "filterwarnings", "resetwarnings", "catch_warnings", "setitimer",
    "redirect_stdout", "redirect_stderr", "captureWarnings", "setLoggerClass", "setLogRecordFactory",
    "__subclasses__", "register_error", "atexit", "set_asyncgen_hooks", "getsignal", "raise_signal",
    "get_event_loop_policy", "copyreg", "__args__", "get_args",
))  # fmt: skip
"""Names of what shows or changes more than forms tell."""


def find_system(
    loop: Loop,
    service: Service,
    loaded: Loaded,
    explorer: Explorer,
    file: str,
    seconds: float,
    *,
    alone: bool = False,
) -> Json:
    """The system of a service, or the reason why there is none; with `alone`, as far as requests get that
    come one at a time."""
    try:
        ends = latest(seconds)
        work = partial(_close, loop, service, loaded, explorer, file, ends, alone)
        found: Json | Unseen = in_copy(work, ends)
    except Unseen as unseen:
        return {"reason": str(unseen)}
    return {"reason": str(found)} if isinstance(found, Unseen) else found


def _close(
    loop: Loop, service: Service, loaded: Loaded, explorer: Explorer, file: str, ends: Limit, alone: bool
) -> Json:
    turns, find_change = make_turns(loop, service, loaded)
    places = Places(turns.shared, loaded.modules(), Recorded(most_values=MOST_NUMBERS))
    closer = Closer(turns, file, partial(tell_state, explorer), find_change, ends, places, alone=alone)
    try:
        moves = closer.close()
        difference = compare(closer, moves, explorer, alone=alone)
    except (Unseen, TooMany) as failed:
        return {"reason": str(failed)}
    except TooManyMoments:
        return {"reason": "there are too many ways in which requests meet to compare them with runs"}
    if difference:
        return {"reason": f"the states that were read off differ from what runs do: {difference}"}
    return {"system": tell_system(closer, moves), "turns": closer.count}


def make_turns(loop: Loop, service: Service, loaded: Loaded) -> tuple[Turns, Callable[[], str | None]]:
    """Makes this process one in which requests take turns; also returns what finds changes around them."""
    sources = [loaded.text_of(each) for each in loaded.modules()]
    refuse_unseen(loop, service, loaded, [ast.parse(text) for text in sources])
    seer = Seer(
        lambda kind: user_value(kind, loaded),
        sees_identity=any(compares_identity(ast.parse(text)) for text in sources),
        sees_joins=any(re.search(r"task_done|await\s[^\n]*\.join\(\s*\)", text) for text in sources),
    )
    shared = SharedState(seer, lambda: list(find_roots(service, loaded)))
    turns = Turns(loop, service.requests, seer, shared)
    prepare(loop, turns, loaded.is_users)
    for module in loaded.modules():
        known = vars(module).get("__builtins__")
        if isinstance(known, Builtins):
            known["id"] = builtins.id  # It has its own copy of the names.
    return turns, Surroundings(loaded, loop).find_change


def tell_state(explorer: Explorer) -> str:
    """The shared state, as what has changed since the start."""
    found = explorer.look()
    changed = [f"{name} = {text}" for name, text in found.items() if explorer.initial.get(name) != text]
    return "; ".join(sorted(changed)) or "as at the start"


def refuse_unseen(loop: Loop, service: Service, loaded: Loaded, trees: list[ast.Module]) -> None:
    """Raises `Unseen` for what is known to be outside of what forms tell."""
    if not probe_stacks():
        raise Unseen(f"the variables of coroutines cannot be seen in Python {sys.version.split()[0]}")
    if loop.pending or not loop.is_idle:
        raise Unseen("the file starts tasks that go on in the background")
    kept = sorted(set(WORLD.missing) & STORES)
    if kept:
        raise Unseen(f"state lives in `{kept[0]}`, where requests may race as well")
    for each in WORLD.routes:
        if not is_coroutine(each):
            raise Unseen(f"`{each.__name__}` is a route that runs in a thread")
    for module in loaded.modules():
        for value in vars(module).values():
            name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "")
            top = (name or "").partition(".")[0] if isinstance(name, str) else ""
            origin = getattr(sys.modules.get(top), "__file__", None) or ""
            if "site-packages" in origin and top not in PURE and top not in WORLD.missing:
                raise Unseen(f"it uses `{top}`, an installed package whose state cannot be seen")
    for tree in trees:
        for name in used_names(tree):
            if name in UNSEEN:
                raise Unseen(f"it uses `{name}`, which shows or does more than can be seen")
    del service


def used_names(tree: ast.Module) -> Iterator[str]:
    """The names that a file uses in any way that may reach outside."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Attribute(value=ast.Name(id="signal"), attr="signal"):
                raise Unseen("it uses `signal.signal`, which keeps what it is given")
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                raise Unseen("it uses `sys.modules`, through which all state of the library can be reached")
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in OF_ASYNCIO:
                pass
            case ast.Attribute(attr=name):
                yield name
                if name in OF_ASYNCIO:
                    raise Unseen(f"it uses `{name}`, which asyncio keeps to itself")
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for each in names:
                    yield from each.name.split(".")
                if isinstance(node, ast.ImportFrom) and node.module:
                    yield from node.module.split(".")
            case ast.Constant(value=str(name)) if name.isidentifier():
                yield name  # It may be used with `getattr`.


def compares_identity(tree: ast.Module) -> bool:
    """Whether a file asks whether two values, neither of them a constant, are the same object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
            sides = [node.left, *node.comparators]
            if sum(not isinstance(each, ast.Constant) for each in sides) > 1:
                return True
        match node:
            case ast.Attribute(attr="is_" | "is_not") | ast.alias(name="is_" | "is_not"):
                return True
    return False


def find_roots(service: Service, loaded: Loaded) -> Iterator[tuple[str, Any]]:
    """Whatever code can reach, by name."""
    if "self" in service.roots:
        yield "self", service.roots["self"]
    for module in loaded.modules():
        for name, value in list(vars(module).items()):
            if name not in ("__builtins__", "__loader__", "__spec__", "__file__", "__cached__"):
                yield f"{module.__name__}.{name}", value
        known = vars(module).get("__builtins__")
        if isinstance(known, Builtins):
            for name, value in list(known.items()):
                if type(value) is StandIn:
                    yield f"builtins.{name}", value
    yield "logging.disable", logging.root.manager.disable
    yield "logging.root", logging.root
    for name, logger in sorted(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger):
            yield f"logger {name}", logger
    yield "environment", tuple(sorted(os.environ.items()))
    for number, request in enumerate(service.requests):
        yield f"request {number}", request.make


def loaded_by_imports(loaded: Loaded) -> Iterator[str]:
    """The names of modules that the user's files import anywhere, with the packages that they are in."""
    for module in loaded.modules():
        for node in ast.walk(ast.parse(loaded.text_of(module))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            for name in names:
                parts = name.split(".")
                yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def is_inner(name: str, value: Any) -> bool:
    """Whether a value in a module of the library is something whose parts have to stay as they are."""
    if isinstance(value, type):
        return True
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType | logging.Logger):
        return False
    if type(value) in (dict, list, set):
        return name not in MEMORIES
    return type(value) not in (int, str, float, bytes, tuple, bool) and isinstance(
        getattr(value, "__dict__", None), dict
    )


def parts_of(value: Any) -> list[Any]:
    """What is in a container, a class or an object: names and values, and the attributes of functions."""
    if type(value) in (list, set):
        return list(value)
    fields = value if type(value) is dict else vars(value)
    functions = [each for each in fields.values() if isinstance(each, types.FunctionType)]
    items = [item for each in [fields, *map(vars, functions)] for item in list(each.items())]
    return [part for item in items for part in item]


def library_modules(loaded: Loaded) -> list[types.ModuleType]:
    """The modules of Python's library that a file can reach by its names and imports."""
    met: list[Any] = [sys.modules.get(name) for name in loaded_by_imports(loaded)]
    met += [value for module in loaded.modules() for value in vars(module).values()]
    found: dict[int, types.ModuleType] = {id(builtins): builtins}
    for value in met:
        if not isinstance(value, types.ModuleType) or isinstance(value, StandInModule):
            continue
        if not loaded.is_users(getattr(value, "__file__", None) or ""):
            found[id(value)] = value
    return list(found.values())


def inner_values(loaded: Loaded, modules: list[dict[str, Any]]) -> list[Any]:
    """The containers, classes and objects in modules of the library, and the members of enumerations."""
    found = {id(each): each for kept in modules for name, each in kept.items() if is_inner(name, each)}
    for module in loaded.modules():
        for value in vars(module).values():
            if isinstance(value, type) and not user_value(value, loaded):
                found[id(value)] = value
    for value in list(found.values()):
        if isinstance(value, enum.EnumType):
            members: list[Any] = list(value)
            found |= {id(each): each for each in members if hasattr(each, "__dict__")}
    return list(found.values())


class Surroundings:
    """The modules of Python's library that a file uses: they have to stay as they are."""

    def __init__(self, loaded: Loaded, loop: Loop) -> None:
        self.loop, self.of_loop = loop, frozenset(vars(loop))
        self.modules = library_modules(loaded)
        self.kept = [dict(vars(each)) for each in self.modules]
        self.inner = inner_values(loaded, self.kept)
        self.kept_inner = [parts_of(each) for each in self.inner]
        """The containers, classes and objects in these modules, and what is in them."""
        self.count = len(sys.modules)
        self.threads = threading.active_count()

    def find_change(self) -> str | None:
        for module, kept in zip(self.modules, self.kept, strict=True):
            now = vars(module)
            if len(now) != len(kept) or any(now.get(name) is not value for name, value in kept.items()):
                return f"the module `{module.__name__}` changes"
        for inside, known in zip(self.inner, self.kept_inner, strict=True):
            parts = parts_of(inside)
            if len(parts) != len(known) or any(a is not b for a, b in zip(parts, known, strict=True)):
                return f"something in Python's library changes: a value of `{type(inside).__qualname__}`"
        if len(sys.modules) != self.count:
            return "modules are imported while requests are answered"
        if frozenset(vars(self.loop)) != self.of_loop:
            return "it gives attributes to the loop"
        return "it starts threads" if threading.active_count() != self.threads else None


# Comparing with fresh runs

MARK = re.compile(r" \[[^\[\]]*\]$")
NAMED_ANSWER = re.compile(r"answer (?:[0-9a-f]{32}|[ab]) of")


def plain(answer: str) -> str:
    """An answer without the names that runs give to objects and to unknown values."""
    return NAMED_ANSWER.sub("answer of", MARK.sub(" [an object]", answer))


def compare(closer: Closer, moves: Moves, explorer: Explorer, *, alone: bool = False) -> str | None:
    """Where the system differs from fresh runs; None if each of their outcomes is one of the system's, and
    one-at-a-time outcomes are the same. With `alone`, only the latter count."""
    names = [each.label for each in explorer.service.requests]

    def answer(local: str) -> str:
        text = closer.known.locals[local]
        return f"{names[text.request]}/{plain(text.answer or '')}"

    for group, seen in explorer.seen.items():
        closer.check_time()
        starts = tuple(start_of(index) for index in group)
        find: Callable[..., set[tuple[str, ...]]] = partial(outcomes, moves, closer.first, starts, answer)
        serial = find(one_at_a_time=True)
        real = {tuple(sorted(map(_plain_pair, each))) for each in seen.serial}
        if seen.is_serial_whole and serial != real:
            odd = min(serial ^ real)
            where = "only in runs" if odd in real else "in no run"
            return f"{', '.join(odd)} one at a time occurs {where}"
        together = {tuple(sorted(map(_plain_pair, each))) for each in seen.together if not alone}
        if missing := together - find(one_at_a_time=False):
            return f"{', '.join(min(missing))} occurs only in runs"
    return None


def _plain_pair(pair: tuple[str, str]) -> str:
    return f"{pair[0]}/{plain(pair[1])}"


def tell_system(closer: Closer, moves: Moves) -> Json:
    """The system as plain data: names and texts, and numbers into them."""
    states = {state: number for number, state in enumerate(closer.known.states)}
    reached = {local for local, _ in moves.targets} | {
        local for targets in moves.targets.values() for local, _ in targets
    }
    locals_ = {local: number for number, local in enumerate(sorted_locals(closer, reached))}
    texts: list[Json] = []
    for local in locals_:
        if local.startswith("start "):
            texts.append({"request": int(local.removeprefix("start ")), "answer": None, "line": None})
        else:
            known = closer.known.locals[local]
            texts.append({
                "request": known.request, "answer": known.answer, "line": known.line, "waits": known.waits,
            })  # fmt: skip
    delta = sorted(
        {
            (locals_[local], states[state], locals_[target], states[new])
            for (local, state), targets in moves.targets.items()
            for target, new in targets
        }
    )
    return {
        "states": list(closer.known.states.values()),
        "first": states[closer.first],
        "locals": texts,
        "delta": delta,
    }


def sorted_locals(closer: Closer, reached: set[str]) -> list[str]:
    starts = [start_of(index) for index in range(len(closer.turns.requests))]
    return starts + [local for local in closer.known.locals if local in reached and local not in starts]
