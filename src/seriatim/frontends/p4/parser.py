"""Parses P4-16 programs into syntax trees, or says what is wrong with them."""

from collections.abc import Sequence
from pathlib import Path

from seriatim.frontends.p4.constants import constant_of
from seriatim.frontends.p4.cursor import Cursor
from seriatim.frontends.p4.expressions import Expressions
from seriatim.frontends.p4.preprocessing import Preprocessor
from seriatim.frontends.p4.refusal import SYNTAX, UNSUPPORTED, refuse
from seriatim.frontends.p4.statements import Statements
from seriatim.frontends.p4.syntax import (
    Alias,
    Annotations,
    Constant,
    Control,
    Declaration,
    EnumMember,
    EnumType,
    Field,
    Function,
    Instance,
    Local,
    Parameter,
    Parser,
    Program,
    Record,
    RecordType,
    Select,
    SelectCase,
    State,
    Statement,
    Variable,
)
from seriatim.frontends.p4.tokens import Kind, Lexer, Token
from seriatim.source import SourceText, Span

_KNOWN_TYPES = (
    "standard_metadata_t",
    "CounterType",
    "MeterType",
    "HashAlgorithm",
    "CloneType",
    "PortId_t",
)


def parse(source: SourceText, folders: Sequence[Path] = ()) -> Program:
    """Parses a program; raises `InputError`. Recurses at most `MAX_DEPTH` deep. `folders` are places for
    files that it includes, besides its own folder."""
    lexer = Lexer(source.text, source.name)
    lines = lexer.lines()
    preprocessor = Preprocessor(_condition, _beside(source), folders)
    tokens = preprocessor.read(lines)
    reader = Declarations(Cursor(tokens, lexer.end()))
    declarations = reader.program()
    if "v1model.p4" not in (name.rpartition("/")[2] for name, _ in preprocessor.includes):
        hint = "begin with `#include <core.p4>` and `#include <v1model.p4>`"
        raise refuse(UNSUPPORTED, "the program does not include v1model.p4", None, hint)
    return Program(declarations, (*preprocessor.marks, *lexer.marks), tuple(preprocessor.texts))


def _beside(source: SourceText) -> Path | None:
    """The folder of a source; None for a text that is not that of the file, such as one from a web page."""
    path = Path(source.name)
    try:
        return path.parent if path.is_file() and path.read_text("utf-8") == source.text else None
    except (OSError, UnicodeDecodeError, ValueError):
        return None


def _condition(tokens: Sequence[Token], span: Span) -> bool:
    cursor = Cursor(list(tokens), Token(Kind.END, "", span))
    expression = Expressions(cursor).expression()
    if cursor.token.kind is not Kind.END:
        raise refuse(SYNTAX, "this condition cannot be read", span)
    value = constant_of(expression)
    if value is None:
        raise refuse(SYNTAX, "this condition is not a constant", span)
    return value != 0


