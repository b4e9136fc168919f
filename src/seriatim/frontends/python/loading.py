"""Loads a user's file as Python would: as a part of its package, with stand-ins for what is not installed."""

import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import itertools
import linecache
import os
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from seriatim.frontends.python.applications import place_application
from seriatim.frontends.python.running import substitute
from seriatim.frontends.python.sandbox import GUARD, Refusal
from seriatim.frontends.python.stand_ins import (
    NEW_ENOUGH,
    WORLD,
    OutsideModules,
    StandIn,
    StandInModules,
)

MOST_ABOVE = 4
"""How many folders above a file its project may reach."""

OF_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", ".git")
"""What lies in the folder of a project."""

OURS = f"{Path(__file__).parents[3]}{os.sep}"
"""Seriatim's own modules, which are nobody else's, also where a file lies above them."""

MOST_FILES = 300
"""Files that are looked at for names of exceptions."""

CAUGHT = re.compile(r"^\s*except\s+(?:\w+\.)*(\w+)(?:\s+as\s+\w+)?:", re.MULTILINE)


class LoadingFailed(Exception):
    """The file cannot be imported; says why, with the line where that is known."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


class Loaded:
    """A module with the folder of its package."""

    def __init__(self, module: types.ModuleType, text: str, is_users: Callable[[str], bool]) -> None:
        self.module = module
        self.text = text
        self.is_users = is_users
        """Whether a file is one of the user's."""

    def modules(self) -> list[types.ModuleType]:
        """The user's modules that are loaded, by name."""
        found = sorted(sys.modules.items())
        return [each for _, each in found if self.is_users(getattr(each, "__file__", None) or "")]

    def text_of(self, module: types.ModuleType) -> str:
        """The text that was loaded: of the file under check, what was given, which need not be on disk."""
        return self.text if module is self.module else Path(module.__file__ or "").read_text()


class Neighbours(importlib.abc.MetaPathFinder):
    """Finds the user's modules, before installed ones of the same name. One beside the file that cannot be
    imported becomes a stand-in."""

    def __init__(
        self,
        main: str,
        text: str,
        folders: list[str],
        is_users: Callable[[str], bool],
        strangers: StandInModules,
    ) -> None:
        self.main, self.text, self.folders = main, text, folders
        self.is_users, self.strangers = is_users, strangers

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        del target
        spec = None
        if path is None and not is_of_library(name):
            spec = importlib.machinery.PathFinder.find_spec(name, self.folders)
        if spec is None or spec.loader is None:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
        if name == self.main:
            if spec is not None and spec.origin is not None and spec.loader is not None:
                spec.loader = GivenText(name, spec.origin, self.text)
            return spec
        if spec is None or spec.loader is None or not self.is_users(spec.origin or ""):
            return None
        spec.loader = Forgiving(spec.loader, self.strangers)
        return spec


class GivenText(importlib.machinery.SourceFileLoader):
    """Loads a text in the place of a file, which may have another on disk."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> types.CodeType:
        del fullname
        return compile(self.text, self.path, "exec", dont_inherit=True)

    def get_source(self, fullname: str) -> str:
        del fullname
        return self.text


class Forgiving(importlib.abc.Loader):
    """Loads a module, and puts a stand-in in its place if that fails."""

    def __init__(self, inner: Any, strangers: StandInModules) -> None:
        self.inner, self.strangers = inner, strangers

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def create_module(self, spec: Any) -> Any:
        return self.inner.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        try:
            self.inner.exec_module(module)
        except (Exception, SystemExit):  # The user's code may raise anything.
            if GUARD.complaint is not None:
                raise
            WORLD.missing.setdefault(module.__name__)
            self.strangers.take_place(module)


class Environment(dict[str, str]):
    """The environment of the code: a variable that it insists on has the value `1`."""

    def __missing__(self, name: str) -> str:
        WORLD.missing.setdefault(f"${name}")
        return "1"

    def copy(self) -> "Environment":
        return Environment(self)


class Builtins(dict[str, Any]):
    """The names that every file knows. One that nobody defines is unknown, and so a stand-in."""

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        WORLD.missing.setdefault(name)
        return self.setdefault(name, StandIn(name))


def module_place(file: Path) -> tuple[Path, str]:
    """The folder from which a file is imported, and its name from there."""
    root, parts = file.parent, [file.stem]
    while (root / "__init__.py").exists() and root.parent != root:
        parts.insert(0, root.name)
        root = root.parent
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return root, ".".join(parts)


def far_roots(file: Path, text: str, root: Path) -> list[Path]:
    """The folders above a file, within its project, from which it imports what is not beside it."""
    parents = list(itertools.islice(root.parents, MOST_ABOVE))
    ends = next(
        (at for at, each in enumerate(parents) if any((each / mark).exists() for mark in OF_PROJECTS)), None
    )
    if ends is None:
        return []
    found: dict[Path, None] = {}
    for top in imported_tops(ast.parse(text, str(file))):
        if not is_module_in(root, top):
            found |= dict.fromkeys(each for each in parents[: ends + 1] if is_module_in(each, top))
    return list(found)


def imported_tops(tree: ast.Module) -> Iterator[str]:
    """The packages that a file imports by their full names, without those of Python's library."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        yield from (top for top in (name.partition(".")[0] for name in names) if not is_of_library(top))


