"""What a file may not do if its integers are recorded, and the texts in it that may show them."""

import ast
import builtins
import dis
import logging
import types
from collections.abc import Iterator
from typing import Any

from seriatim.frontends.python import requests
from seriatim.frontends.python.canonical import Unseen
from seriatim.frontends.python.loading import Loaded, user_value
from seriatim.frontends.python.proving import compares_identity
from seriatim.frontends.python.recording import CALLABLE_TYPES, NUMBERS, is_carrier


def refuse_types(loaded: Loaded) -> None:
    """Raises `Unseen` for code that may see that a recorded integer is no integer."""
    for module in loaded.modules():
        tree = ast.parse(loaded.text_of(module))
        if compares_identity(tree):
            raise Unseen("it compares identities (`is`)")
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and _is_of_number(node):
                raise Unseen("it compares the identity of a number (`is`)")
            value = _meaning(node, vars(module))
            if value is type:
                raise Unseen("it looks at types (`type`)")
            if isinstance(value, type) and not _may_make(value):
                raise Unseen(f"it uses `{value.__qualname__}`, which may look into integers")
        refuse_looks(tree, vars(module))


SPECIAL = frozenset((
    "__init__", "__new__", "__init_subclass__", "__post_init__", "__set_name__", "__name__", "__qualname__",
    "__aenter__", "__aexit__", "__enter__", "__exit__", "__await__", "__aiter__", "__anext__", "__iter__",
    "__next__", "__class__", "__dict__", "__debug__", "__file__", "__main__", "__all__", "__version__",
    "__cause__", "__context__",
))  # fmt: skip
"""Names with underscores that a file may look up: integers have none of them, or tell the same under them."""

OF_RECORDED = frozenset(("term", "sources"))
"""What a recorded integer has, and an integer has not."""

OF_C = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)


def refuse_looks(tree: ast.Module, names: dict[str, Any]) -> None:
    """Raises `Unseen` for code that may look up what integers have, or hands functions of C on, which are
    then called without anybody seeing it."""
    called = {id(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if _is_special(name):
                raise Unseen(f"it looks up `{name}`")
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr" | "setattr" | "delattr" as how), args=[_, name, *_]
            ):
                if not isinstance(name, ast.Constant) or _is_special(str(name.value)):
                    raise Unseen(f"it looks up names (`{how}`) that may be those of integers")
        value = _meaning(node, names)
        if isinstance(value, OF_C) and id(node) not in called:
            raise Unseen(f"it hands on `{value.__qualname__}`, which may look into integers")
        owner = _meaning(node.value, names) if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Attribute) and any(owner is kind for kind in NUMBERS):
            raise Unseen(f"it uses `{node.attr}` of a type of numbers")


def _is_special(name: str) -> bool:
    return name in OF_RECORDED or (name.startswith("__") and name.endswith("__") and name not in SPECIAL)


def _is_of_number(node: ast.Compare) -> bool:
    is_identity = any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops)
    sides = [each.value for each in (node.left, *node.comparators) if isinstance(each, ast.Constant)]
    return is_identity and any(each is not None and not isinstance(each, bool) for each in sides)


def _meaning(node: ast.AST, names: dict[str, Any]) -> Any:
    """What a name stands for in a module, as far as that is plain to see."""
    match node:
        case ast.Name(id=name):
            return names.get(name, vars(builtins).get(name))
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            owner = names.get(name)
            return vars(owner).get(attribute) if isinstance(owner, types.ModuleType) else None
    return None


def _may_make(kind: type) -> bool:
    return all(each in CALLABLE_TYPES or is_carrier(each) for each in kind.__mro__)


# Texts that may show integers

Extent = tuple[int, int, int, int]
"""The lines and columns of a part of a text."""

OF_LOGGERS = frozenset(("debug", "info", "warning", "error", "exception", "critical", "log"))


LOOKS = frozenset((
    "exc_info", "return_exceptions", "exception", "exceptions", "__exit__", "__aexit__", "push",
    "push_async_exit",
))  # fmt: skip
"""Names by which code looks at exceptions without naming them in `except`."""

LISTENS = frozenset((
    "Handler", "Filter", "Formatter", "LoggerAdapter", "addHandler", "addFilter", "setFormatter",
    "makeRecord", "handlers", "filters", "dictConfig", "fileConfig", "basicConfig", "stdout", "stderr",
    "displayhook",
))  # fmt: skip
"""Names by which code may read what is logged or printed."""


