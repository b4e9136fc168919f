"""Parses P4-16 programs into syntax trees, or says what is wrong with them."""

from collections.abc import Sequence
from pathlib import Path

from seriatim.frontends.p4.constants import constant_of
from seriatim.frontends.p4.expressions import ExpressionReader
from seriatim.frontends.p4.preprocessing import Preprocessor
from seriatim.frontends.p4.refusal import SYNTAX, UNSUPPORTED, refuse
from seriatim.frontends.p4.statements import StatementReader
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
    reader = DeclarationReader(tokens, lexer.end())
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
    reader = ExpressionReader(list(tokens), Token(Kind.END, "", span))
    expression = reader.expression()
    if reader.token.kind is not Kind.END:
        raise refuse(SYNTAX, "this condition cannot be read", span)
    value = constant_of(expression)
    if value is None:
        raise refuse(SYNTAX, "this condition is not a constant", span)
    return value != 0


class DeclarationReader(StatementReader):
    """Reads the declarations of a program."""

    def __init__(self, tokens: list[Token], end: Token) -> None:
        super().__init__(tokens, end)
        self.types.update(_KNOWN_TYPES)

    def program(self) -> tuple[Declaration, ...]:
        found: list[Declaration] = []
        while self.token.kind is not Kind.END:
            if not self.accept(";"):
                declared = self.declaration()
                if declared is not None:
                    found.append(declared)
        return tuple(found)

    def declaration(self) -> Declaration | None:
        annotations = self.annotations()
        match self.token.text:
            case "header" | "struct" | "header_union":
                return self._record(annotations)
            case "typedef" | "type" if self.ahead(2).text != "=":
                return self._alias(annotations)
            case "enum":
                return self._enum(annotations)
            case "error" if self.ahead().text == "{":
                return self._error(annotations)
            case "match_kind":
                self.next()
                self._members()
                return None  # A kind of match that v1model does not know is refused where a key uses it.
            case "const":
                return self.constant(annotations)
            case "control":
                return self._control(annotations)
            case "parser":
                return self._parser(annotations)
            case "action":
                return self.action(annotations)
            case "extern" | "package":
                hint = "only the externs of v1model.p4 are known; remove this declaration and its uses"
                raise refuse(UNSUPPORTED, f"`{self.token.text}` is not supported", self.token.span, hint)
            case _:
                return self._instance_or_function(annotations)

    def _record(self, annotations: Annotations) -> RecordType:
        start = self.token.span
        kind = Record(self.next().text)
        name = self.name("the name of a type").text
        self.types.add(name)
        if self.at("<"):
            raise refuse(UNSUPPORTED, "a type with parameters is not supported", start, "write it out")
        self.expect("{")
        fields: list[Field] = []
        while not self.accept("}"):
            marks = self.annotations()
            here = self.token.span
            field_type = self.type()
            field_name = self.next() if self.at("type", "state", "key") else self.name("the name of a field")
            self.expect(";")
            fields.append(Field(field_type, field_name.text, marks, self.since(here)))
        return RecordType(kind, name, tuple(fields), annotations, self.since(start))

    def _alias(self, annotations: Annotations) -> Alias:
        start = self.token.span
        is_new = self.next().text == "type"
        target = self.type()
        name = self.name("the name of a type").text
        self.types.add(name)
        self.expect(";")
        return Alias(target, name, is_new, annotations, self.since(start))

    def _enum(self, annotations: Annotations) -> EnumType:
        start = self.next().span
        underlying = self.type() if self.at("bit", "int") or self.ahead().text != "{" else None
        name = self.name("the name of a type").text
        self.types.add(name)
        return EnumType(name, self._members(), underlying, annotations, self.since(start))

    def _error(self, annotations: Annotations) -> EnumType:
        start = self.next().span
        return EnumType("error", self._members(), None, annotations, self.since(start))

    def _members(self) -> tuple[EnumMember, ...]:
        self.expect("{")
        found: list[EnumMember] = []
        while not self.accept("}"):
            start = self.token.span
            name = self.name("a name").text
            value = self.expression() if self.accept("=") else None
            found.append(EnumMember(name, value, self.since(start)))
            if not self.at("}"):
                self.expect(",")
        return tuple(found)

    def _instance_or_function(self, annotations: Annotations) -> Instance | Function:
        start = self.token.span
        if self.token.kind is not Kind.NAME:
            raise self.unexpected("a declaration")
        if self._is_instance():
            return self._instance(annotations, start)
        kind = self.type()
        name = self.name("a name").text
        if self.at("<"):
            raise refuse(UNSUPPORTED, "a function with parameters for types is not supported", start)
        if not self.at("("):
            hint = "the top level has types, constants, controls, parsers, functions and instances"
            raise self.unexpected("`(`", hint)
        parameters = self.parameters()
        return Function(kind, name, parameters, self.block(), annotations, self.since(start))

    def _is_instance(self) -> bool:
        """Whether a type and a parenthesis come next."""
        before = self.position
        self.type()
        found = self.at("(")
        self.position = before
        return found

    def _instance(self, annotations: Annotations, start: Span) -> Instance:
        kind = self.type()
        self.expect("(")
        arguments = self.arguments(")")
        name = self.name("the name of the instance").text
        if self.at("="):
            hint = "abstract methods are not supported"
            raise refuse(UNSUPPORTED, "an instance with a body is not supported", self.token.span, hint)
        self.expect(";")
        return Instance(kind, arguments, name, annotations, self.since(start))

    # --- controls and parsers -----------------------------------------------------------------------------

    def _control(self, annotations: Annotations) -> Control | None:
        start = self.next().span
        name = self.name("the name of a control").text
        self.types.add(name)
        self._refuse_type_parameters()
        parameters = self.parameters()
        if self.accept(";"):
            return None  # A declaration without a body belongs to an architecture.
        constructor = self.parameters() if self.at("(") else ()
        self.expect("{")
        locals_: list[Local] = []
        while not self.at("apply"):
            if self.at("}"):
                raise self.unexpected("`apply`", f"control `{name}` needs `apply {{ … }}`")
            locals_.append(self._local())
        self.next()
        apply = self.block()
        self.expect("}", "`apply` is the last part of a control")
        return Control(name, parameters, tuple(locals_), apply, annotations, constructor, self.since(start))

    def _refuse_type_parameters(self) -> None:
        if self.at("<"):
            message = "a control or parser with parameters for types is not supported"
            raise refuse(UNSUPPORTED, message, self.token.span, "write out the types")

    def _local(self) -> Local:
        annotations = self.annotations()
        start = annotations[0].span if annotations else self.token.span
        match self.token.text:
            case "action":
                return self.action(annotations)
            case "table":
                return self.table(annotations)
            case "const":
                return self.constant(annotations)
            case _ if self.token.kind is Kind.NAME:
                return self._local_value(annotations, start)
            case _:
                raise self.unexpected("a declaration or `apply`")

    def _local_value(self, annotations: Annotations, start: Span) -> Variable | Instance:
        if self._is_instance():
            return self._instance(annotations, start)
        return self.variable(annotations, start)

    def _parser(self, annotations: Annotations) -> Parser | None:
        start = self.next().span
        name = self.name("the name of a parser").text
        self.types.add(name)
        self._refuse_type_parameters()
        parameters = self.parameters()
        if self.accept(";"):
            return None
        constructor: tuple[Parameter, ...] = self.parameters() if self.at("(") else ()
        self.expect("{")
        locals_: list[Variable | Constant | Instance] = []
        states: list[State] = []
        while not self.accept("}"):
            marks = self.annotations()
            here = marks[0].span if marks else self.token.span
            if self.at("state"):
                states.append(self._state(marks))
            elif self.at("const"):
                locals_.append(self.constant(marks))
            elif self.at("value_set"):
                raise refuse(
                    UNSUPPORTED, "`value_set` is not supported", here, "write the values into `select`"
                )
            else:
                locals_.append(self._local_value(marks, here))
        return Parser(
            name, parameters, tuple(locals_), tuple(states), annotations, constructor, self.since(start)
        )

    def _state(self, annotations: Annotations) -> State:
        start = self.next().span
        name = self.name("the name of a state").text
        self.expect("{")
        statements: list[Statement] = []
        transition: str | Select | None = None
        while not self.accept("}"):
            if self.accept(";"):
                continue
            if self.accept("transition"):
                transition = self._transition()
                self.expect("}", "`transition` is the last statement of a state")
                break
            statements.append(self.statement())
        return State(name, tuple(statements), transition, annotations, self.since(start))

    def _transition(self) -> str | Select:
        start = self.token.span
        if not self.at("select"):
            name = self.name("the name of a state").text
            self.expect(";")
            return name
        self.next()
        self.expect("(")
        subjects = tuple(each.value for each in self.arguments(")"))
        self.expect("{")
        cases: list[SelectCase] = []
        while not self.accept("}"):
            here = self.token.span
            keys = self.keys()
            self.expect(":")
            state = self.name("the name of a state").text
            self.expect(";")
            cases.append(SelectCase(keys, state, self.since(here)))
        self.accept(";")
        return Select(subjects, tuple(cases), self.since(start))
