"""What a proof about threads rests on, in words: locks and what they protect, how many threads there can be,
sums that never change, and formulas, by lines of the source."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice
from math import inf

from seriatim.certificate.evidence import Evidence
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import ThreadPairsEvidence
from seriatim.certificate.thread_predicates import Predicate
from seriatim.certificate.thread_reduction import ThreadReductionEvidence
from seriatim.certificate.thread_run import Named
from seriatim.program.threads.movers import Movers
from seriatim.program.threads.printer import print_expression
from seriatim.program.threads.reduction import drop, fuse
from seriatim.program.threads.syntax import FINISHED, ThreadProgram, actions, writes
from seriatim.terms.expressions import Apply, Constant, Expression, Variable, apply, substitute, variables
from seriatim.terms.operators import Op

Spot = tuple[str, int]
"""A template, and a place of it."""

MAX_FORMULAS = 6
LONGEST = 90
"""Characters of a formula that is told."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def explain_threads(program: ThreadProgram, evidence: Evidence) -> Iterator[str]:
    """Sentences about a proof; none about a run."""
    yield from tell_locks(program)
    is_always = True
    if isinstance(evidence, ThreadReductionEvidence):
        yield from tell_reduction(program, evidence)
        program = fuse(drop(program, evidence.dropped), evidence.fused)
        is_always = not evidence.fused
        evidence = evidence.proof
    match evidence:
        case ThreadCoverEvidence():
            yield from tell_numbers(program, evidence)
            yield from tell_values(program, [state.globals for state in evidence.states], is_always)
        case ThreadPairsEvidence():
            yield from tell_values(program, [state.globals for state in evidence.states], is_always)
        case ThreadModularEvidence(flows=flows, predicates=predicates):
            yield from filter(None, (tell_flow(program, flow) for flow in flows))
            yield from tell_formulas(program, predicates)
        case PetrifiedEvidence(bound=bound, safe=safe):
            yield f"At most {count_text(bound)} of each template run at a time."
            yield from tell_formulas(program, safe)
        case _:
            return


def count_text(number: int) -> str:
    word = NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"
    return f"{word} thread" if number == 1 else f"{word} threads"


