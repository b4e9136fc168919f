"""The types of C declarations: integers, structures, pointers, and the opaque ones of pthreads."""

from collections.abc import Callable

from pycparser import c_ast

from seriatim.frontends.c.extensions import TYPEOF
from seriatim.frontends.c.preprocessing import Prepared
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.types import UNSIGNED, CType, named
from seriatim.source import Span

OPAQUE = {
    "pthread_t": "pthread_t",
    "pthread_mutex_t": "pthread_mutex_t",
    "pthread_spinlock_t": "pthread_mutex_t",
    "sem_t": "sem_t",
    "pthread_cond_t": "pthread_cond_t",
    "pthread_rwlock_t": "pthread_rwlock_t",
    "pthread_barrier_t": "pthread_barrier_t",
    "pthread_once_t": "pthread_once_t",
    "pthread_attr_t": "pthread_attr_t",
    "pthread_key_t": "pthread_key_t",
}
"""By the name in the text; a spin lock is a lock."""

WORDS = {
    "1u": ["_Bool"],
    "8s": ["char"],
    "8u": ["unsigned", "char"],
    "16s": ["short"],
    "16u": ["unsigned", "short"],
    "32s": ["int"],
    "32u": ["unsigned", "int"],
    "64s": ["long"],
    "64u": ["unsigned", "long"],
    "void": ["void"],
}
"""Types by their kinds."""

FUNCTION = "function"
"""How kinds of functions begin."""


