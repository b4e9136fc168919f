"""Proposes changes to asyncio services: a lock, a second look after a pause, a write before a pause.

A request that runs alone does the same after each of them. That is so for locks, because nobody else holds
one; for a second look, because the condition has just been false and only pauses lie in between; and for a
statement that moves up, because it neither assigns nor uses a name that the statements it passes assign. What
the pauses themselves do to the state is not known here: runs of the changed copy have to show that.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

MOST_RANGES = 12
"""Ranges of statements that are tried in each handler, the shortest first."""

INDENT = "    "

Handler = ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """A changed text of a file."""

    change: str
    title: str
    """What is done, in a phrase."""
    meaning: str
    text: str


@dataclass(frozen=True, slots=True)
class LineRange:
    """Statements of a handler that stand next to each other in one block."""

    handler: Handler
    block: Sequence[ast.stmt]
    first: int
    last: int

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line."""
        end = self.block[self.last].end_lineno
        assert end is not None
        return self.block[self.first].lineno, end


def propose_changes(text: str, handlers: Sequence[tuple[str, int]]) -> Iterator[ServiceChange]:
    """Changes of the handlers that take part in a race, each with its name and the line where it begins."""
    tree = ast.parse(text)
    found = [handler for name, line in handlers if (handler := find_handler(tree, name, line)) is not None]
    if not found:
        return
    for handler in found:
        yield from _look_again(text, handler)
        yield from _write_earlier(text, handler)
    yield from _lock(text, tree, found)


def find_handler(tree: ast.Module, name: str, line: int) -> Handler | None:
    """The coroutine of that name that begins at a line, with or without its decorators."""
    for node in ast.walk(tree):
        if isinstance(node, Handler) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= line <= node.lineno:
                return node
    return None


def pauses(node: ast.AST) -> bool:
    """Whether a statement may let others run."""
    return any(isinstance(each, ast.Await | ast.AsyncFor | ast.AsyncWith) for each in ast.walk(node))


def _blocks(handler: Handler) -> list[Sequence[ast.stmt]]:
    """The block of a handler, without its docstring, and those inside it."""
    pending: list[list[ast.stmt]] = [handler.body[1:] if ast.get_docstring(handler) else handler.body]
    found: list[Sequence[ast.stmt]] = []
    while pending:
        block = pending.pop(0)
        if block:
            found.append(block)
        for statement in block:
            if isinstance(statement, ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith):
                pending.append(statement.body)
            if isinstance(statement, ast.If):
                pending.append(statement.orelse)
            if isinstance(statement, ast.Try):
                pending += [statement.body, statement.finalbody]
    return found


# --- a second look ------------------------------------------------------------------------------------------


def _look_again(text: str, handler: Handler) -> Iterator[ServiceChange]:
    """Repeats a test that ends the handler, after the statement that pauses."""
    for block in _blocks(handler):
        for number, guard in enumerate(block):
            if not (isinstance(guard, ast.If) and _leaves(guard) and not pauses(guard)):
                continue
            after = next((n for n in range(number + 1, len(block)) if pauses(block[n])), None)
            if after is None or after == len(block) - 1:
                continue
            end = block[after].end_lineno
            assert end is not None
            lines = text.splitlines(keepends=True)
            copy = lines[guard.lineno - 1 : guard.end_lineno]
            yield ServiceChange(
                "test-again",
                f"repeat the test of line {guard.lineno} after the pause in line {block[after].lineno}",
                "After the test, nobody else runs any more before this request goes on.",
                "".join([*lines[:end], *copy, *lines[end:]]),
            )


def _leaves(guard: ast.If) -> bool:
    return not guard.orelse and isinstance(guard.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


# --- a write before the pause -------------------------------------------------------------------------------


def _write_earlier(text: str, handler: Handler) -> Iterator[ServiceChange]:
    """Moves a statement up, over one that pauses."""
    for block in _blocks(handler):
        for number in range(1, len(block)):
            moved, passed = block[number], block[number - 1]
            if not pauses(passed) or pauses(moved) or not _is_write(moved) or _depend(passed, moved):
                continue
            assert moved.end_lineno is not None
            lines = text.splitlines(keepends=True)
            piece = lines[moved.lineno - 1 : moved.end_lineno]
            rest = lines[passed.lineno - 1 : moved.lineno - 1]
            yield ServiceChange(
                "write-earlier",
                f"move line {moved.lineno} before the pause in line {passed.lineno}",
                "Others see the change before this request pauses.",
                "".join([*lines[: passed.lineno - 1], *piece, *rest, *lines[moved.end_lineno :]]),
            )


def _is_write(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete | ast.Expr)


def _depend(passed: ast.stmt, moved: ast.stmt) -> bool:
    """Whether the order of two statements counts for the names that they use, or one of them may leave."""
    if any(isinstance(each, ast.Return | ast.Raise | ast.Break | ast.Continue) for each in ast.walk(passed)):
        return True
    return bool(_assigned(passed) & _used(moved) or _assigned(moved) & (_used(passed) | _assigned(passed)))


def _assigned(node: ast.AST) -> set[str]:
    """Names, and attributes of names, that a statement assigns."""
    return {
        ast.unparse(each)
        for each in ast.walk(node)
        if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.ctx, ast.Store | ast.Del)
    }


def _used(node: ast.AST) -> set[str]:
    return {
        ast.unparse(each)
        for each in ast.walk(node)
        if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.ctx, ast.Load)
    }