class Declarations:
    """Reads the declarations of a program."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.expressions = Expressions(cursor)
        self.expressions.types.update(_KNOWN_TYPES)
        self.statements = Statements(cursor, self.expressions)

    def program(self) -> tuple[Declaration, ...]:
        found: list[Declaration] = []
        while self.cursor.token.kind is not Kind.END:
            if not self.cursor.accept(";"):
                declared = self.declaration()
                if declared is not None:
                    found.append(declared)
        return tuple(found)

    def declaration(self) -> Declaration | None:
        annotations = self.expressions.annotations()
        match self.cursor.token.text:
            case "header" | "struct" | "header_union":
                return self._record(annotations)
            case "typedef" | "type" if self.cursor.ahead(2).text != "=":
                return self._alias(annotations)
            case "enum":
                return self._enum(annotations)
            case "error" if self.cursor.ahead().text == "{":
                return self._error(annotations)
            case "match_kind":
                self.cursor.next()
                self._members()
                return None  # A kind of match that v1model does not know is refused where a key uses it.
            case "const":
                return self.statements.constant(annotations)
            case "control":
                return self._control(annotations)
            case "parser":
                return self._parser(annotations)
            case "action":
                return self.statements.action(annotations)
            case "extern" | "package":
                hint = "only the externs of v1model.p4 are known; remove this declaration and its uses"
                raise refuse(
                    UNSUPPORTED, f"`{self.cursor.token.text}` is not supported", self.cursor.token.span, hint
                )
            case _:
                return self._instance_or_function(annotations)

    def _record(self, annotations: Annotations) -> RecordType:
        start = self.cursor.token.span
        kind = Record(self.cursor.next().text)
        name = self.cursor.name("the name of a type").text
        self.expressions.types.add(name)
        if self.cursor.at("<"):
            raise refuse(UNSUPPORTED, "a type with parameters is not supported", start, "write it out")
        self.cursor.expect("{")
        fields: list[Field] = []
        while not self.cursor.accept("}"):
            marks = self.expressions.annotations()
            here = self.cursor.token.span
            field_type = self.expressions.type()
            field_name = (
                self.cursor.next()
                if self.cursor.at("type", "state", "key")
                else self.cursor.name("the name of a field")
            )
            self.cursor.expect(";")
            fields.append(Field(field_type, field_name.text, marks, self.cursor.since(here)))
        return RecordType(kind, name, tuple(fields), annotations, self.cursor.since(start))

    def _alias(self, annotations: Annotations) -> Alias:
        start = self.cursor.token.span
        is_new = self.cursor.next().text == "type"
        target = self.expressions.type()
        name = self.cursor.name("the name of a type").text
        self.expressions.types.add(name)
        self.cursor.expect(";")
        return Alias(target, name, is_new, annotations, self.cursor.since(start))

    def _enum(self, annotations: Annotations) -> EnumType:
        start = self.cursor.next().span
        underlying = (
            self.expressions.type()
            if self.cursor.at("bit", "int") or self.cursor.ahead().text != "{"
            else None
        )
        name = self.cursor.name("the name of a type").text
        self.expressions.types.add(name)
        return EnumType(name, self._members(), underlying, annotations, self.cursor.since(start))

    def _error(self, annotations: Annotations) -> EnumType:
        start = self.cursor.next().span
        return EnumType("error", self._members(), None, annotations, self.cursor.since(start))

    def _members(self) -> tuple[EnumMember, ...]:
        self.cursor.expect("{")
        found: list[EnumMember] = []
        while not self.cursor.accept("}"):
            start = self.cursor.token.span
            name = self.cursor.name("a name").text
            value = self.expressions.expression() if self.cursor.accept("=") else None
            found.append(EnumMember(name, value, self.cursor.since(start)))
            if not self.cursor.at("}"):
                self.cursor.expect(",")
        return tuple(found)

    def _instance_or_function(self, annotations: Annotations) -> Instance | Function:
        start = self.cursor.token.span
        if self.cursor.token.kind is not Kind.NAME:
            raise self.cursor.unexpected("a declaration")
        if self._is_instance():
            return self._instance(annotations, start)
        kind = self.expressions.type()
        name = self.cursor.name("a name").text
        if self.cursor.at("<"):
            raise refuse(UNSUPPORTED, "a function with parameters for types is not supported", start)
        if not self.cursor.at("("):
            hint = "the top level has types, constants, controls, parsers, functions and instances"
            raise self.cursor.unexpected("`(`", hint)
        parameters = self.statements.parameters()
        return Function(
            kind, name, parameters, self.statements.block(), annotations, self.cursor.since(start)
        )

    def _is_instance(self) -> bool:
        """Whether a type and a parenthesis come next."""
        before = self.cursor.position
        self.expressions.type()
        found = self.cursor.at("(")
        self.cursor.position = before
        return found

    def _instance(self, annotations: Annotations, start: Span) -> Instance:
        kind = self.expressions.type()
        self.cursor.expect("(")
        arguments = self.expressions.arguments(")")
        name = self.cursor.name("the name of the instance").text
        if self.cursor.at("="):
            hint = "abstract methods are not supported"
            raise refuse(
                UNSUPPORTED, "an instance with a body is not supported", self.cursor.token.span, hint
            )
        self.cursor.expect(";")
        return Instance(kind, arguments, name, annotations, self.cursor.since(start))

    # --- controls and parsers -----------------------------------------------------------------------------

    def _control(self, annotations: Annotations) -> Control | None:
        start = self.cursor.next().span
        name = self.cursor.name("the name of a control").text
        self.expressions.types.add(name)
        self._refuse_type_parameters()
        parameters = self.statements.parameters()
        if self.cursor.accept(";"):
            return None  # A declaration without a body belongs to an architecture.
        constructor = self.statements.parameters() if self.cursor.at("(") else ()
        self.cursor.expect("{")
        locals_: list[Local] = []
        while not self.cursor.at("apply"):
            if self.cursor.at("}"):
                raise self.cursor.unexpected("`apply`", f"control `{name}` needs `apply {{ … }}`")
            locals_.append(self._local())
        self.cursor.next()
        apply = self.statements.block()
        self.cursor.expect("}", "`apply` is the last part of a control")
        return Control(
            name, parameters, tuple(locals_), apply, annotations, constructor, self.cursor.since(start)
        )

    def _refuse_type_parameters(self) -> None:
        if self.cursor.at("<"):
            message = "a control or parser with parameters for types is not supported"
            raise refuse(UNSUPPORTED, message, self.cursor.token.span, "write out the types")

    def _local(self) -> Local:
        annotations = self.expressions.annotations()
        start = annotations[0].span if annotations else self.cursor.token.span
        match self.cursor.token.text:
            case "action":
                return self.statements.action(annotations)
            case "table":
                return self.statements.table(annotations)
            case "const":
                return self.statements.constant(annotations)
            case _ if self.cursor.token.kind is Kind.NAME:
                return self._local_value(annotations, start)
            case _:
                raise self.cursor.unexpected("a declaration or `apply`")

    def _local_value(self, annotations: Annotations, start: Span) -> Variable | Instance:
        if self._is_instance():
            return self._instance(annotations, start)
        return self.statements.variable(annotations, start)

    def _parser(self, annotations: Annotations) -> Parser | None:
        start = self.cursor.next().span
        name = self.cursor.name("the name of a parser").text
        self.expressions.types.add(name)
        self._refuse_type_parameters()
        parameters = self.statements.parameters()
        if self.cursor.accept(";"):
            return None
        constructor: tuple[Parameter, ...] = self.statements.parameters() if self.cursor.at("(") else ()
        self.cursor.expect("{")
        locals_: list[Variable | Constant | Instance] = []
        states: list[State] = []
        while not self.cursor.accept("}"):
            marks = self.expressions.annotations()
            here = marks[0].span if marks else self.cursor.token.span
            if self.cursor.at("state"):
                states.append(self._state(marks))
            elif self.cursor.at("const"):
                locals_.append(self.statements.constant(marks))
            elif self.cursor.at("value_set"):
                self._value_set()  # Which headers are valid is up to the packet.
            else:
                locals_.append(self._local_value(marks, here))
        return Parser(
            name,
            parameters,
            tuple(locals_),
            tuple(states),
            annotations,
            constructor,
            self.cursor.since(start),
        )

    def _value_set(self) -> None:
        self.cursor.next()
        self.expressions.type_arguments()
        self.cursor.expect("(")
        self.expressions.arguments(")")
        self.cursor.name("the name of the set")
        self.cursor.expect(";")

    def _state(self, annotations: Annotations) -> State:
        start = self.cursor.next().span
        name = self.cursor.name("the name of a state").text
        self.cursor.expect("{")
        statements: list[Statement] = []
        transition: str | Select | None = None
        while not self.cursor.accept("}"):
            if self.cursor.accept(";"):
                continue
            if self.cursor.accept("transition"):
                transition = self._transition()
                self.cursor.expect("}", "`transition` is the last statement of a state")
                break
            statements.append(self.statements.statement())
        return State(name, tuple(statements), transition, annotations, self.cursor.since(start))

    def _transition(self) -> str | Select:
        start = self.cursor.token.span
        if not self.cursor.at("select"):
            name = self.cursor.name("the name of a state").text
            self.cursor.expect(";")
            return name
        self.cursor.next()
        self.cursor.expect("(")
        subjects = tuple(each.value for each in self.expressions.arguments(")"))
        self.cursor.expect("{")
        cases: list[SelectCase] = []
        while not self.cursor.accept("}"):
            here = self.cursor.token.span
            keys = self.expressions.keys()
            self.cursor.expect(":")
            state = self.cursor.name("the name of a state").text
            self.cursor.expect(";")
            cases.append(SelectCase(keys, state, self.cursor.since(here)))
        self.cursor.accept(";")
        return Select(subjects, tuple(cases), self.cursor.since(start))