def join_names(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def tell_locks(program: ThreadProgram) -> Iterator[str]:
    """The lock `m` protects `balance`."""
    movers = Movers(program)
    for lock in sorted(movers.mutexes):
        where = [
            f"`{template.name}` {span(lines)}"
            for template in program.templates
            if (lines := find_held_lines(movers, template.name, lock))
        ]
        held = f", in {' and '.join(where)}" if where else ""
        yield f"At most one thread holds the lock `{lock}` at a time{held}."
        protected = sorted(name for name, locks in movers.guards.items() if lock in locks)
        if protected:
            yield f"The lock `{lock}` protects {join_names(protected)}: all accesses happen under it."


def find_held_lines(movers: Movers, template: str, lock: str) -> list[int]:
    graph = movers.program.by_name[template]
    return [
        edge.span.line
        for place, locks in movers.held[template].items()
        if lock in locks
        for _, edge in graph.edges_from.get(place, ())
    ]


def tell_reduction(program: ThreadProgram, evidence: ThreadReductionEvidence) -> Iterator[str]:
    names = [f"{template}.{name}" if template else name for template, name in evidence.dropped]
    told = sorted(name for name in names if "$" not in name)
    if told:
        yield f"Whether something fails does not depend on {join_names(told)}."
    lines: dict[str, list[int]] = {}
    for template, place in evidence.fused:
        edges = program.by_name[template].edges_from.get(place, ())
        lines.setdefault(template, []).extend(edge.span.line for _, edge in edges)
    for template, found in lines.items():
        if found:
            word = "line" if len(set(found)) == 1 else "lines"
            yield (
                f"Switches right before {word} {ranges(found)} of `{template}` make no difference: "
                "whatever fails with them fails without them."
            )


def tell_numbers(program: ThreadProgram, evidence: ThreadCoverEvidence) -> Iterator[str]:
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
            yield f"At most {count_text(int(largest))} of `{name}` run at a time."


def tell_values(program: ThreadProgram, states: list[Named], is_always: bool) -> Iterator[str]:
    """The bounds of globals that some thread writes, as far as all states tell them."""
    written = {name for _, _, action in actions(program) for name in writes(action)}
    when = "" if is_always else "At all other switches, "
    told = [dict(state) for state in states]
    fixed: dict[str, list[str]] = {}
    bounded: dict[tuple[int, int], list[str]] = {}
    for name in sorted(told[0] if told else ()):
        if name not in written or not all(name in state for state in told):
            continue
        found = {state[name] for state in told}
        if len(found) == 1:
            fixed.setdefault(str(found.pop()).lower(), []).append(name)
        elif not any(isinstance(value, bool) for value in found):
            bounded.setdefault((min(found), max(found)), []).append(name)
    for value, names in fixed.items():
        yield f"{when}{join_names(names)} {'is' if len(names) == 1 else 'are'} always {value}."
    for (least, most), names in bounded.items():
        verb = "stays" if len(names) == 1 else "stay"
        yield f"{when}{join_names(names)} {verb} between {least} and {most}."


def tell_formulas(program: ThreadProgram, predicates: tuple[Predicate, ...]) -> Iterator[str]:
    """The shortest facts that say something, by the lines where threads are."""
    places: dict[tuple[tuple[Spot, ...], str], list[int]] = {}
    for each in predicates:
        for told in tell_facts(each):
            places.setdefault((each.threads, told), []).append(each.place)
    number = Counter(each.threads for each in predicates)
    shortest = sorted(places.items(), key=lambda item: len(item[0][1]))
    sentences = (
        f"{where(program, () if len(found) == number[threads] else tuple(found), threads)}: {told}."
        for (threads, told), found in shortest
    )
    yield from islice(dict.fromkeys(sentences), MAX_FORMULAS)


def tell_facts(predicate: Predicate) -> Iterator[str]:
    """A short formula; of a long one, what it says about variables of all its threads."""
    formula = predicate.formula
    if isinstance(formula, Constant):
        return
    names = labels(predicate.threads)
    said: dict[str, Expression] = {}
    for name in variables(formula):
        owner, _, local = name.partition(".")
        shown = local if owner == "g" else f"{names[int(owner)] if owner.isdigit() else 'main'}.{local}"
        said[name] = Variable(shown.replace(".#", ".id"))
    facts: list[Expression] = [formula]
    if len(print_expression(formula)) > LONGEST:
        everyone = {str(number) for number in range(len(predicate.threads))}
        facts = [
            fact
            for fact in strictly(conjuncts(formula))
            if isinstance(fact, Apply)
            and fact.op not in ("||", "!", "neg", "?")
            and len(variables(fact)) > 1
            and everyone <= {name.partition(".")[0] for name in variables(fact)}
            and len(print_expression(fact)) <= LONGEST
        ]
    for fact in facts:
        yield print_expression(with_equalities(plain(substitute(fact, said))))


def conjuncts(formula: Expression) -> list[Expression]:
    match formula:
        case Apply(op="&&", arguments=(left, right)):
            return [*conjuncts(left), *conjuncts(right)]
        case _:
            return [formula]


def with_equalities(formula: Expression) -> Expression:
    """One fact that x == y for two that x >= y and x <= y."""
    facts = dict.fromkeys(conjuncts(formula))
    for fact in tuple(facts):
        if isinstance(fact, Apply) and fact.op == ">=":
            opposite = Apply("<=", fact.arguments)
            if opposite in facts:
                del facts[fact], facts[opposite]
                facts[Apply("==", fact.arguments)] = None
    return reduce(lambda left, right: apply("&&", left, right), facts)


def strictly(facts: list[Expression]) -> list[Expression]:
    """With one fact that x < y for two that x <= y and x != y."""
    known = dict.fromkeys(facts)
    for operator, strict in STRICT.items():
        for fact in facts:
            if isinstance(fact, Apply) and fact.op == operator:
                differ = Apply("!=", fact.arguments)
                if differ in known:
                    del known[fact], known[differ]
                    known[Apply(strict, fact.arguments)] = None
    return list(known)


def labels(threads: tuple[Spot, ...]) -> list[str]:
    """Names of threads: those of their templates, with numbers if there are two."""
    names = [template for template, _ in threads]
    return [
        f"{name}#{names[:index].count(name) + 1}" if names.count(name) > 1 else name
        for index, name in enumerate(names)
    ]


STRICT: dict[str, Op] = {"<=": "<", ">=": ">"}
OPPOSITES: dict[str, Op] = {">=": "<", "<=": ">", "<": ">=", ">": "<=", "==": "!=", "!=": "=="}


def plain(formula: Expression) -> Expression:
    """The same, as people write it: without negated comparisons, differences from 0 and negative factors."""
    match formula:
        case Apply(op="!", arguments=(Apply(op=operator, arguments=(left, right)),)) if operator in OPPOSITES:
            return plain(apply(OPPOSITES[operator], left, right))
        case Apply(op=operator, arguments=(left, Constant(value=0))) if (
            operator in OPPOSITES and isinstance(difference := plain(left), Apply) and difference.op == "-"
        ):
            return Apply(operator, difference.arguments)
        case Apply(op="<", arguments=(left, Constant(value=int() as value))):
            return plain(apply("<=", left, Constant(value - 1)))
        case Apply(op=">", arguments=(left, Constant(value=int() as value))):
            return plain(apply(">=", left, Constant(value + 1)))
        case Apply(
            op="+", arguments=(left, Apply(op="*", arguments=(Constant(value=int() as value), right)))
        ) if value < 0:
            factor = Constant(-value)
            return apply("-", plain(left), right if value == -1 else apply("*", factor, right))
        case Apply(op=operator, arguments=(left, right)):
            return apply(operator, plain(left), plain(right))
        case Apply(op=("neg" | "!") as sign, arguments=(operand,)):
            return apply(sign, plain(operand))
        case _:
            return formula


def where(program: ThreadProgram, main: tuple[int, ...], threads: tuple[Spot, ...]) -> str:
    """Where threads are; main is somewhere if no place of it is given."""
    said = [
        f"`{label}` is {at(program, *spot)}" for label, spot in zip(labels(threads), threads, strict=True)
    ]
    if main:
        spots = dict.fromkeys(at(program, program.main, place) for place in main)
        said.insert(0, f"`main` is {' or '.join(spots)}")
    return f"While {' and '.join(said)}" if said else "Always"


def at(program: ThreadProgram, template: str, place: int) -> str:
    lines = [edge.span.line for _, edge in program.by_name[template].edges_from.get(place, ())]
    return f"before line {min(lines)}" if lines else "at its end"


def tell_flow(program: ThreadProgram, flow: Flow) -> str:
    """`lock` is the number of `worker`s in lines 7 to 9; empty if that is not simple."""
    terms = (*flow.globals, *(((name, value), factor) for name, value, factor in flow.values))
    if len(terms) != 1 or flow.main or any(weight != 1 for _, _, weight in flow.threads):
        return ""
    ((subject, factor),) = terms
    if abs(factor) != 1 or any(place == FINISHED for _, place, _ in flow.threads):
        return ""
    lines: dict[str, list[int]] = {}
    for template, place, _ in flow.threads:
        edges = program.by_name[template].edges_from.get(place, ())
        lines.setdefault(template, []).extend(edge.span.line for _, edge in edges)
    spots = [(template, span(found)) for template, found in lines.items() if found]
    is_count = factor == -1 and flow.total == 0
    if isinstance(subject, tuple):
        someone = " or ".join(f"a thread of `{template}` is {place}" for template, place in spots)
        return f"`{subject[0]}` is {subject[1]} exactly while {someone}." if spots and is_count else ""
    who = " and ".join(f"threads of `{template}` {place}" for template, place in spots)
    if not who:
        return ""
    if is_count:
        return f"`{subject}` is always the number of {who}."
    if factor == 1:
        return f"`{subject}` and the number of {who} are always {flow.total} together."
    return ""


def span(lines: list[int]) -> str:
    first, last = min(lines), max(lines)
    return f"in line {first}" if first == last else f"in lines {first} to {last}"


def ranges(lines: Iterable[int]) -> str:
    """`3, 5 to 7`."""
    stretches: list[list[int]] = []
    for line in sorted(set(lines)):
        if stretches and stretches[-1][-1] == line - 1:
            stretches[-1].append(line)
        else:
            stretches.append([line])
    return ", ".join(
        f"{each[0]} to {each[-1]}" if len(each) > 2 else ", ".join(map(str, each)) for each in stretches
    )
