"""What a proof about threads rests on, in words: locks and what they protect, how many threads there can be,
sums that never change, and formulas, by lines of the source."""

from collections.abc import Iterator
from math import inf

from seriatim.certificate.evidence import Evidence
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_cover import Named, ThreadCoverEvidence
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import ThreadPairsEvidence
from seriatim.certificate.thread_predicates import Predicate
from seriatim.certificate.thread_reduction import ThreadReductionEvidence
from seriatim.program.threads.expressions import (
    Binary,
    Constant,
    Expression,
    Operator,
    Unary,
    Variable,
    variables,
)
from seriatim.program.threads.movers import Movers
from seriatim.program.threads.printer import print_expression
from seriatim.program.threads.reduction import drop, fuse
from seriatim.program.threads.symbolic import substitute
from seriatim.program.threads.syntax import FINISHED, ThreadProgram

MAX_FORMULAS = 6
LONGEST = 90
"""Characters of a formula that is told."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def explain_threads(program: ThreadProgram, evidence: Evidence) -> Iterator[str]:
    """Sentences about a proof; none about a run."""
    yield from told_locks(program)
    is_always = True
    if isinstance(evidence, ThreadReductionEvidence):
        yield from told_reduction(program, evidence)
        program = fuse(drop(program, evidence.dropped), evidence.fused)
        is_always = not evidence.fused
        evidence = evidence.proof
    match evidence:
        case ThreadCoverEvidence():
            yield from told_numbers(program, evidence)
            yield from told_values([state.globals for state in evidence.states], is_always)
        case ThreadPairsEvidence():
            yield from told_values([state.globals for state in evidence.states], is_always)
        case ThreadModularEvidence(flows=flows, predicates=predicates):
            yield from filter(None, (told_flow(program, flow) for flow in flows))
            yield from told_formulas(program, predicates)
        case PetrifiedEvidence(bound=bound, safe=safe):
            yield f"At most {counted(bound)} of each template run at a time."
            yield from told_formulas(program, safe)
        case _:
            return


def counted(number: int) -> str:
    word = NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"
    return f"{word} thread" if number == 1 else f"{word} threads"


def listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def told_locks(program: ThreadProgram) -> Iterator[str]:
    """The lock `m` protects `balance`."""
    movers = Movers(program)
    for lock in sorted(movers.mutexes):
        where = [
            f"`{template.name}` {span(lines)}"
            for template in program.templates
            if (lines := held_lines(movers, template.name, lock))
        ]
        held = f", in {' and '.join(where)}" if where else ""
        yield f"At most one thread holds the lock `{lock}` at a time{held}."
        protected = sorted(name for name, locks in movers.guards.items() if lock in locks)
        if protected:
            yield f"The lock `{lock}` protects {listed(protected)}: nobody else accesses it without the lock."


def held_lines(movers: Movers, template: str, lock: str) -> list[int]:
    graph = movers.program.by_name[template]
    return [
        edge.span.line
        for place, locks in movers.held[template].items()
        if lock in locks
        for _, edge in graph.edges_from.get(place, ())
    ]


def told_reduction(program: ThreadProgram, evidence: ThreadReductionEvidence) -> Iterator[str]:
    names = [f"{template}.{name}" if template else name for template, name in evidence.dropped]
    told = sorted(name for name in names if "$" not in name)
    if told:
        yield f"Whether something fails does not depend on {listed(told)}."
    lines: dict[str, list[int]] = {}
    for template, place in evidence.fused:
        edges = program.by_name[template].edges_from.get(place, ())
        lines.setdefault(template, []).extend(edge.span.line for _, edge in edges)
    for template, found in lines.items():
        if found:
            told_lines = ", ".join(map(str, sorted(set(found))))
            word = "line" if len(set(found)) == 1 else "lines"
            yield f"Others need not run before `{template}` goes on with {word} {told_lines}."


def told_numbers(program: ThreadProgram, evidence: ThreadCoverEvidence) -> Iterator[str]:
    """How many threads of each template run at a time."""
    most: dict[str, float] = {}
    for state in evidence.states:
        for crowd in state.crowds:
            numbers: dict[str, float] = {}
            for number, count in crowd:
                thread = evidence.threads[number]
                if thread.place != FINISHED and thread.template != program.main:
                    numbers[thread.template] = numbers.get(thread.template, 0) + (
                        inf if count is None else count
                    )
            most |= {name: max(most.get(name, 0), count) for name, count in numbers.items()}
    for name, largest in sorted(most.items()):
        if largest < inf:
            yield f"At most {counted(int(largest))} of `{name}` run at a time."


def told_values(states: list[Named], is_always: bool) -> Iterator[str]:
    """Between what globals stay, as far as all states tell that."""
    when = "" if is_always else "Outside these steps, "
    values: dict[str, set[int]] = {}
    told = [dict(state) for state in states]
    for name in told[0] if told else ():
        if all(name in state for state in told):
            values[name] = {int(state[name]) for state in told}
    for name, found in sorted(values.items()):
        if any(isinstance(state[name], bool) for state in told):
            if len(found) == 1:
                yield f"{when}`{name}` is always {str(bool(found.pop())).lower()}."
        elif len(found) == 1:
            yield f"{when}`{name}` is always {found.pop()}."
        else:
            yield f"{when}`{name}` stays between {min(found)} and {max(found)}."


def told_formulas(program: ThreadProgram, predicates: tuple[Predicate, ...]) -> Iterator[str]:
    """The shortest ones that say something, by the lines where threads are."""
    found = [(told, each) for each in predicates if (told := told_formula(each)) is not None]
    for told, each in sorted(found, key=lambda pair: len(pair[0]))[:MAX_FORMULAS]:
        yield f"{where(program, each)}: {told}."


def told_formula(predicate: Predicate) -> str | None:
    formula = predicate.formula
    if isinstance(formula, Constant) or len(print_expression(formula)) > LONGEST:
        return None
    names = {f"{index}": template for index, (template, _) in enumerate(predicate.threads)}
    said: dict[str, Expression] = {}
    for name in variables(formula):
        owner, _, local = name.partition(".")
        shown = {"g": local, "m": f"main.{local}"}.get(owner, f"{names.get(owner, owner)}.{local}")
        said[name] = Variable(shown.replace(".#", ".id"))
    return print_expression(plain(substitute(formula, said)))


OPPOSITES: dict[str, Operator] = {">=": "<", "<=": ">", "<": ">=", ">": "<=", "==": "!=", "!=": "=="}


def plain(formula: Expression) -> Expression:
    """The same, as people write it: without negated comparisons and negative factors."""
    match formula:
        case Unary(sign="!", operand=Binary(operator=operator, left=left, right=right)) if (
            operator in OPPOSITES
        ):
            return plain(Binary(OPPOSITES[operator], left, right))
        case Binary(operator="<", left=left, right=Constant(value=int() as value)):
            return Binary("<=", plain(left), Constant(value - 1))
        case Binary(operator=">", left=left, right=Constant(value=int() as value)):
            return Binary(">=", plain(left), Constant(value + 1))
        case Binary(
            operator="+",
            left=left,
            right=Binary(operator="*", left=Constant(value=int() as value), right=right),
        ) if value < 0:
            factor = Constant(-value)
            return Binary("-", plain(left), right if value == -1 else Binary("*", factor, right))
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, plain(left), plain(right))
        case Unary(sign=sign, operand=operand):
            return Unary(sign, plain(operand))
        case _:
            return formula


def where(program: ThreadProgram, predicate: Predicate) -> str:
    spots = [(program.main, predicate.place), *predicate.threads]
    return "With " + ", ".join(f"`{name}` {at(program, name, place)}" for name, place in spots)


def at(program: ThreadProgram, template: str, place: int) -> str:
    lines = [edge.span.line for _, edge in program.by_name[template].edges_from.get(place, ())]
    return f"before line {min(lines)}" if lines else "at its end"


def told_flow(program: ThreadProgram, flow: Flow) -> str:
    """`lock` is the number of `worker`s in lines 7 to 9; empty if that is not simple."""
    if len(flow.globals) != 1 or flow.main or any(weight != 1 for _, _, weight in flow.threads):
        return ""
    ((name, factor),) = flow.globals
    if abs(factor) != 1 or any(place == FINISHED for _, place, _ in flow.threads):
        return ""
    lines: dict[str, list[int]] = {}
    for template, place, _ in flow.threads:
        edges = program.by_name[template].edges_from.get(place, ())
        lines.setdefault(template, []).extend(edge.span.line for _, edge in edges)
    who = " and ".join(f"threads of `{template}` {span(found)}" for template, found in lines.items() if found)
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
