"""Reads the switch that a program describes: which control is ingress, egress and deparser."""

from dataclasses import dataclass

from seriatim.frontends.p4 import syntax, terms
from seriatim.frontends.p4.code import Code, Frame
from seriatim.frontends.p4.environment import Place
from seriatim.frontends.p4.kinds import STANDARD_METADATA, Kind, Simple, Structure, Types, leaves, valid
from seriatim.frontends.p4.lowering import Lowering
from seriatim.frontends.p4.passes import Passes, read_passes
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.syntax import all_of, children
from seriatim.frontends.p4.tables import GivenEntries

HEADERS = "hdr"
METADATA = "meta"
STANDARD = "standard_metadata"
"""Names for the parameters of all controls, whatever the controls call them."""

PARTS = ("parser", "verification of checksums", "ingress", "egress", "computation of checksums", "deparser")


@dataclass(frozen=True, slots=True)
class Switch:
    """The code of a switch, and its headers and metadata."""

    ingress: Frame
    egress: Frame
    kinds: dict[str, Simple]
    """The kinds of all header fields and metadata, by path."""
    emitted: tuple[str, ...]
    """The paths of the headers that the deparser emits."""
    parsed: frozenset[str]
    """The paths that the parser may give a value to."""
    names: dict[str, str]
    """The paths of parameters, by the names that controls give them."""
    silent: tuple[str, ...]
    """Descriptions of objects and calls that are left out, since no packet sees their effect."""
    passes: Passes
    """What packets cause besides themselves, such as copies."""
    checksummed: tuple[str, ...]
    """The metadata that checksums in headers may depend on."""

    @property
    def code(self) -> Code:
        return (self.ingress, self.egress)


def read_switch(program: syntax.Program, given: GivenEntries) -> Switch:
    """Reads a switch from a program; raises `InputError`."""
    types = Types(program)
    lowering = Lowering(program, types, given)
    parts = _parts(program)
    ingress, egress = (_control(parts[place], lowering, PARTS[place]) for place in (2, 3))
    deparser = _control(parts[5], lowering, PARTS[5])
    parser = next(
        each for each in program.declarations if isinstance(each, syntax.Parser) and each.name == parts[0]
    )
    checks = [_control(parts[place], lowering, PARTS[place]) for place in (1, 4)]
    for each in checks:
        _check_checksums(each, lowering.controls, ())
    checksums = checks[1]
    _refuse_registers(program, (parser, deparser))
    roots = _roots(ingress, types)
    _check_same_types(egress, roots, types)
    places = [Place(path, kind) for path, kind in roots]
    names = {
        each.name: path
        for control in (ingress, egress)
        for each, (path, _) in zip(control.parameters, roots, strict=True)
    }
    frames = [lowering.control(each, each.name, places, lowering.top) for each in (ingress, egress)]
    written = ingress.parameters[1].type
    name = written.name if isinstance(written, terms.NamedType) else ""
    passes = read_passes(program, tuple(lowering.steps.causes), roots[1], name)
    return Switch(
        frames[0],
        frames[1],
        {**dict(leaf for path, kind in roots for leaf in leaves(path, kind)), **passes.revealed},
        _emitted_headers(deparser, roots[0][1], types),
        _parsed_paths(parser, roots),
        {**names, **{path: path for path, _ in roots}},
        tuple(sorted(lowering.calls.silent)),
        passes,
        _checksummed(checksums, roots),
    )


