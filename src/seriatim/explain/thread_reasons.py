"""What a proof about threads rests on, in words: sums that never change, where they are simple."""

from seriatim.certificate.thread_flows import Flow
from seriatim.program.threads.syntax import FINISHED, ThreadProgram


def told_flows(program: ThreadProgram, flows: tuple[Flow, ...]) -> str:
    """Sentences about those that count threads with one global; others are left out."""
    return "".join(f" {sentence}" for flow in flows if (sentence := told_flow(program, flow)))


def told_flow(program: ThreadProgram, flow: Flow) -> str:
    """`lock` is the number of `worker`s in lines 7 to 9."""
    if len(flow.globals) != 1 or flow.main or any(weight != 1 for _, _, weight in flow.threads):
        return ""
    ((name, factor),) = flow.globals
    if abs(factor) != 1 or any(place == FINISHED for _, place, _ in flow.threads):
        return ""
    lines: dict[str, list[int]] = {}
    for template, place, _ in flow.threads:
        edges = program.by_name[template].edges_from.get(place, ())
        lines.setdefault(template, []).extend(edge.span.line for _, edge in edges)
    who = " and ".join(f"threads of `{template}` {span(found)}" for template, found in lines.items())
    if not who:
        return ""
    if factor == -1 and flow.total == 0:
        return f"`{name}` is always the number of {who}."
    if factor == 1:
        return f"`{name}` and the number of {who} are always {flow.total} together."
    return ""


def span(lines: list[int]) -> str:
    first, last = min(lines), max(lines)
    return f"in line {first}" if first == last else f"in lines {first} to {last}"
