"""Loads a user's file as Python would: as a part of its package, with stand-ins for what is not installed."""

import ast
import builtins
import importlib
import importlib.metadata
import importlib.util
import os
import sys
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from seriatim.frontends.python.live.running import substitute
from seriatim.frontends.python.live.sandbox import GUARD, Refusal
from seriatim.frontends.python.live.stand_ins import (
    NEW_ENOUGH,
    WORLD,
    OutsideModules,
    StandIn,
    StandInModules,
)


class LoadingFailed(Exception):
    """The file cannot be imported; says why, with the line where that is known."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


class Loaded:
    """A module with the folder of its package."""

    def __init__(self, module: types.ModuleType, is_users: Callable[[str], bool]) -> None:
        self.module = module
        self.is_users = is_users
        """Whether a file is one of the user's."""

    def modules(self) -> list[types.ModuleType]:
        """The user's modules that are loaded, by name."""
        found = sorted(sys.modules.items())
        return [each for _, each in found if self.is_users(getattr(each, "__file__", None) or "")]


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
    folder = str(root if "." in name else file.parent) + os.sep

    def is_users(place: str) -> bool:
        return place.startswith(folder) and "site-packages" not in place

    substitute(os, "environ", Environment(os.environ))
    installed = importlib.metadata.version
    substitute(importlib.metadata, "version", partial(_version, installed))
    sys.path.append(str(root))
    strangers = StandInModules(root, is_users, named_exceptions(text))
    sys.meta_path.insert(0, OutsideModules(strangers))
    sys.meta_path.append(strangers)
    GUARD.is_active = True
    try:
        return Loaded(_import(name, file, text), is_users)
    except Refusal:
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


def _version(installed: Callable[[str], str], package: str) -> str:
    try:
        return installed(package)
    except importlib.metadata.PackageNotFoundError:
        return NEW_ENOUGH


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
