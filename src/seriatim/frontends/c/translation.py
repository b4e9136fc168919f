"""A C program as a thread program: globals, functions, and a template for each function of a thread."""

from collections import Counter
from functools import cache, partial
from itertools import chain

from pycparser import c_ast, c_parser

from seriatim.frontends.c.addresses import Addresses
from seriatim.frontends.c.c11_threads import rename_calls
from seriatim.frontends.c.calls import is_null
from seriatim.frontends.c.dead_stores import without_dead_stores
from seriatim.frontends.c.declarations import Declarations
from seriatim.frontends.c.extensions import TYPEOF
from seriatim.frontends.c.jumps import look_at_jumps
from seriatim.frontends.c.keys import problems_of_keys
from seriatim.frontends.c.preprocessing import Given, Prepared, preprocess
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.statements import RESULT, Statements
from seriatim.frontends.c.symbols import Enumerator, Scalar
from seriatim.frontends.conc.lowering import number_places, reachable
from seriatim.program.threads.store_buffers import with_store_buffers
from seriatim.program.threads.syntax import Template, ThreadProgram
from seriatim.program.threads.waiting import without_empty_steps
from seriatim.source import Diagnostic, InputError, SourceText, Span
from seriatim.terms.expressions import Constant, fold, variables

MAX_PASSES = 8


def read_c(
    source: SourceText,
    statements_are_steps: bool = False,
    given: Given | None = None,
    has_buffers: bool = False,
) -> ThreadProgram:
    """What others see at once, or, where stores wait in buffers, later. Raises `InputError` with what is
    wrong, or with what cannot be translated."""
    prepared = preprocess(source.text, source.name, given)
    parser = c_parser.CParser()
    reached = _Reached(parser)
    try:
        tree = parser.parse(prepared.text, source.name)
    except c_parser.ParseError as error:
        raise InputError([_syntax_error(str(error), prepared, reached)]) from None
    except RecursionError:
        message = "the program is nested too deeply"
        raise InputError([Diagnostic("SER090", message, hint="simplify it")]) from None
    rename_calls(tree, {each.decl.name for each in tree.ext if isinstance(each, c_ast.FuncDef)})
    addresses = Addresses()
    for _ in range(MAX_PASSES):
        size = addresses.size
        unit = Unit(tree, prepared, statements_are_steps, addresses, has_buffers)
        program = unit.program()
        if addresses.is_stale:
            addresses.renew()
        elif addresses.size == size:
            program = without_dead_stores(program)
            return with_store_buffers(program, unit.atomics) if has_buffers else program
    return refuse("so many pointers", Span(1, 1, 1, 1, source.name), "use fewer addresses")


class _Reached:
    """Remembers how far a parser has read: some of its messages do not say where."""

    def __init__(self, parser: c_parser.CParser) -> None:
        self.line, self.column = 1, 1
        self._next = parser.clex.token
        parser.clex.token = self.token

    def token(self) -> object:
        found = self._next()
        if found is not None:
            self.line, self.column = found.lineno, getattr(found, "column", 1)
        return found


def _syntax_error(message: str, source: Prepared, reached: _Reached) -> Diagnostic:
    """pycparser says `file:line:column: message`, or leaves the numbers out."""
    parts = message.removeprefix(f"{source.file}:").split(":", 2)
    numbers = [int(part) for part in parts[:2] if part.strip().isdigit()]
    line, column = numbers if len(numbers) == 2 else (reached.line, reached.column)
    detail = parts[-1].strip() if parts else message
    span = source.span(line, column)
    hint = "check that it compiles, and write extensions of the compiler in standard C"
    return Diagnostic("SER090", f"this is not C that can be parsed: {detail}", span, hint)


