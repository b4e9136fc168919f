"""A C program as a thread program: globals, functions, and a template for each function of a thread."""

from collections import Counter

from pycparser import c_ast, c_parser

from seriatim.frontends.c.graph import without_empty_steps
from seriatim.frontends.c.preprocessing import OFFSET, preprocess
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.statements import Statements
from seriatim.frontends.c.symbols import Cells, Condition, Enumerator, Mutex, Scalar, Structure, Symbol
from seriatim.frontends.c.types import INT as INT_TYPE
from seriatim.frontends.c.types import CType, converted, named
from seriatim.frontends.conc.lowering import numbered, reachable
from seriatim.program.threads.expressions import Constant, Value, fold
from seriatim.program.threads.syntax import Integers, Range, Template, ThreadProgram, Type
from seriatim.source import Diagnostic, InputError, SourceText, Span

OPAQUE = ("pthread_t", "pthread_mutex_t", "pthread_cond_t", "pthread_attr_t")


def read_c(source: SourceText, statements_are_steps: bool = False) -> ThreadProgram:
    """Raises `InputError` with what is wrong, or with what cannot be translated."""
    text = preprocess(source.text, source.name)
    try:
        tree = c_parser.CParser().parse(text, source.name)
    except c_parser.ParseError as error:
        raise InputError([_syntax_error(str(error), source.name)]) from None
    except RecursionError:
        message = "the program is nested too deeply"
        raise InputError([Diagnostic("SER090", message, hint="simplify it")]) from None
    return Unit(tree, source.name, statements_are_steps).program()


def _syntax_error(message: str, file: str) -> Diagnostic:
    """pycparser says `file:line:column: message`."""
    parts = message.removeprefix(f"{file}:").split(":", 2)
    numbers = [int(part) for part in parts[:2] if part.strip().isdigit()]
    line, column = (*numbers, 1, 1)[:2] if len(numbers) == 2 else (1, 1)
    column = max(1, column - OFFSET) if line == 1 else column
    detail = parts[-1].strip() if parts else message
    span = Span(line, column, line, column + 1, file)
    hint = "if it uses macros, run the preprocessor first: gcc -E -P file.c"
    return Diagnostic("SER090", f"this is not C that can be parsed: {detail}", span, hint)