def _parts(program: syntax.Program) -> tuple[str, ...]:
    """The names of the six parts of the switch."""
    instances = {each.name: each for each in program.declarations if isinstance(each, syntax.Instance)}
    main = instances.get("main")
    if main is None or not isinstance(main.type, terms.NamedType) or main.type.name != "V1Switch":
        hint = "end with `V1Switch(MyParser(), …, MyDeparser()) main;`"
        raise refuse(UNKNOWN, "the program has no switch", None if main is None else main.span, hint)
    found: list[str] = []
    for argument in main.arguments:
        match argument.value:
            case terms.Call(function=terms.Name(name=name), arguments=()):
                found.append(name)
            case terms.Name(name=name) if name in instances:
                written = instances[name].type
                found.append(written.name if isinstance(written, terms.NamedType) else "")
            case _:
                raise refuse(UNKNOWN, "a part of the switch has to be written `Name()`", argument.span)
    if len(found) != len(PARTS):
        raise refuse(UNKNOWN, f"a switch has {len(PARTS)} parts", main.span, ", ".join(PARTS))
    declared = {
        each.name for each in program.declarations if isinstance(each, syntax.Control | syntax.Parser)
    }
    for name, argument in zip(found, main.arguments, strict=True):
        if name not in declared:
            raise refuse(UNKNOWN, f"nothing declares {quote_name(name)}", argument.span)
    return tuple(found)


def _control(name: str, lowering: Lowering, part: str) -> syntax.Control:
    if name not in lowering.controls:
        raise refuse(UNKNOWN, f"{quote_name(name)} is not a control, but is given as the {part}", None)
    return lowering.controls[name]


CHECKSUMS = (
    "verify_checksum",
    "update_checksum",
    "verify_checksum_with_payload",
    "update_checksum_with_payload",
)
"""Checksum calls; a checksum depends on headers only, so it reveals nothing else."""


def _check_checksums(
    control: syntax.Control, controls: dict[str, syntax.Control], outer: tuple[str, ...]
) -> None:
    """Raises `InputError` if a control does more than checksums, which are not executed."""
    pending = list(control.apply.statements)
    while pending:
        statement = pending.pop()
        match statement:
            case syntax.CallStatement(call=terms.Call(function=terms.Name(name=name))) if name in CHECKSUMS:
                continue
            case syntax.Block(statements=statements):
                pending += statements
            case syntax.If(then=then, otherwise=otherwise):
                pending += [each for each in (then, otherwise) if each is not None]
            case syntax.CallStatement(
                call=terms.Call(function=terms.Member(of=terms.Name(name=name), name="apply"))
            ) if (inner := _inner(name, control, controls)) is not None and inner.name not in outer:
                _check_checksums(inner, controls, (*outer, control.name))
            case _:
                hint = f"these controls consist of calls such as `{CHECKSUMS[1]}`"
                message = "this statement of a control for checksums is not supported"
                raise refuse(UNSUPPORTED, message, statement.span, hint)


def _inner(name: str, control: syntax.Control, controls: dict[str, syntax.Control]) -> syntax.Control | None:
    """The control that a name in another control stands for, as an instance or by itself."""
    for local in control.locals:
        if isinstance(local, syntax.Instance) and local.name == name:
            return controls.get(local.type.name) if isinstance(local.type, terms.NamedType) else None
    return controls.get(name)


def _checksummed(control: syntax.Control, roots: list[tuple[str, Kind]]) -> tuple[str, ...]:
    """The metadata that the control which computes checksums reads, or hands on."""
    if len(control.parameters) != len(roots) - 1:
        return ()
    names = {control.parameters[1].name: METADATA}
    read: set[str] = set()
    pending: list[object] = [control.apply]
    while pending:
        part = pending.pop()
        if isinstance(part, terms.Name | terms.Member | terms.Index | terms.Slice):
            read |= _target_paths(part, names)
            continue
        pending += part if isinstance(part, tuple) else children(part)
    return tuple(path for path, _ in leaves(*roots[1]) if any(_is_inside(path, each) for each in read))


def _refuse_registers(program: syntax.Program, parts: tuple[object, ...]) -> None:
    """Raises `InputError` if a part that is not executed uses a register."""
    registers = {
        each.name
        for each in all_of(program, syntax.Instance)
        if isinstance(each.type, terms.NamedType) and each.type.name == "register"
    }
    for call in (call for part in parts for call in all_of(part, terms.Call)):
        match call.function:
            case terms.Member(of=terms.Name(name=name), name="read" | "write") if name in registers:
                hint = "use it in ingress or egress"
                message = "a register in a parser or deparser is not supported"
                raise refuse(UNSUPPORTED, message, call.span, hint)
            case _:
                continue