class Unit(Declarations):
    """All that a C file declares."""

    def __init__(
        self,
        tree: c_ast.FileAST,
        source: Prepared,
        statements_are_steps: bool,
        addresses: Addresses,
        has_buffers: bool = False,
    ) -> None:
        super().__init__(source)
        self.measured = {each.decl.name: each for each in tree.ext if is_measuring(each)}
        """Functions that stand for `typeof`."""
        tree = c_ast.FileAST([each for each in tree.ext if not is_measuring(each)])
        self.type_of = self.type_of_expression
        self.statements_are_steps = statements_are_steps
        self.has_buffers = has_buffers
        """Whether what a thread writes may wait before it reaches memory."""
        self.addresses = addresses
        for guard in chain.from_iterable(addresses.guards.values()):
            for name in variables(guard.condition):
                self.note_number(name)
        self.started: dict[str, None] = {"main": None}
        self.definitions = {each.decl.name: each for each in tree.ext if isinstance(each, c_ast.FuncDef)}
        """Also those that come later in the text."""
        self.variables = set(_variables(tree))
        self.calls = list(_calls(tree))
        self.frees = any(name == "free" for name, _ in self.calls)
        self.mentioned = Counter(_names(tree))
        """How often each name is used."""
        self.changed = frozenset(_changed(tree))
        """Variables that are written, or whose addresses are taken, by name alone."""
        self.wants_results = any(
            name in ("pthread_join", "thrd_join") and len(arguments) == 2 and not is_null(arguments[1])
            for name, arguments in self.calls
        )
        self.uses_result = cache(partial(_uses_result, tree))
        """Whether somebody looks at what a function returns."""
        self.reader = Statements(self, "main")
        """Evaluates constants."""
        for each in tree.ext:
            self.note_later(each)
        for each in tree.ext:
            self.declare(each)
        self.find_destructors()
        for definition in self.definitions.values():
            look_at_jumps(definition, self.span)

    def span(self, node: c_ast.Node) -> Span:
        return self.reader.span(node)

    def find_destructors(self) -> None:
        """Which function gets what a key stands for. Raises `InputError` where that is not one by name."""
        for name, arguments in self.calls:
            if name != "pthread_key_create" or is_null(arguments[-1]):
                continue
            match arguments:
                case [c_ast.UnaryOp(op="&", expr=c_ast.ID(name=key)), function] if self.is_name(function):
                    found = function.expr if isinstance(function, c_ast.UnaryOp) else function
                case _:
                    refuse(
                        "a destructor in this form", self.span(arguments[-1]), "name the key and a function"
                    )
            if self.destructors.setdefault(key, found.name) != found.name or self.stores_own(found.name):
                refuse("this destructor", self.span(found), "use one that stores nothing under a key")
        for problem, node, hint in problems_of_keys(self.definitions, self.mentioned, self.destructors):
            refuse(problem, self.span(node), hint)

    def stores_own(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a function, or one that it calls, stores thread-specific data."""
        called = {each for each, _ in _calls(self.definitions[name].body)}
        if "pthread_setspecific" in called:
            return True
        inner = (called & self.definitions.keys()) - seen - {name}
        return any(self.stores_own(each, seen | {name}) for each in inner)

    def program(self) -> ThreadProgram:
        if "main" not in self.functions:
            hint = "a program starts with main"
            raise InputError(
                [
                    Diagnostic(
                        "SER090", "there is no function `main`", Span(1, 1, 1, 1, self.source.file), hint
                    )
                ]
            )
        templates: list[Template] = []
        while len(templates) < len(self.started):
            templates.append(self.template(list(self.started)[len(templates)]))
        return ThreadProgram(
            self.types,
            self.initial,
            tuple(templates),
            unique_ids=True,
            ordinary=self.find_ordinary(),
            waiting=frozenset(self.waiting),
            unknown_waits=self.unknown_waits,
            weak_order=self.weak_order,
            warnings=tuple(self.notes.values()),
            leaks=tuple(self.leaks.values()),
            value_names=dict.fromkeys(sorted(self.pointers - self.plain), self.addresses.names()),
        )

    def find_ordinary(self) -> frozenset[str]:
        """Globals whose accesses can race; none if statements are steps, which nobody can disturb."""
        return frozenset() if self.statements_are_steps else frozenset(self.ordinary & self.types.keys())

    def template(self, function: str) -> Template:
        thread = Statements(self, function)
        thread.thread()
        entry, edges = without_empty_steps(*thread.graph.edges())
        if thread.graph.assumes_inside:
            self.unknown_waits = "an assumption in an atomic section"
        kept = reachable(entry, edges)
        results = (RESULT,) if RESULT in thread.types else ()
        return number_places(
            Template(function, tuple(thread.parameters), results, thread.types, entry, tuple(kept))
        )

    def start(self, function: str, span: Span) -> bool:
        """Notes that threads run a function; whether they get an argument."""
        if function == "main":
            refuse("a thread that runs main", span, "give it a function of its own")
        self.started.setdefault(function, None)
        return bool(self.parameters(self.functions[function]))

    def only_starts(self, node: c_ast.Decl) -> bool:
        """Whether a variable keeps the id of a thread, and nobody asks for it again: no name that is used for
        more than to start or detach a thread is that of the variable."""
        if self.word(node.type) != "pthread_t":
            return False
        started = [
            arguments[0] for name, arguments in self.calls if name in ("pthread_create", "pthread_detach")
        ]
        uses = sum(_names(each).count(node.name) for each in started)
        return uses == self.mentioned[node.name]

    def starts_once(self, function: str) -> bool:
        """Whether at most one thread runs a function: it is started at one place, in no loop, of main or of a
        function that one thread runs and nobody calls. A pointer may lead to any function."""
        started = [arguments for name, arguments in self.calls if name == "pthread_create"]
        if not all(len(each) == 4 and self.is_name(each[2]) for each in started):
            return False
        seen: set[str] = set()
        while function != "main":
            owner = next(
                (name for name, each in self.definitions.items() if _starts(each.body, function)), None
            )
            is_one = sum(function in _names(each[2]) for each in started) == 1
            is_called = owner != "main" and self.mentioned[owner or ""] != 1
            if owner is None or not is_one or is_called or function in seen:
                return False
            seen.add(function)
            function = owner
        return True

    # Functions

    def declarations(self, definition: c_ast.FuncDef) -> list[c_ast.Decl]:
        """The parameters of a function; `void` stands for no parameters."""
        arguments = definition.decl.type.args
        found = [] if arguments is None else list(arguments.params)
        return [each for each in found if isinstance(each, c_ast.Decl)]

    def parameters(self, definition: c_ast.FuncDef) -> dict[str, str]:
        """The parameters that a thread function uses, and what they point to."""
        if definition.decl.name == "main":
            return {}
        used = Counter(_names(definition.body))
        return {
            each.name: self.pointer_to(each.type)
            for each in self.declarations(definition)
            if each.name and used[each.name]
        }

    def is_recursive(self, name: str) -> bool:
        """Whether a function calls itself by name, directly or through others."""
        seen: set[str] = set()
        pending = [name]
        while pending:
            body = self.definitions[pending.pop()].body
            called = {each for each, _ in _calls(body) if each in self.definitions}
            if name in called:
                return True
            pending += called - seen
            seen |= called
        return False

    def is_name(self, node: c_ast.Node) -> bool:
        """Whether a function is named, rather than a variable."""
        function = node.expr if isinstance(node, c_ast.UnaryOp) and node.op == "&" else node
        return (
            isinstance(function, c_ast.ID)
            and function.name in self.definitions
            and function.name not in self.variables
        )

    def is_sectioning(self, node: c_ast.Node) -> bool:
        """Whether a statement begins or ends an atomic section, starts or joins a thread, or may wait."""
        return any(
            name.startswith(("__VERIFIER_atomic_", "pthread_", "sem_")) or name in self.functions
            for name, _ in _calls(node)
        ) or self.calls_by_pointer(node)

    def calls_by_pointer(self, node: c_ast.Node) -> bool:
        is_call = isinstance(node, c_ast.FuncCall)
        if is_call and (not isinstance(node.name, c_ast.ID) or node.name.name in self.variables):
            return True
        return any(self.calls_by_pointer(child) for _, child in node.children())

    def type_of_expression(self, name: str) -> c_ast.Node:
        """What `typeof` means, in the block that is read."""
        (statement,) = self.measured[f"{name}_"].body.block_items
        node = statement.expr
        return node.type if isinstance(node, c_ast.Typename) else self.reader.type_like(node)

    def declare_number(self, name: str, number: Enumerator) -> None:
        self.reader.scopes.declare(name, number)

    def look_at_first(self, scalar: Scalar, node: c_ast.Node) -> None:
        self.reader.look_at_kinds(self.reader.unevaluated(node), scalar, node)

    def constant(self, node: c_ast.Node) -> int:
        if _has(node, c_ast.CompoundLiteral):
            refuse("a literal outside functions", self.span(node), "declare a variable, and use its address")
        try:
            found = fold(self.reader.value(node).expression)
        except InputError:  # Locals have no name here.
            found = None
        if not isinstance(found, Constant) or isinstance(found.value, bool):
            return refuse(
                "an initial value or a size that is not constant", self.span(node), "use a constant"
            )
        return found.value


def is_measuring(node: c_ast.Node) -> bool:
    """Whether a function stands for `typeof`."""
    return isinstance(node, c_ast.FuncDef) and node.decl.name.startswith(TYPEOF)


def _names(node: c_ast.Node) -> list[str]:
    found = [node.name] if isinstance(node, c_ast.ID) else []
    for _, child in node.children():
        found += _names(child)
    return found


def _variables(node: c_ast.Node) -> list[str]:
    """The names of all variables and parameters."""
    found = [node.name] if isinstance(node, c_ast.Decl) and not isinstance(node.type, c_ast.FuncDecl) else []
    for _, child in node.children():
        found += _variables(child)
    return [name for name in found if name]


def _starts(body: c_ast.Compound, function: str) -> bool:
    """Whether code starts a thread at one place, to which it comes at most once."""
    sites = sum(
        name == "pthread_create" and len(arguments) == 4 and function in _names(arguments[2])
        for statement in body.block_items or []
        if not _has(statement, c_ast.While | c_ast.DoWhile | c_ast.For)
        for name, arguments in _calls(statement)
    )
    return sites == 1 and not _has(body, c_ast.Goto)


def _changed(node: c_ast.Node) -> list[str]:
    """The names that are assigned to, counted up or down, or whose addresses are taken."""
    found: list[str] = []
    match node:
        case (
            c_ast.Assignment(lvalue=target) | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&", expr=target)
        ):
            found = _names(target)
    for _, child in node.children():
        found += _changed(child)
    return found


def _has(node: c_ast.Node, kinds: type) -> bool:
    return isinstance(node, kinds) or any(_has(child, kinds) for _, child in node.children())


def _calls(node: c_ast.Node) -> list[tuple[str, list[c_ast.Node]]]:
    """The functions that are called by name, and their arguments."""
    found: list[tuple[str, list[c_ast.Node]]] = []
    if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
        found.append((node.name.name, list(node.args.exprs) if node.args is not None else []))
    for _, child in node.children():
        found += _calls(child)
    return found


def _uses_result(node: c_ast.Node, function: str, is_value: bool = False) -> bool:
    """Whether a call of a function is more than a statement; the last one of `({ … })` is its value."""
    items = _statements(node)
    if is_value:
        items = items[:-1]
    for _, child in node.children():
        is_call = isinstance(child, c_ast.FuncCall) and getattr(child.name, "name", "") == function
        is_block = isinstance(child, c_ast.Compound) and child not in items
        is_body = isinstance(node, c_ast.FuncDef | c_ast.Switch)
        if (is_call and child not in items) or _uses_result(child, function, is_block and not is_body):
            return True
    return False


def _statements(node: c_ast.Node) -> list[c_ast.Node]:
    """The parts of a statement that are statements themselves."""
    match node:
        case c_ast.Compound(block_items=items) | c_ast.Case(stmts=items) | c_ast.Default(stmts=items):
            return list(items or [])
        case c_ast.If(iftrue=then, iffalse=otherwise):
            return [then, otherwise]
        case c_ast.While(stmt=body) | c_ast.DoWhile(stmt=body) | c_ast.Label(stmt=body):
            return [body]
        case c_ast.For(init=first, next=after, stmt=body):
            return [first, after, body]
        case _:
            return []
