"""Objects that programs declare: registers, counters, meters, inner controls."""

from seriatim.frontends.p4 import syntax
from seriatim.frontends.p4.code import Register
from seriatim.frontends.p4.environment import Cells, Environment, Inner, Meter, Refused, Silent
from seriatim.frontends.p4.kinds import Bits, Types
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.terms import NamedType

SILENT = {
    "counter": "counters: only the control plane reads them",
    "direct_counter": "counters: only the control plane reads them",
    "action_profile": "action profiles: the control plane fills them",
    "action_selector": "action selectors: the control plane fills them",
}

METERS = "meters: the colours that they give are any, and fixed for each packet, as its times are"

COLOUR = "colour"
"""The root of the paths for colours, which a packet brings along."""

COLOURS = (0, 1, 2)
"""Green, yellow and red."""


def declare_instance(
    instance: syntax.Instance,
    environment: Environment,
    types: Types,
    controls: dict[str, syntax.Control],
    owner: str,
) -> None:
    """Declares an object in an environment; raises `InputError`."""
    written = instance.type
    if isinstance(written, NamedType):
        written = types.without_aliases(written)
    if not isinstance(written, NamedType):
        raise refuse(UNSUPPORTED, f"{quote_name(instance.name)} is not supported", instance.span)
    if written.name == "register":
        register = _register(instance, written, types, owner)
        environment.declare(instance.name, Cells(register))
    elif written.name in SILENT:
        environment.declare(instance.name, Silent(SILENT[written.name]))
    elif written.name in ("meter", "direct_meter"):
        environment.declare(instance.name, Meter(instance.name, written.name == "direct_meter"))
    elif written.name in controls:
        if instance.arguments:
            hint = "write the arguments into the control"
            raise refuse(
                UNSUPPORTED, "a control with constructor arguments is not supported", instance.span, hint
            )
        environment.declare(instance.name, Inner(controls[written.name], instance.name))
    elif written.name in ("Checksum16", "Random", "Hash", "Digest"):
        hint = "only programs for v1model are supported"
        environment.declare(instance.name, Refused(f"an object of type {written.name}", hint))
    else:
        raise refuse(UNKNOWN, f"nothing declares a type {quote_name(written.name)}", written.span)


def _register(instance: syntax.Instance, written: NamedType, types: Types, owner: str) -> Register:
    if not written.arguments or len(instance.arguments) != 1:
        hint = "write `register<bit<32>>(1024) name;`"
        raise refuse(UNKNOWN, "a register needs a type and a size", instance.span, hint)
    kind = types.resolve(written.arguments[0])
    if not isinstance(kind, Bits):
        hint = "use a register for each of its fields"
        raise refuse(UNSUPPORTED, f"a register of {kind} is not supported", written.span, hint)
    size = types.constant(instance.arguments[0].value)
    if size < 1:
        raise refuse(UNKNOWN, f"register {quote_name(instance.name)} has no cells", instance.span)
    return Register(f"{owner}.{instance.name}" if owner else f".{instance.name}", kind, size, instance.span)