def _roots(ingress: syntax.Control, types: Types) -> list[tuple[str, Kind]]:
    if len(ingress.parameters) != 3:
        hint = "headers, metadata and standard_metadata_t"
        raise refuse(UNKNOWN, "ingress and egress need three parameters", ingress.span, hint)
    kinds = [types.resolve(each.type) for each in ingress.parameters]
    if kinds[2] != STANDARD_METADATA:
        raise refuse(
            UNKNOWN, "the third parameter has to be of type standard_metadata_t", ingress.parameters[2].span
        )
    for kind, parameter in zip(kinds[:2], ingress.parameters, strict=False):
        if not isinstance(kind, Structure):
            raise refuse(UNKNOWN, f"{kind} is not a struct", parameter.span)
    return list(zip((HEADERS, METADATA, STANDARD), kinds, strict=True))


def _check_same_types(egress: syntax.Control, roots: list[tuple[str, Kind]], types: Types) -> None:
    kinds = [types.resolve(each.type) for each in egress.parameters]
    if kinds != [kind for _, kind in roots]:
        raise refuse(UNKNOWN, "egress has to take the same types as ingress", egress.span)


def _emitted_headers(deparser: syntax.Control, headers: Kind, types: Types) -> tuple[str, ...]:
    """The headers that leave the switch; raises `InputError` about any statement but `emit`."""
    found: list[str] = []
    names = [each.name for each in deparser.parameters]
    for statement in deparser.apply.statements:
        match statement:
            case syntax.CallStatement(
                call=terms.Call(
                    function=terms.Member(of=terms.Name(name=packet), name="emit"), arguments=(argument,)
                )
            ) if packet == names[0]:
                path = _path(argument.value, names[1], types)
                found += [each for each in _headers(HEADERS, headers) if _is_inside(each, path)]
            case _:
                hint = "a deparser consists of `packet.emit(hdr.x);`"
                raise refuse(
                    UNSUPPORTED, "this statement of a deparser is not supported", statement.span, hint
                )
    return tuple(found)


def _path(expression: terms.Expression, root: str, types: Types) -> str:
    match expression:
        case terms.Name(name=name) if name == root:
            return HEADERS
        case terms.Member(of=of, name=name):
            return f"{_path(of, root, types)}.{name}"
        case terms.Index(of=of, index=index):
            return f"{_path(of, root, types)}[{types.constant(index)}]"
        case _:
            raise refuse(UNSUPPORTED, "this is not a header of the packet", expression.span)


def _is_inside(path: str, outer: str) -> bool:
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))


def _headers(path: str, kind: Kind) -> list[str]:
    end = valid("")
    return [each.removesuffix(end) for each, _ in leaves(path, kind) if each.endswith(end)]


def _parsed_paths(parser: syntax.Parser, roots: list[tuple[str, Kind]]) -> frozenset[str]:
    """All headers, and the metadata that some state of the parser may give a value to."""
    paths = [path for root, kind in roots for path, _ in leaves(root, kind)]
    names = {each.name: root for each, (root, _) in zip(parser.parameters[1:], roots, strict=False)}
    assigned: set[str] = set()
    for state in parser.states:
        for each in all_of(state.statements, syntax.Assignment):
            assigned |= _target_paths(each.target, names)
        for call in all_of(state.statements, terms.Call):
            for argument in call.arguments:
                assigned |= _target_paths(argument.value, names)
    return frozenset(
        path
        for path in paths
        if _is_inside(path, HEADERS) or any(_is_inside(path, outer) for outer in assigned)
    )


def _target_paths(expression: terms.Expression, names: dict[str, str]) -> set[str]:
    """The path that an expression names, up to the first part that is not a plain name."""
    match expression:
        case terms.Name(name=name):
            return {names[name]} if name in names else set()
        case terms.Member(of=of, name=name):
            outer = _target_paths(of, names)
            return {f"{path}.{name}" for path in outer}
        case terms.Index(of=of) | terms.Slice(of=of):
            return _target_paths(of, names)
        case _:
            return set()
