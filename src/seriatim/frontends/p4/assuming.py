"""The assumptions behind the model of a packet program, in sentences."""

from typing import TYPE_CHECKING

from seriatim.frontends.p4.code import Apply, Random, steps
from seriatim.frontends.p4.models import Model
from seriatim.frontends.p4.parameters import path_text, values_text
from seriatim.frontends.p4.slicing import SPEC
from seriatim.frontends.p4.switch import METADATA
from seriatim.frontends.protocol import Approximation, ApproximationKind

if TYPE_CHECKING:
    from seriatim.frontends.p4.translation import Analysis

_STEPS = {
    Model.SPEC: "a step is one operation on a register, or an @atomic block (--p4-model spec)",
    Model.ACTION: "a step is one action, one other operation on a register, or an @atomic block"
    " (--p4-model action)",
    Model.BMV2: "as in BMv2, ingress is one step, and a step of egress is one action; egress has four"
    " threads, and packets of one port need not keep their order (--p4-model bmv2)",
}


def approximations(analysis: "Analysis") -> tuple[Approximation, ...]:
    """All assumptions and scopes of a model, with their places in the program."""
    kind = ApproximationKind
    found = [Approximation(kind.ASSUMPTION, _STEPS[analysis.atomicity])]
    found += _scopes(analysis)
    for step in steps(analysis.switch.code):
        if isinstance(step, Apply) and step.table.name in analysis.explored.inventory.tables:
            what = "entry" if step.table.entries is not None else "action and data"
            sentence = f"{step.table.name}: any {what}, fixed for each packet"
            found.append(Approximation(kind.SCOPE, sentence, step.table.span))
        elif isinstance(step, Random) and step.path in analysis.part.needed:
            found.append(Approximation(kind.ENVIRONMENT, "a random number, another one each time", step.span))
    for step_, _ in analysis.explored.inventory.calls.values():
        sentence = f"{step_.algorithm}: some value, fixed for each flow"
        found.append(Approximation(kind.SCOPE, sentence, step_.span))
    if any(path.startswith(f"{METADATA}.") for path in analysis.part.needed):
        found.append(Approximation(kind.ASSUMPTION, "metadata that the parser does not set starts as 0"))
    if not analysis.part.depends.get(SPEC, frozenset()).isdisjoint(analysis.scopes.data):
        found.append(Approximation(kind.ASSUMPTION, "ports that tables give are not the drop port (511)"))
    found += [Approximation(kind.ASSUMPTION, f"left out: {each}") for each in analysis.switch.silent]
    return tuple(dict.fromkeys(found))


def _scopes(analysis: "Analysis") -> list[Approximation]:
    found: list[Approximation] = []
    choices = analysis.scopes.choices
    for sentence, span in analysis.explored.inventory.chosen.values():
        found.append(Approximation(ApproximationKind.CHOSEN, sentence, span))
    for name, width in choices.widths.items():
        if name in analysis.part.registers:
            sentence = f"chosen: {name} has {width} bits: it counts modulo {1 << width}"
            found.append(Approximation(ApproximationKind.CHOSEN, sentence, analysis.scopes.known[name].span))
    used = {
        parameter.name
        for kinds in analysis.model.kinds.values()
        for kind in kinds
        for parameter, _ in kind.parameters
    }
    for path, scope in analysis.scopes.fields.items():
        if scope.values is not None and (path in used or len(scope.values) == 1):
            sentence = f"packets have {path_text(path)} in {values_text(scope.values)} only"
            found.append(
                Approximation(ApproximationKind.SCOPE, sentence, scope.span, _where(scope.span is None))
            )
    for name, scope in analysis.scopes.registers.items():
        if name not in analysis.part.registers:
            continue
        approval = _where(scope.span is None)
        if scope.cells is not None:
            sentence = f"{name} has {scope.cells} cells instead of {analysis.scopes.known[name].size}"
            found.append(Approximation(ApproximationKind.SCOPE, sentence, scope.span, approval))
        if scope.width is not None:
            sentence = f"{name} has {scope.width} bits: it counts modulo {1 << scope.width}"
            found.append(Approximation(ApproximationKind.SCOPE, sentence, scope.span, approval))
        if scope.values is not None:
            sentence = f"{name} stays in {values_text(scope.values)}; leaving it is a fault"
            found.append(Approximation(ApproximationKind.SCOPE, sentence, scope.span, approval))
    return found


def _where(is_given: bool) -> str:
    return "--scope" if is_given else ""