class Tellers:
    """The texts in a file that are only told: as the answer of a request, by an exception that nobody looks
    at, or to a logger.

    Only the instruction that formats a value of such a text counts, and only where all its values are plain.
    """

    def __init__(self, loaded: Loaded) -> None:
        trees = {each.__file__ or "": (each, ast.parse(loaded.text_of(each))) for each in loaded.modules()}
        looks = any(_looks_at_exceptions(node) for _, tree in trees.values() for node in ast.walk(tree))
        listens = any(name in LISTENS for _, tree in trees.values() for name in _names_in(tree))
        self.returned: dict[str, list[Extent]] = {}
        self.told: dict[str, list[Extent]] = {}
        for file, (module, tree) in trees.items():
            nodes = list(ast.walk(tree))
            names = {**vars(module), **dict.fromkeys(bound_inside(tree))}
            self.returned[file] = [
                _extent(text) for each in nodes if isinstance(each, ast.Return) for text in _texts(each.value)
            ]
            self.told[file] = [
                _extent(text)
                for each in nodes
                if not (looks if isinstance(each, ast.Raise) else listens)
                for text in _told_texts(each, names, loaded)
            ]

    def may_tell(self, frame: types.FrameType) -> bool:
        """Whether the code of a frame now makes such a text."""
        code, caller = frame.f_code, frame.f_back
        if not dis.opname[code.co_code[frame.f_lasti]].startswith("FORMAT_"):
            return False
        line, end, column, last = list(code.co_positions())[frame.f_lasti // 2]
        if line is None or end is None or column is None or last is None:
            return False
        extents = self.told.get(code.co_filename, [])
        if caller is not None and (caller.f_code.co_filename, caller.f_code.co_qualname) == CALLER:
            extents = extents + self.returned.get(code.co_filename, [])
        return any(
            (each[0], each[2]) <= (line, column) and (end, last) <= (each[1], each[3]) for each in extents
        )


CALLER = (requests.__file__, "_caller.<locals>.call")
"""What calls the code of a request."""


def _looks_at_exceptions(node: ast.AST) -> bool:
    match node:
        case ast.ExceptHandler(name=str()):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            return name in LOOKS
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.Constant(value=str(name)):
            return name in LOOKS
    return False


def _names_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name


def bound_inside(tree: ast.Module) -> set[str]:
    """The names that functions and classes bind for themselves: outside they may mean something else."""
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    found: set[str] = set()
    for scope in ast.walk(tree):
        for node in ast.walk(scope) if isinstance(scope, scopes) else ():
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                    found.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    if node is not scope:
                        found.add(name)
                case (
                    ast.ExceptHandler(name=str(name))
                    | ast.MatchAs(name=str(name))
                    | ast.MatchStar(name=str(name))
                ):
                    found.add(name)
                case ast.alias(name=name, asname=other):
                    found.add(other or name)
    return found


def _extent(node: ast.expr) -> Extent:
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def _texts(node: ast.expr | None) -> Iterator[ast.expr]:
    """The texts with values in them that a value has as parts."""
    match node:
        case ast.JoinedStr():
            inner = list(ast.walk(node))
            computes = any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr) for each in inner)
            if not computes and sum(isinstance(each, ast.JoinedStr) for each in inner) == 1:
                yield node
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            for each in parts:
                yield from _texts(each)


def _told_texts(node: ast.AST, names: dict[str, Any], loaded: Loaded) -> Iterator[ast.expr]:
    """The texts in what is raised, printed, or given to a logger."""
    match node:
        case ast.Raise(exc=ast.Call(func=made, args=args, keywords=keywords)) if _keeps_texts(
            _meaning(made, names), loaded
        ):
            arguments = [*args, *(each.value for each in keywords)]
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=arguments, keywords=[])) if (
            "print" not in names
        ):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=name), args=arguments)) if (
            name in OF_LOGGERS and type(_meaning(owner, names)) is logging.Logger
        ):
            pass
        case _:
            return
    for each in arguments:
        yield from _texts(each)


def _keeps_texts(kind: Any, loaded: Loaded) -> bool:
    """Whether an exception only keeps what it is made of."""
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        return False
    own = [vars(each) for each in kind.__mro__ if user_value(each, loaded)]
    return not any(name in fields for fields in own for name in ("__init__", "__new__", "__setattr__"))
