"""Thread programs by the rules of the paper's Figure 3, on statements: slow, obvious, and apart from the
graphs.
 A configuration is the globals and a multiset of threads, each with the statements that it still has to
execute. Arbitrary values are tried out at once: all values of small types, and for integers those that the
caller names.
"""

from collections.abc import Iterator
from itertools import product

from seriatim.frontends.conc.surface import (
    Atomic,
    If,
    ProgramText,
    Return,
    Simple,
    Statement,
    ThreadText,
    While,
)
from seriatim.program.threads.syntax import (
    Action,
    Assert,
    Assign,
    Assume,
    Booleans,
    Fork,
    Havoc,
    Join,
    Range,
    Type,
    is_boolean,
)
from seriatim.terms.expressions import Expression, Value, apply, evaluate
from seriatim.terms.operators import DividesByZero

Store = tuple[tuple[str, Value], ...]
Thread = tuple[str, tuple[Statement, ...], int | None, Store]
Configuration = tuple[Store, tuple[Thread, ...]]


class Fails(Exception):
    pass


class Reference:
    def __init__(self, program: ProgramText, integers: tuple[int, ...]) -> None:
        self.program = program
        self.integers = integers
        self.threads = {each.name: each for each in program.threads}

    def values(self, type_: Type) -> tuple[Value, ...]:
        if isinstance(type_, Booleans):
            return (False, True)
        return tuple(range(type_.low, type_.high + 1)) if isinstance(type_, Range) else self.integers

    def stores(self, types: dict[str, Type], given: dict[str, Value]) -> Iterator[Store]:
        names = sorted(types)
        choices = [(given[name],) if name in given else self.values(types[name]) for name in names]
        for values in product(*choices):
            yield tuple(zip(names, values, strict=True))

    def starts(self) -> Iterator[Configuration]:
        main = self.threads["main"]
        for globals_ in self.stores(self.program.types, self.program.initial):
            for locals_ in self.stores(main.types, {}):
                yield globals_, (("main", main.body, None, locals_),)

    def successors(self, configuration: Configuration) -> Iterator[Configuration]:
        """Raises `Fails` where a step fails."""
        globals_, threads = configuration
        for index, thread in enumerate(threads):
            others = threads[:index] + threads[index + 1 :]
            for after, new_globals, rest, spawned in self.steps(thread, globals_, others):
                crowd = (*rest, after, *([spawned] if spawned is not None else []))
                yield new_globals, tuple(sorted(crowd, key=hash))

    def steps(
        self, thread: Thread, globals_: Store, others: tuple[Thread, ...]
    ) -> Iterator[tuple[Thread, Store, tuple[Thread, ...], Thread | None]]:
        name, code, identity, locals_ = thread
        if not code:
            return
        first, following = code[0], code[1:]
        if isinstance(first, Return) or (isinstance(first, Atomic) and not first.body):
            # These are no steps: go on with what follows.
            skipped = () if isinstance(first, Return) else following
            yield from self.steps((name, skipped, identity, locals_), globals_, others)
            return
        environment = dict(globals_) | dict(locals_)
        for actions, rest in self.unfold(first, following, environment):
            for values, spawned, left in self.run(name, actions, environment, others, None):
                new_globals = tuple((each, values[each]) for each, _ in globals_)
                new_locals = tuple((each, values[each]) for each, _ in locals_)
                yield (name, finished(rest), identity, new_locals), new_globals, left, spawned

    def unfold(
        self, first: Statement, following: tuple[Statement, ...], environment: dict[str, Value]
    ) -> Iterator[tuple[tuple[Action, ...], tuple[Statement, ...]]]:
        """What the next step does, and what is left to do."""
        match first:
            case Simple(actions=actions):
                yield actions, following
            case If(condition=condition, then=then, otherwise=otherwise):
                for met in self.outcomes(condition, environment):
                    yield (), (then if met else otherwise) + following
            case While(condition=condition, body=body):
                for met in self.outcomes(condition, environment):
                    yield (), ((*body, first, *following) if met else following)
            case Atomic(body=body):
                for actions, returns in self.atomic(body):
                    yield actions, () if returns else following

    def outcomes(self, condition: Expression | None, environment: dict[str, Value]) -> list[bool]:
        if condition is None:
            return [True, False]
        try:
            return [bool(evaluate(condition, environment))]
        except DividesByZero:
            raise Fails from None

    def atomic(self, body: tuple[Statement, ...]) -> Iterator[tuple[tuple[Action, ...], bool]]:
        if not body:
            yield (), False
            return
        first, following = body[0], body[1:]
        match first:
            case Return():
                yield (), True
            case Simple(actions=actions):
                for rest, returns in self.atomic(following):
                    yield actions + rest, returns
            case Atomic(body=inner):
                yield from self.atomic(wrapped(inner, following))
            case If(condition=None, then=then, otherwise=otherwise):
                yield from self.atomic(wrapped(then, following))
                yield from self.atomic(wrapped(otherwise, following))
            case If(condition=condition, then=then, otherwise=otherwise) if condition is not None:
                for test, branch in ((condition, then), (apply("!", condition), otherwise)):
                    for rest, returns in self.atomic(wrapped(branch, following)):
                        yield (Assume(test), *rest), returns

    def run(
        self,
        name: str,
        actions: tuple[Action, ...],
        environment: dict[str, Value],
        others: tuple[Thread, ...],
        spawned: Thread | None,
    ) -> Iterator[tuple[dict[str, Value], Thread | None, tuple[Thread, ...]]]:
        if not actions:
            yield environment, spawned, others
            return
        first, rest = actions[0], actions[1:]
        try:
            effects = list(self.act(name, first, environment, others))
        except DividesByZero:
            raise Fails from None
        for values, new, left in effects:
            yield from self.run(name, rest, values, left, new or spawned)

    def act(  # noqa: C901 - a rule an arm
        self, name: str, action: Action, environment: dict[str, Value], others: tuple[Thread, ...]
    ) -> Iterator[tuple[dict[str, Value], Thread | None, tuple[Thread, ...]]]:
        template = self.threads[name]
        match action:
            case Assign(targets=targets, values=values):
                computed = {t: evaluate(v, environment) for t, v in zip(targets, values, strict=True)}
                self.check(template, computed)
                yield environment | computed, None, others
            case Havoc(target=target):
                for value in self.values(self.type_of(template, target)):
                    yield environment | {target: value}, None, others
            case Assume(condition=condition):
                if evaluate(condition, environment):
                    yield environment, None, others
            case Assert(condition=condition):
                if not evaluate(condition, environment):
                    raise Fails
                yield environment, None, others
            case Fork(id=identity, template=started, arguments=arguments):
                child = self.threads[started]
                number = evaluate(identity, environment)
                given = {
                    p: evaluate(a, environment) for p, a in zip(child.parameters, arguments, strict=True)
                }
                self.check(child, given)
                for store in self.stores(child.types, given):
                    yield environment, (started, finished(child.body), number, store), others
            case Join(id=identity, targets=targets):
                number = evaluate(identity, environment)
                for index, (other, code, other_id, store) in enumerate(others):
                    results = self.threads[other].results
                    if code or other_id is None or other_id != number:
                        continue
                    if targets and [is_boolean(self.type_of(template, t)) for t in targets] != [
                        is_boolean(self.threads[other].types[r]) for r in results
                    ]:
                        continue
                    taken = (
                        {t: dict(store)[r] for t, r in zip(targets, results, strict=True)} if targets else {}
                    )
                    self.check(template, taken)
                    yield environment | taken, None, others[:index] + others[index + 1 :]

    def type_of(self, template: ThreadText, name: str) -> Type:
        return template.types[name] if name in template.types else self.program.types[name]

    def check(self, template: ThreadText, values: dict[str, Value]) -> None:
        for name, value in values.items():
            type_ = self.type_of(template, name)
            if isinstance(type_, Range) and not type_.low <= value <= type_.high:
                raise Fails


