"""Sums of globals and numbers of threads: that they have their totals at the start, and what they say later.

Claim: if a sum has its total at the start, and no step changes it, it has its total always. If no thread
weighs less than nothing, main and some of the threads weigh at most what is left of the total, whatever else
is there. That no step changes it, `seriatim.checking.thread_modular` asks of each step, together with the
formulas.
"""

from collections.abc import Iterator

from seriatim.certificate.thread_flows import Flow
from seriatim.program.threads.syntax import FINISHED, ThreadProgram


def misfits(program: ThreadProgram, flow: Flow) -> Iterator[str]:
    """Says what is wrong with a sum at the start."""
    total = dict(flow.main).get(program.main_template.entry, 0)
    for name, factor in flow.globals:
        if name not in program.initial:
            yield f"`{name}` has no initial value"
            return
        total += factor * int(program.initial[name])
    for name, value, counts in flow.values:
        if name not in program.initial:
            yield f"`{name}` has no initial value"
            return
        total += counts * (int(program.initial[name]) == value)
    if total != flow.total:
        yield f"the total is {total} at the start, not {flow.total}"
    if len(dict(flow.globals)) != len(flow.globals) or len(dict(flow.main)) != len(flow.main):
        yield "something is given twice"
    seen = set()
    for name, place, each in flow.threads:
        template = program.by_name.get(name)
        if template is None or (place != FINISHED and place not in template.places):
            yield f"`{name}` has no place {place}"
        if each < 0:
            yield "a thread weighs less than nothing"
        if (name, place) in seen:
            yield "something is given twice"
        seen.add((name, place))