class Kinds:
    """What types stand for."""

    def __init__(self, source: Prepared) -> None:
        self.source = source
        self.typedefs: dict[str, c_ast.Node] = {}
        self.structures: dict[str, c_ast.Struct] = {}
        self.enumerations: dict[str, CType] = {}
        """The types of enumerations, by their names or places."""
        self.seen: dict[str, c_ast.Node] = {}
        """A type of each kind to which something points."""
        self.type_of: Callable[[str], c_ast.Node] = self.typedefs.__getitem__
        """The types of expressions that the text asks for, by the names that stand for them."""

    def place(self, node: c_ast.Node) -> Span:
        coordinate = node.coord
        line, column = (coordinate.line, coordinate.column or 1) if coordinate is not None else (1, 1)
        return self.source.span(line, column)

    def resolved(self, type_: c_ast.Node) -> c_ast.Node:
        """The type that a name stands for."""
        if isinstance(type_, c_ast.Typename):
            return self.resolved(type_.type)
        if isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType):
            words = type_.type.names
            if len(words) == 1 and words[0].startswith(TYPEOF):
                return self.resolved(self.type_of(words[0]))
            if len(words) == 1 and words[0] in self.typedefs and words[0] not in OPAQUE:
                return self.resolved(self.typedefs[words[0]])
        return type_

    def word(self, type_: c_ast.Node) -> str:
        """The name of an opaque type; empty for others."""
        found = self.resolved(type_)
        if isinstance(found, c_ast.TypeDecl) and isinstance(found.type, c_ast.IdentifierType):
            words = found.type.names
            return OPAQUE.get(words[0], "") if len(words) == 1 else ""
        return ""

    def type_name(self, type_: c_ast.Node) -> str:
        """A type that is not known, in words."""
        inner = getattr(type_, "type", None)
        if isinstance(inner, c_ast.IdentifierType):
            return f"the type `{' '.join(inner.names)}`"
        return "a union type" if isinstance(inner, c_ast.Union) else "this type"

    def structure_of(self, type_: c_ast.Node) -> c_ast.Struct | None:
        found = self.resolved(type_)
        if isinstance(found, c_ast.TypeDecl) and isinstance(found.type, c_ast.Struct):
            inner = found.type
            return inner if inner.decls is not None else self.structures.get(inner.name)
        return None

    def integer_type(self, type_: c_ast.Node) -> CType | None:
        found = self.resolved(type_)
        if not isinstance(found, c_ast.TypeDecl):
            return None
        if isinstance(found.type, c_ast.Enum):
            key = found.type.name or str(found.type.coord)
            return self.enumerations.get(key, UNSIGNED)
        return named(found.type.names) if isinstance(found.type, c_ast.IdentifierType) else None

    def is_atomic(self, type_: c_ast.Node) -> bool:
        """Whether a type, or one that it is a name for, is declared `_Atomic`."""
        if isinstance(type_, c_ast.Typename):
            return self.is_atomic(type_.type)
        if "_Atomic" in (getattr(type_, "quals", None) or []):
            return True
        if isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType):
            words = type_.type.names
            if len(words) == 1 and words[0].startswith(TYPEOF):
                return self.is_atomic(self.type_of(words[0]))
            return len(words) == 1 and words[0] in self.typedefs and self.is_atomic(self.typedefs[words[0]])
        return False

    def is_void(self, type_: c_ast.Node) -> bool:
        found = self.resolved(type_)
        return isinstance(found, c_ast.TypeDecl) and getattr(found.type, "names", []) == ["void"]

    def kind(self, type_: c_ast.Node) -> str:
        """The same text for types that are the same."""
        found = self.resolved(type_)
        if isinstance(found, c_ast.FuncDecl):
            return self.signature(found)
        if isinstance(found, c_ast.PtrDecl):
            kind = f"*{self.kind(found.type)}"
        elif isinstance(found, c_ast.ArrayDecl):
            kind = self.kind(found.type)
        elif self.is_void(found):
            return "void"
        elif self.word(found):
            kind = self.word(found)
        elif isinstance(found, c_ast.TypeDecl) and isinstance(found.type, c_ast.Struct):
            kind = f"struct {found.type.name or found.type.coord}"
        else:
            integer = self.integer_type(found)
            if integer is None:
                refuse("a pointer to this type", self.place(type_), "use pointers to variables")
            kind = integer.kind
        kind = f"atomic {kind}" if self.is_atomic(type_) else kind
        self.seen.setdefault(kind, found)
        return kind

    def type_named(self, kind: str) -> c_ast.Node | None:
        """A type of a kind; None if nothing of the kind has been seen."""
        if kind in self.seen:
            return self.seen[kind]
        if kind.startswith("*"):
            target = self.type_named(kind[1:])
            return None if target is None else c_ast.PtrDecl([], target)
        is_atomic = kind.startswith("atomic ")
        words = [kind] if kind in OPAQUE.values() else WORDS.get(kind.removeprefix("atomic "))
        if words is None:
            return None
        return c_ast.TypeDecl(None, ["_Atomic"] if is_atomic else [], None, c_ast.IdentifierType(words))

    def signature(self, type_: c_ast.FuncDecl) -> str:
        """The kind of a function: its result and its parameters."""
        listed = [] if type_.args is None else list(type_.args.params)
        if any(isinstance(each, c_ast.EllipsisParam | c_ast.ID) for each in listed):
            refuse("a pointer to a function of this type", self.place(type_), "list the types of parameters")
        kinds = [self.passed(each.type) for each in listed]
        return f"{FUNCTION} {self.kind(type_.type)}({', '.join(kinds if kinds != ['void'] else [])})"

    def passed(self, type_: c_ast.Node) -> str:
        """The kind of a parameter: arrays and functions are passed as pointers."""
        found = self.resolved(type_)
        is_pointed = isinstance(found, c_ast.ArrayDecl | c_ast.FuncDecl)
        return f"*{self.kind(found)}" if is_pointed else self.kind(found)

    def pointer_to(self, type_: c_ast.Node) -> str:
        """The kind of what a pointer of this type points to; empty for other types."""
        found = self.resolved(type_)
        if not isinstance(found, c_ast.PtrDecl):
            return ""
        target = self.resolved(found.type)
        if isinstance(target, c_ast.ArrayDecl):
            refuse("a pointer to an array", self.place(found), "use a pointer to its first element")
        return self.kind(target)

    def cast_type(self, node: c_ast.Node) -> CType | None:
        """None for void."""
        if self.is_void(node):
            return None
        found = self.integer_type(node)
        if found is None:
            refuse("a cast to this type", self.place(node), "use integer types")
        return found

    def result_type(self, definition: c_ast.FuncDef) -> CType | None:
        """Of a function that returns a number; None for void and pointers."""
        result = definition.decl.type.type
        if self.pointer_to(result) or self.is_void(result):
            return None
        found = self.integer_type(result)
        if found is None:
            refuse("a function with a result of this type", self.place(definition), "use integer types")
        return found