def is_of_library(top: str) -> bool:
    return top in sys.stdlib_module_names


def is_module_in(folder: Path, top: str) -> bool:
    return (folder / f"{top}.py").exists() or any((folder / top).glob("*.py"))


def all_named_exceptions(folders: Sequence[str], text: str) -> frozenset[str]:
    """The names that a file, or one beside it, catches or raises."""
    found = named_exceptions(text)
    files = (each for folder in folders for each in Path(folder).rglob("*.py"))
    for each in itertools.islice(files, MOST_FILES):
        with suppress(OSError, ValueError):
            found |= frozenset(CAUGHT.findall(each.read_text("utf-8")))
    return found


def named_exceptions(text: str) -> frozenset[str]:
    """The names that a file catches or raises: in a module that is not there, they are exceptions."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ExceptHandler(type=ast.Tuple(elts=kinds)):
                found += map(ast.unparse, kinds)
            case ast.ExceptHandler(type=ast.expr() as kind):
                found.append(ast.unparse(kind))
            case ast.Raise(exc=ast.Call(func=kind)) | ast.Raise(exc=ast.expr() as kind):
                found.append(ast.unparse(kind))
    return frozenset(name.partition("(")[0].rpartition(".")[2] for name in found)


def load(file: Path, text: str) -> Loaded:
    """Imports a file; raises `LoadingFailed` and `Refusal`."""
    root, name = module_place(file)
    far = far_roots(file, text, root)
    folders = tuple(f"{each}{os.sep}" for each in (root if "." in name else file.parent, *far))

    def is_users(place: str) -> bool:
        return place.startswith(folders) and "site-packages" not in place and not place.startswith(OURS)

    substitute(os, "environ", Environment(os.environ))
    known = importlib.metadata.distribution
    substitute(importlib.metadata, "distribution", partial(_distribution, known))
    places = [str(root), *(str(each) for each in far)]
    sys.path += places
    strangers = StandInModules(root, is_users, all_named_exceptions(folders, text))
    sys.meta_path[:0] = [OutsideModules(strangers), Neighbours(name, text, places, is_users, strangers)]
    sys.meta_path.append(strangers)
    # `inspect.getsource` finds the text that was given; what has no time is never read from disk again.
    linecache.cache[str(file)] = len(text), None, text.splitlines(keepends=True), str(file)
    GUARD.is_active = True
    try:
        module = _import(name, file, text)
        if Path(module.__file__ or "").resolve() != file.resolve():
            raise LoadingFailed(f"`{name}` is another module here; the package needs another name", None)
        place_application(module)
        return Loaded(module, text, is_users)
    except (Refusal, LoadingFailed):
        raise
    except SystemExit:
        raise LoadingFailed("importing the file ends the program (SystemExit)", None) from None
    except BaseException as error:  # noqa: BLE001 - the user's code may raise anything
        if GUARD.complaint is not None:
            raise Refusal(GUARD.complaint) from None
        message = f"importing the file fails: {type(error).__name__}: {error}"
        raise LoadingFailed(message, _line_in(error, str(file))) from None
    finally:
        GUARD.is_active = False


def _import(name: str, file: Path, text: str) -> types.ModuleType:
    if "." in name or file.name == "__init__.py":
        return importlib.import_module(name)
    # A file of its own goes by its path: `token.py` is not the library's `token`.
    own = name if name not in sys.stdlib_module_names and name not in sys.modules else f"{name}_checked"
    spec = importlib.util.spec_from_file_location(own, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[own] = module
    module.__dict__["__builtins__"] = Builtins(vars(builtins))
    exec(compile(text, str(file), "exec", dont_inherit=True), module.__dict__)
    return module


def _distribution(known: Callable[[str], Any], package: str) -> Any:
    """What Python knows about a package; if it is not installed, that it is new enough."""
    try:
        return known(package)
    except importlib.metadata.PackageNotFoundError:
        told = {"Name": package, "Version": NEW_ENOUGH}
        return types.SimpleNamespace(
            version=NEW_ENOUGH, metadata=told, entry_points=[], files=[], requires=[]
        )


def _line_in(error: BaseException, file: str) -> int | None:
    """The last line of the user's file on the way to an error."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def user_value(value: Any, loaded: Loaded) -> bool:
    """Whether a function or class was written in one of the user's files."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    return module is not None and loaded.is_users(getattr(module, "__file__", None) or "")
