"""Handlers of a service as handlers of the model: one for each choice of arguments; equal ones are merged.

A handler that takes any integers is translated for a few of them, and once more with locals in their place.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from seriatim.frontends.protocol import Approximation, ApproximationKind
from seriatim.frontends.python.answers import (
    FIRST_ANSWER,
    MAX_ANSWERS,
    SHAPE_SIZE,
    answer_count,
    answer_names,
    canonical_answers,
    free_leaf,
)
from seriatim.frontends.python.completeness import state_names
from seriatim.frontends.python.core_code import join_code
from seriatim.frontends.python.discovery import HandlerSource, Service
from seriatim.frontends.python.domains import INTEGERS, Atoms, Domain
from seriatim.frontends.python.inference import Inference
from seriatim.frontends.python.module import Module
from seriatim.frontends.python.names import Names
from seriatim.frontends.python.operands import UNBOUNDED_HINT
from seriatim.frontends.python.places import Refused
from seriatim.frontends.python.scheduling import Callback, Child, Plan, noting_overlap, schedule
from seriatim.frontends.python.state import Cell, External, cells_of
from seriatim.frontends.python.statements import Statements
from seriatim.frontends.python.surroundings import Catching, Gate, Generating, Timed
from seriatim.frontends.python.values import Composite, Reference, Scalar, Value
from seriatim.program.syntax import (
    Binary,
    Expression,
    Handler,
    If,
    Number,
    Operator,
    Read,
    UnboundedHandler,
    sequence,
    yields,
)
from seriatim.source import Span


@dataclass(frozen=True, slots=True)
class Mode:
    """How a service is run."""

    is_cancellable: bool
    python: tuple[int, int]
    """The version of Python."""


@dataclass(frozen=True, slots=True)
class Request:
    """A handler of the model, and what calls it stands for."""

    name: str
    function: str
    arguments: tuple[tuple[str, int | None], ...]
    """The parameters with their values; None for objects that are not known. Of merged ones, the first."""
    handler: Handler


@dataclass(frozen=True, slots=True)
class Lowered:
    """All handlers of a service."""

    requests: tuple[Request, ...]
    answer_names: dict[str, dict[int, str]]
    local_domains: dict[str, Domain]
    approximations: tuple[Approximation, ...]
    pauses: dict[Span, str]
    gates: dict[tuple[int, int], Gate]
    refusals: tuple[Refused, ...]
    executed: frozenset[int]
    """The functions that requests execute, by identity."""
    canonical_answers: dict[str, dict[int, str]] = field(default_factory=dict)
    """The answers of each request, as the real service would describe them."""
    answer_counts: dict[str, int] = field(default_factory=dict)
    """How many answers each function has; 0 stands for infinitely many."""
    limits: dict[str, tuple[Timed, ...]] = field(default_factory=dict)
    """The limits of time of each request, by number."""
    records: dict[tuple[int, int], str] = field(default_factory=dict)
    """Calls that make objects which are told by their arguments."""
    unbounded: tuple[UnboundedHandler, ...] = ()
    """All requests, if some take any integers; the others are examples then."""


class HandlerLowering(Statements):
    """Translates one handler with given arguments."""

    def __init__(
        self,
        module: Module,
        atoms: Atoms,
        inference: Inference,
        service: Service,
        source: HandlerSource,
        arguments: tuple[int | None, ...],
        shapes: dict[str, Composite],
        mode: Mode,
    ) -> None:
        super().__init__(module, atoms, inference, source.function.name)
        self.root = service.root
        self.state_names = state_names(service.owner, service.root)
        self.handler = source.function.name
        self.shapes = shapes
        self.is_cancellable = mode.is_cancellable
        self.python = mode.python
        self.limits: list[Timed] = []
        self.generating: list[Generating] = []
        self.children: list[Child] = []
        self.callbacks: list[Callback] = []
        self.groups = 0
        self.locks: list[str] = []
        self.failures: dict[int, Catching] = {}
        self.results: dict[int, Value] = {}
        self.held: list[str] = []
        self.handling: list[tuple[Catching, str | None]] = []
        self.notes: dict[str, Span] = {}
        self.approximations: dict[Approximation, None] = {}
        self.statement: ast.stmt = source.function.body[0]
        self.models = {
            each.arg: each.annotation.id
            for each in (*source.function.args.args, *source.function.args.kwonlyargs)
            if isinstance(each.annotation, ast.Name) and each.annotation.id in module.classes
        }
        names = source.function.args.posonlyargs + source.function.args.args
        self_name = names[0].arg if service.owner is not None and names else ""
        self.names = Names("", service.owner, self_name, source.function)
        span = self.places(source.function)
        self.parts: dict[str, Scalar] = {}
        for parameter, value in zip(source.parameters, arguments, strict=True):
            if parameter.is_part and value is not None and parameter.values is not None:
                domain = self.domain_of_argument(value, parameter.values)
                self.parts[parameter.name] = Scalar(Number(value, span), domain)
                continue
            if value is None and parameter.is_open:
                self.name_argument(
                    parameter.name, Scalar(Read(self.names.core(parameter.name), span), INTEGERS)
                )
                continue
            if value is None or parameter.values is None:
                unknown = External(parameter.name, not parameter.is_refused, parameter.is_refused)
                self.names.bound[parameter.name] = Reference(unknown)
                continue
            given = Scalar(Number(value, span), self.domain_of_argument(value, parameter.values))
            self.name_argument(parameter.name, given)

    def name_argument(self, name: str, given: Scalar) -> None:
        """A parameter that the handler assigns is a local."""
        if name in self.names.locals:
            self.set_local(self.names.core(name), given, given.code.span)
        else:
            self.names.bound[name] = given

    def domain_of_argument(self, value: int, values: Domain) -> Domain:
        atoms = frozenset(atom for atom in values.in_order() if self.atoms.code(atom) == value)
        given = values if values.is_scope else None
        if atoms:
            return Domain(atoms=atoms, is_scope=values.is_scope, given=given)
        return Domain(True, value, value, values.is_boolean, is_scope=values.is_scope, given=given)

    def whole(self, source: HandlerSource) -> Expression:
        """The code of the handler."""
        try:
            self.demand_plain(source.function)
        except Refused as refused:
            self.refusals.append(refused)
        self.execute_body(source.function.body)
        if not self.is_dead:
            end = source.function.body[-1]
            self.return_value(self.none(self.places(end)), end)
        code = join_code(self.out)
        if self.has_tasks:
            span = self.places(source.function)
            parts = (tuple(self.children), tuple(self.callbacks), tuple(self.locks))
            cancellation = self.cancellation(span) if self.is_cancelled else 0
            code = schedule(Plan(code, *parts, span, self.is_cancellable, cancellation))
        return noting_overlap(code) if not self.inference.read("overlap").is_empty and yields(code) else code

    def encode(self, shape: str, leaves: list[Scalar], span: Span) -> Expression:
        """An answer that is put together as one number, in mixed radix."""
        if (free := free_leaf(self.handler, self.inference, self.shapes)) is not None:
            return leaves[free].code
        plain = self.inference.read(f"answer {self.handler}")
        if plain.has_numbers and (plain.high is None or plain.high >= FIRST_ANSWER):
            hint = "bound the integers that are answered: # ser: 0..3 where they are set"
            message = f"`{self.handler}` answers integers without bounds beside this"
            raise Refused("SER924", message, span.line, hint)
        code: Expression = Number(FIRST_ANSWER + SHAPE_SIZE * list(self.shapes).index(shape), span)
        radix = 1
        for index, leaf in enumerate(leaves):
            domain = self.inference.read(f"answer {self.handler} {shape} {index}")
            if domain.is_empty:
                continue
            if not domain.is_finite:
                name = leaf.code.name if isinstance(leaf.code, Read) else ""
                what = f"`{name}`, a" if "." in name else "a"
                hint = "put # ser: 0..3 behind the line that sets it first, with a start in that range; or"
                hint += " answer this number only"
                raise Refused("SER924", f"{what} part of this answer can be any integer", span.line, hint)
            digit = self.position(leaf, domain, span)
            if radix > 1:
                digit = Binary(Operator.MULTIPLY, digit, Number(radix, span), span)
            code = Binary(Operator.ADD, code, digit, span)
            radix *= domain.size()
        if radix > MAX_ANSWERS:
            hint = "answer less, or bound its parts more narrowly"
            raise Refused("SER924", f"this answer has more than {MAX_ANSWERS} values", span.line, hint)
        return code

    def position(self, leaf: Scalar, domain: Domain, span: Span) -> Expression:
        """The place of a value among those of a domain."""
        values = domain.values(self.atoms)
        if leaf.known is not None:
            return Number(values.index(leaf.known), span)
        if not domain.atoms and domain.only is None:
            return Binary(Operator.SUBTRACT, leaf.code, Number(values[0], span), span)
        found: Expression = Number(len(values) - 1, span)
        for index in reversed(range(len(values) - 1)):
            test = Binary(Operator.EQUAL, leaf.code, Number(values[index], span), span)
            found = If(test, Number(index, span), found, span)
        return found


def lower(module: Module, atoms: Atoms, service: Service, mode: Mode) -> Lowered:
    """Translates all handlers, again and again until the domains of their variables are known."""
    inference = Inference()
    shapes: dict[str, dict[str, Composite]] = {each.function.name: {} for each in service.handlers}
    while True:
        for cell in cells(service):
            if cell.scope is None:
                inference.assign(f"cell {cell.family}", cell.start)
        lowerings = [
            (source, arguments, (lowering, lowering.whole(source)))
            for source in service.handlers
            for arguments in (
                *service.combinations(source, atoms),
                *service.open_combinations(source, atoms),
            )
            for own in (shapes[source.function.name],)
            for lowering in (
                HandlerLowering(module, atoms, inference, service, source, arguments, own, mode),
            )
        ]
        if not inference.advance():
            break
    return collect_lowered(lowerings, atoms, inference, shapes)


Lowering = tuple[HandlerLowering, Expression]


def cells(service: Service) -> tuple[Cell, ...]:
    """All variables of the model."""
    own = () if service.owner is None else cells_of(service.owner)
    found = (*own, *cells_of(service.root))
    return tuple({cell.name: cell for cell in found}.values())


def collect_lowered(
    lowerings: list[tuple[HandlerSource, tuple[int | None, ...], Lowering]],
    atoms: Atoms,
    inference: Inference,
    shapes: dict[str, dict[str, Composite]],
) -> Lowered:
    """What came of all handlers; those with the same code are one."""
    merged: dict[tuple[str, Expression], tuple[HandlerSource, list[tuple[int | None, ...]], Span]] = {}
    refusals: list[Refused] = []
    executed: set[int] = set()
    approximations: dict[Approximation, None] = {}
    pauses: dict[Span, str] = {}
    gates: dict[tuple[int, int], Gate] = {}
    records: dict[tuple[int, int], str] = {}
    notes: dict[str, Span] = {}
    limits: dict[tuple[str, Expression], tuple[Timed, ...]] = {}
    for source, arguments, (lowering, body) in lowerings:
        key = (source.function.name, body)
        if not is_open(source, arguments):
            merged.setdefault(key, (source, [], lowering.places(source.function)))[1].append(arguments)
            limits[key] = tuple(lowering.limits)
        refusals += lowering.refusals
        executed |= lowering.executed | {id(source.function)}
        approximations |= lowering.approximations
        pauses |= lowering.pauses
        gates |= lowering.gates
        records |= lowering.records
        for note, place in lowering.notes.items():
            notes.setdefault(note, place)
    if inference.mixed and not refusals:  # Most often, the statement that mixes them is refused already.
        refusals.append(mixture(inference.mixed, lowerings[0][0]))
    requests: list[Request] = []
    answers: dict[str, dict[int, str]] = {}
    canonical: dict[str, dict[int, str]] = {}
    for (function, body), (source, combinations, span) in merged.items():
        name = label(source, combinations, atoms)
        parameters = tuple(
            (parameter.name, value)
            for parameter, value in zip(source.parameters, combinations[0], strict=True)
        )
        requests.append(Request(name, function, parameters, Handler(name, sequence(body), span)))
        answers[name] = answer_names(function, inference, shapes[function], atoms)
        canonical[name] = canonical_answers(function, inference, shapes[function], atoms)
    for note, place in notes.items():
        approximations[Approximation(ApproximationKind.INTERLEAVING, note, place)] = None
    return Lowered(
        tuple(requests),
        answers,
        local_domains(inference),
        tuple(approximations),
        pauses,
        gates,
        tuple(refusals),
        frozenset(executed),
        canonical,
        {function: answer_count(function, inference, found) for function, found in shapes.items()},
        {request.name: limits[request.function, request.handler.body] for request in requests},
        records,
        tuple(make_unbounded_handlers(lowerings, requests)),
    )


def make_unbounded_handlers(
    lowerings: list[tuple[HandlerSource, tuple[int | None, ...], Lowering]], requests: list[Request]
) -> Iterator[UnboundedHandler]:
    """All requests, if some take any integers: those with locals in the place of integers, and the others."""
    opened: set[str] = set()
    for source, arguments, (lowering, body) in lowerings:
        if is_open(source, arguments):
            opened.add(source.function.name)
            yield open_handler(source, arguments, lowering, body)
    for request in requests:
        if opened and request.function not in opened:
            yield UnboundedHandler(request.name, (), request.handler.body)


def is_open(source: HandlerSource, arguments: tuple[int | None, ...]) -> bool:
    """Whether some of the arguments stand for any integers."""
    return any(
        parameter.is_open and value is None
        for parameter, value in zip(source.parameters, arguments, strict=True)
    )


def open_handler(
    source: HandlerSource, arguments: tuple[int | None, ...], lowering: HandlerLowering, body: Expression
) -> UnboundedHandler:
    """A request with any integers as arguments: `deposit(amount)`."""
    shown: list[str] = []
    own: list[str] = []
    for parameter, value in zip(source.parameters, arguments, strict=True):
        if parameter.is_open:
            own.append(lowering.names.core(parameter.name))
            shown.append(parameter.name)
        elif parameter.values is not None and value is not None:
            shown.append(parameter.values.name(value, lowering.atoms))
    return UnboundedHandler(f"{source.function.name}({', '.join(shown)})", tuple(own), sequence(body))


def local_domains(inference: Inference) -> dict[str, Domain]:
    known = inference.known.items()
    own = {key.split(" ", 2)[2]: domain for key, domain in known if key.startswith("local ")}
    return own | {key.split(" ", 1)[1]: domain for key, domain in known if key.startswith("cell ")}


def mixture(mixed: set[str], source: HandlerSource) -> Refused:
    """Why there is no translation though each statement has one."""
    kind, name, *_ = min(mixed, key=lambda key: (key.startswith("answer "), key)).split(" ")
    what = f"an answer of `{name}`" if kind == "answer" else f"`{name}`"
    message = f"{what} can be an integer without bounds or some other value"
    return Refused("SER924", message, source.function, UNBOUNDED_HINT)


def label(source: HandlerSource, combinations: list[tuple[int | None, ...]], atoms: Atoms) -> str:
    """What a request is called: `buy(2)`; of merged ones, all values of each argument, or all rows."""
    known = [index for index, parameter in enumerate(source.parameters) if parameter.values is not None]
    if not known:
        return source.function.name

    def show(index: int, value: int | None) -> str:
        values = source.parameters[index].values
        assert values is not None
        assert value is not None
        return values.name(value, atoms)

    columns = [
        dict.fromkeys(show(index, combination[index]) for combination in combinations) for index in known
    ]
    if prod(map(len, columns)) == len(combinations):
        arguments = ", ".join(" | ".join(column) for column in columns)
    else:
        rows = (", ".join(show(index, row[index]) for index in known) for row in combinations)
        arguments = " | ".join(rows)
    return f"{source.function.name}({arguments})"