# --- a lock -------------------------------------------------------------------------------------------------


def _lock(text: str, tree: ast.Module, handlers: Sequence[Handler]) -> Iterator[ServiceChange]:
    """Holds one lock in a range of each handler, the shortest ranges first."""
    choices = [_ranges(text, handler)[:MOST_RANGES] for handler in handlers]
    place = _place_of_lock(text, tree, handlers)
    if place is None or not all(choices):
        return
    for chosen in sorted(product(*choices), key=_size):
        shown = " and ".join(_shown_lines(*each.lines) for each in chosen)
        yield ServiceChange(
            "lock",
            f"hold a lock in {shown}",
            "Requests take turns there, in the order in which they come; outside, they still run together.",
            _with_lock(text, place, [each.lines for each in chosen]),
        )


def _with_lock(text: str, place: "_Place", ranges: Sequence[tuple[int, int]]) -> str:
    """The text with a new lock, which is held in some ranges of lines."""
    found = [new for after, new in place.insertions if after == 0]
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        held = next((each for each in ranges if each[0] <= number <= each[1]), None)
        if held is not None and held[0] == number:
            found.append(f"{line[: len(line) - len(line.lstrip())]}async with {place.name}:\n")
        found.append(f"{INDENT}{line}" if held is not None and line.strip() else line)
        found += [new for after, new in place.insertions if after == number]
    return "".join(found)


def _size(chosen: Sequence[LineRange]) -> int:
    return sum(last - first for first, last in (each.lines for each in chosen))


def _shown_lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _ranges(text: str, handler: Handler) -> list[LineRange]:
    """The ranges that a lock can hold: those that pause, or of a handler without pauses all that there is."""
    blocks = _blocks(handler)
    found = [
        LineRange(handler, block, first, last)
        for block in blocks
        for first in range(len(block))
        for last in range(first, len(block))
    ]
    if pauses(handler):
        found = [each for each in found if _pauses_inside(each)]
    else:
        found = [
            each
            for each in found
            if each.block is blocks[0] and each.first == 0 and each.last + 1 == len(blocks[0])
        ]
    return sorted((each for each in found if _can_be_indented(text, each)), key=lambda each: _size([each]))


def _pauses_inside(each: LineRange) -> bool:
    """Whether others can run between the first thing that the range does and its last.

    A write right behind a pause belongs to the range: it works outside, but only until somebody adds a pause.
    """
    inside = each.block[each.first : each.last + 1]
    is_one_step = len(inside) == 1 and isinstance(inside[0], ast.Expr | ast.Return)
    behind = each.block[each.last + 1 : each.last + 2]
    leaves_a_write = pauses(inside[-1]) and any(_is_write(after) and not pauses(after) for after in behind)
    return any(map(pauses, inside)) and not is_one_step and not leaves_a_write


def _can_be_indented(text: str, each: LineRange) -> bool:
    """Whether the lines of a range belong to it alone, and no text with several lines is in them."""
    inside = each.block[each.first : each.last + 1]
    for node in (inner for statement in inside for inner in ast.walk(statement)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno:
            return False
    lines = text.encode().splitlines()
    first, last = each.lines
    before = lines[first - 1][: inside[0].col_offset].strip()
    behind = lines[last - 1][inside[-1].end_col_offset :].strip()
    return not before and (not behind or behind.startswith(b"#"))


@dataclass(frozen=True, slots=True)
class _Place:
    """The name of a new lock, and the lines that make it, each with the number of lines before them."""

    name: str
    insertions: tuple[tuple[int, str], ...]


def _place_of_lock(text: str, tree: ast.Module, handlers: Sequence[Handler]) -> _Place | None:
    """The constructor of the class of all handlers, or the module; None if there is no place for it."""
    name = next(each for each in ("_lock", "_turn", "_requests_lock", "_one_at_a_time") if each not in text)
    asyncio_name = _asyncio_name(tree)
    make = f"{asyncio_name or 'asyncio'}.Lock()"
    top = _end_of_imports(tree)
    needed = () if asyncio_name else ((top, "import asyncio\n" if top else "import asyncio\n\n\n"),)
    classes = [_class_of(tree, handler) for handler in handlers]
    if all(each is None for each in classes):
        return _Place(name, (*needed, (top, f"\n{name} = {make}\n")))
    owner = classes[0]
    if owner is None or any(each is not owner for each in classes):
        return None
    constructor = next(
        (each for each in owner.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None
    )
    if constructor is None or constructor.end_lineno is None:
        return None
    first = constructor.body[0]
    if first.lineno == constructor.lineno:
        return None
    own = f"{handlers[0].args.args[0].arg}.{name}"
    return _Place(own, (*needed, (constructor.end_lineno, f"{' ' * first.col_offset}{own} = {make}\n")))


def _end_of_imports(tree: ast.Module) -> int:
    """The number of lines up to the last import of the module, or at least its docstring."""
    documented = ast.get_docstring(tree) is not None
    heads = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    return max((each.end_lineno or 0 for each in [*tree.body[:documented], *heads]), default=0)


def _class_of(tree: ast.Module, handler: Handler) -> ast.ClassDef | None:
    return next(
        (each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and handler in each.body), None
    )


def _asyncio_name(tree: ast.Module) -> str | None:
    """Finds the name by which the module calls asyncio."""
    for each in tree.body:
        if isinstance(each, ast.Import):
            for alias in each.names:
                if alias.name == "asyncio":
                    return alias.asname or alias.name
    return None