def wrapped(branch: tuple[Statement, ...], following: tuple[Statement, ...]) -> tuple[Statement, ...]:
    return branch + following


def finished(code: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """What is left to do without statements that are no steps."""
    while code:
        if isinstance(code[0], Return):
            return ()
        if not (isinstance(code[0], Atomic) and not code[0].body):
            return code
        code = code[1:]
    return ()


def brute_force(
    program: ProgramText, threads: int, most: int, integers: tuple[int, ...] = (0,)
) -> tuple[bool | None, bool]:
    """Whether a step fails with at most so many threads besides main, and whether everything was seen; the
    first is None if there were too many configurations.
    """
    reference = Reference(program, integers)
    seen: set[Configuration] = set()
    pending: list[Configuration] = []
    for start in reference.starts():
        globals_, ((name, code, identity, store),) = start
        pending.append((globals_, ((name, finished(code), identity, store),)))
    is_cut = False
    while pending:
        configuration = pending.pop()
        if configuration in seen:
            continue
        seen.add(configuration)
        if len(seen) > most:
            return None, False
        try:
            for after in reference.successors(configuration):
                if sum(thread[2] is not None for thread in after[1]) > threads:
                    is_cut = True
                elif after not in seen:
                    pending.append(after)
        except Fails:
            return True, False
    return False, not is_cut
