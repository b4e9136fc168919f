"""What stands for modules and objects that are not there, while a user's code is run."""

import ast
import importlib.abc
import importlib.machinery
import inspect
import sys
import types
from collections.abc import Iterable
from typing import Any


class Stranger:
    """Something that is not known: whatever one does with it, something like it comes out."""

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__.setdefault(name, Stranger(f"{self.name}.{name}"))

    def __getitem__(self, key: object) -> Any:
        """What was put there, or something unknown that stays there."""
        return self._items().setdefault(key, Stranger(f"{self.name}[{key!r}]"))

    def __setitem__(self, key: object, value: object) -> None:
        self._items()[key] = value

    def __contains__(self, key: object) -> bool:
        return key in self._items()

    def __iter__(self) -> Any:
        raise TypeError(f"it is not known what {self.name} contains")

    def _items(self) -> dict[object, Any]:
        found: dict[object, Any] = self.__dict__.setdefault("_items of it", {})
        return found

    def __call__(self, *args: Any, **_: Any) -> Any:
        """As a decorator, it leaves a function as it is."""
        if len(args) == 1 and inspect.isfunction(args[0]):
            return args[0]
        return Stranger(f"{self.name}()")

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        """A class may derive from it; such classes take any arguments."""
        return (StrangeBase,)

    def __repr__(self) -> str:
        return f"<{self.name}>"


class StrangeBase:
    """In the place of a base class that is not known."""

    def __init__(self, *_: Any, **given: Any) -> None:
        self.__dict__.update(given)


class StrangeModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that are not installed, as far as the user's own files need them to be imported."""

    def __init__(self, file: str, folder: str, exceptions: frozenset[str]) -> None:
        self.file = file
        self.folder = folder
        """Where the user's files are; empty if there is only one."""
        self.exceptions = exceptions
        self.names: list[str] = []

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        del path, target
        if name.partition(".")[0] not in self.names and not self.is_wanted_by_user():
            return None  # Libraries know what to do without.
        self.names.append(name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def is_wanted_by_user(self) -> bool:
        """Whether it is one of the user's files that imports."""
        frame = sys._getframe(2)
        while "importlib" in frame.f_code.co_filename and frame.f_back is not None:
            frame = frame.f_back
        file = frame.f_code.co_filename
        is_beside = bool(self.folder) and file.startswith(self.folder) and "site-packages" not in file
        return file == self.file or is_beside

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return StrangeModule(spec.name, self.exceptions)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to execute."""


def strange_exception(name: str) -> type[Exception]:
    """An exception of a module that is not installed; it takes any arguments."""
    return type(name, (Exception,), {"__init__": lambda self, *args, **_: Exception.__init__(self, *args)})


def find_exception(name: str, names: dict[str, Any]) -> Any:
    """The exception of a name; one that the file does not import is nevertheless one."""
    try:
        return eval(name, names)
    except NameError:
        return strange_exception(name.rpartition(".")[2])


def exception_names(text: str, answers: Iterable[str]) -> frozenset[str]:
    """What a file catches, raises or is said to get, without the modules: `WebSocketDisconnect`."""
    found = [answer.removeprefix("raise ") for answer in answers if answer.startswith("raise ")]
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ExceptHandler(type=ast.Tuple(elts=kinds)):
                found += map(ast.unparse, kinds)
            case ast.ExceptHandler(type=ast.expr() as kind):
                found.append(ast.unparse(kind))
            case ast.Raise(exc=ast.Call(func=kind)) | ast.Raise(exc=ast.expr() as kind):
                found.append(ast.unparse(kind))
    return frozenset(name.partition("(")[0].rpartition(".")[2] for name in found)


class StrangeModule(types.ModuleType):
    def __init__(self, name: str, exceptions: frozenset[str]) -> None:
        super().__init__(name)
        self.__dict__["names of exceptions"] = exceptions

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith(("Error", "Exception")) or name in self.__dict__["names of exceptions"]:
            made = strange_exception(name)
            setattr(self, name, made)
            return made
        return Stranger(f"{self.__name__}.{name}")


def allow_strangers(file: str, folder: str, exceptions: frozenset[str]) -> StrangeModules:
    """From now on, modules that are not installed are replaced by strangers, where the user imports them."""
    strangers = StrangeModules(file, folder, exceptions)
    sys.meta_path.append(strangers)
    return strangers