class Unit:
    """All that a C file declares."""

    def __init__(self, tree: c_ast.FileAST, file: str, statements_are_steps: bool) -> None:
        self.file = file
        self.statements_are_steps = statements_are_steps
        self.names: dict[str, Symbol] = {}
        self.functions: dict[str, c_ast.FuncDef] = {}
        self.typedefs: dict[str, c_ast.Node] = {}
        self.structures: dict[str, c_ast.Struct] = {}
        self.types: dict[str, Type] = {}
        self.initial: dict[str, Value] = {}
        self.cells = 0
        self.started: dict[str, None] = {"main": None}
        self.reader = Statements(self, "main")
        """Evaluates constants."""
        for each in tree.ext:
            self.declare(each)

    def span(self, node: c_ast.Node) -> Span:
        return self.reader.span(node)

    def program(self) -> ThreadProgram:
        if "main" not in self.functions:
            hint = "a program starts with main"
            raise InputError(
                [Diagnostic("SER090", "there is no function `main`", Span(1, 1, 1, 1, self.file), hint)]
            )
        templates: list[Template] = []
        while len(templates) < len(self.started):
            templates.append(self.template(list(self.started)[len(templates)]))
        return ThreadProgram(self.types, self.initial, tuple(templates), unique_ids=True)

    def template(self, function: str) -> Template:
        thread = Statements(self, function)
        thread.thread()
        entry, edges = without_empty_steps(*thread.graph.edges())
        kept = reachable(entry, edges)
        return numbered(Template(function, tuple(thread.parameters), (), thread.types, entry, tuple(kept)))

    def start(self, function: str, span: Span) -> bool:
        """Notes that threads run a function; whether they get an argument."""
        if function == "main":
            refuse("a thread that runs main", span, "give it a function of its own")
        self.started.setdefault(function, None)
        return bool(self.parameters(self.functions[function]))

    # Declarations

    def declare(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.FuncDef(decl=decl):
                self.functions[decl.name] = node
            case c_ast.Typedef(name=name, type=type_):
                self.note_type(type_)
                self.typedefs[name] = type_
            case c_ast.Decl(type=c_ast.FuncDecl()):
                pass
            case c_ast.Decl(type=c_ast.Struct() | c_ast.Enum() | c_ast.Union()):
                self.note_type(node.type)
            case c_ast.Decl():
                self.note_type(node.type)
                is_repeated = node.name in self.names and node.init is None
                if not is_repeated:  # `int x = 5; int x;` is one variable, with the value of the first.
                    self.names[node.name] = self.symbol_of(node, node.name, shared=True)
            case c_ast.Pragma():
                pass
            case _:
                refuse("this declaration", self.span(node), "leave it out")

    def note_type(self, type_: c_ast.Node) -> None:
        """Structures and enumerations that a type declares."""
        inner = type_.type if isinstance(type_, c_ast.TypeDecl | c_ast.ArrayDecl | c_ast.PtrDecl) else type_
        if isinstance(inner, c_ast.TypeDecl):
            self.note_type(inner)
        elif isinstance(inner, c_ast.Struct) and inner.decls is not None and inner.name is not None:
            self.structures[inner.name] = inner
        elif isinstance(inner, c_ast.Enum) and inner.values is not None:
            number = 0
            for each in inner.values.enumerators:
                if each.value is not None:
                    number = self.constant(each.value)
                self.names[each.name] = Enumerator(number)
                number += 1

    def symbol_of(self, node: c_ast.Decl, name: str, shared: bool) -> Symbol:
        """What a declared name stands for; globals start with what the text says, or 0."""
        match node.type:
            case c_ast.ArrayDecl(type=element, dim=size) if self.word(element) == "pthread_t":
                count = self.constant(size) if size is not None else 0
                return self.new_cells(count, count)
            case c_ast.ArrayDecl():
                return refuse("an array", self.span(node), "use a variable for each element")
            case c_ast.PtrDecl():
                return refuse("a pointer", self.span(node), "use integers alone")
        match self.word(node.type):
            case "pthread_t":
                return self.new_cells(1, None)
            case "pthread_mutex_t":
                self.types[name] = Range(0, 1)
                self.initial[name] = 0
                return Mutex(name)
            case "pthread_cond_t":
                return Condition()
        structure = self.structure_of(node.type)
        if structure is not None:
            return self.members(structure, node, name, shared)
        return self.scalar_of(node, name, shared)

    def scalar_of(self, node: c_ast.Decl, name: str, shared: bool) -> Scalar:
        type_ = self.type_of(node)
        if shared:
            self.types[name] = Integers()
            start = Constant(0) if node.init is None else Constant(self.constant(node.init))
            stored = fold(converted(start, CType("", 128, True), type_))
            assert isinstance(stored, Constant)
            self.initial[name] = stored.value
        return Scalar(name, type_, shared)

    def members(self, structure: c_ast.Struct, node: c_ast.Decl, name: str, shared: bool) -> Structure:
        if not shared or node.init is not None:
            refuse("a structure that is local or has initial values", self.span(node), "make it global")
        found: dict[str, Symbol] = {}
        for member in structure.decls or []:
            found[member.name] = self.symbol_of(member, f"{name}.{member.name}", shared)
        return Structure(found)

    def new_cells(self, count: int, listed: int | None) -> Cells:
        first = self.cells
        self.cells += count
        return Cells(first, listed)

    def static(self, function: str, node: c_ast.Decl) -> Symbol:
        """A static local is one variable for all calls and all threads."""
        name = f"{function}.{node.name}"
        if name not in self.names:
            self.names[name] = self.symbol_of(node, name, shared=True)
        return self.names[name]

    # Types

    def word(self, type_: c_ast.Node) -> str:
        """The name of an opaque type; empty for others."""
        if isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType):
            words = type_.type.names
            if len(words) == 1 and words[0] in OPAQUE:
                return str(words[0])
            if len(words) == 1 and words[0] in self.typedefs:
                return self.word(self.typedefs[words[0]])
        return ""

    def structure_of(self, type_: c_ast.Node) -> c_ast.Struct | None:
        if isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.Struct):
            return type_.type if type_.type.decls is not None else self.structures.get(type_.type.name)
        if isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType):
            words = type_.type.names
            if len(words) == 1 and words[0] in self.typedefs:
                return self.structure_of(self.typedefs[words[0]])
        return None

    def integer_type(self, type_: c_ast.Node) -> CType | None:
        if isinstance(type_, c_ast.Typename):
            return self.integer_type(type_.type)
        if isinstance(type_, c_ast.TypeDecl):
            if "_Atomic" in (type_.quals or []):
                refuse("an atomic type of C11", self.span(type_), "use __VERIFIER_atomic_begin and _end")
            return self.integer_type(type_.type)
        if isinstance(type_, c_ast.Enum):
            return INT_TYPE
        if isinstance(type_, c_ast.IdentifierType):
            found = named(type_.names)
            if found is None and len(type_.names) == 1 and type_.names[0] in self.typedefs:
                return self.integer_type(self.typedefs[type_.names[0]])
            return found
        return None

    def type_of(self, node: c_ast.Decl) -> CType:
        found = self.integer_type(node.type)
        if found is None:
            refuse("a variable of this type", self.span(node), "use integer types")
        return found

    def is_integer(self, node: c_ast.Decl) -> bool:
        return self.word(node.type) == "" and self.integer_type(node.type) is not None

    def cast_type(self, node: c_ast.Node) -> CType | None:
        """None for void and for pointers."""
        inner = node.type if isinstance(node, c_ast.Typename) else node
        if isinstance(inner, c_ast.PtrDecl):
            if isinstance(inner.type, c_ast.TypeDecl) and getattr(inner.type.type, "names", []) == ["void"]:
                return None
            refuse("a cast to a pointer", self.span(node), "use integers alone")
        if isinstance(inner, c_ast.TypeDecl) and getattr(inner.type, "names", []) == ["void"]:
            return None
        found = self.integer_type(inner)
        if found is None:
            refuse("a cast to this type", self.span(node), "use integer types")
        return found

    def result_type(self, definition: c_ast.FuncDef) -> CType | None:
        result = definition.decl.type.type
        if isinstance(result, c_ast.PtrDecl):
            return None
        if isinstance(result, c_ast.TypeDecl) and getattr(result.type, "names", []) == ["void"]:
            return None
        found = self.integer_type(result)
        if found is None:
            refuse("a function with a result of this type", self.span(definition), "use integer types")
        return found

    # Functions

    def declarations(self, definition: c_ast.FuncDef) -> list[c_ast.Decl]:
        """The parameters of a function; `void` is none."""
        arguments = definition.decl.type.args
        found = [] if arguments is None else list(arguments.params)
        return [each for each in found if isinstance(each, c_ast.Decl)]

    def parameters(self, definition: c_ast.FuncDef) -> list[str]:
        """The names of the parameters that a thread function uses."""
        names = [each.name for each in self.declarations(definition) if each.name]
        if definition.decl.name == "main":
            return []
        used = Counter(_names(definition.body))
        return [name for name in names if used[name]]

    def is_sectioning(self, node: c_ast.Node) -> bool:
        """Whether a statement begins or ends an atomic section, starts or joins a thread, or may wait."""
        return any(
            name.startswith(("__VERIFIER_atomic_", "pthread_")) or name in self.functions
            for name in _calls(node)
        )

    def is_local_of_many(self, thread: Statements) -> bool:
        return thread.function != "main"

    def is_harmless(self, symbol: Symbol) -> bool:
        return isinstance(symbol, Condition)

    def constant(self, node: c_ast.Node) -> int:
        found = fold(self.reader.value(node).expression)
        if not isinstance(found, Constant) or isinstance(found.value, bool):
            return refuse(
                "an initial value or a size that is not constant", self.span(node), "use a constant"
            )
        return found.value


def _names(node: c_ast.Node) -> list[str]:
    found = [node.name] if isinstance(node, c_ast.ID) else []
    for _, child in node.children():
        found += _names(child)
    return found


def _calls(node: c_ast.Node) -> list[str]:
    found = [node.name.name] if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) else []
    for _, child in node.children():
        found += _calls(child)
    return found
