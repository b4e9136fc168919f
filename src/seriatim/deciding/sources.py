"""Decides a source of any kind: translates it, decides, and repeats violations on the real code."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic

from seriatim.budget import Deadline, Observer, OutOfBudget, enforce
from seriatim.certificate.certificate import Certificate
from seriatim.deciding.answer import Want
from seriatim.deciding.pipeline import Options, Work, work_out
from seriatim.engines.stage import Progress
from seriatim.frontends.all import translate, translate_all
from seriatim.frontends.protocol import (
    COMPARED,
    FOR_CHOSEN,
    ActionTranslation,
    AnyTranslation,
    Comparison,
    Settings,
    ThreadTranslation,
    Translation,
    is_for_chosen,
)
from seriatim.frontends.reading import BadInput, parse_source
from seriatim.frontends.sql.refusal import NO_PARSER
from seriatim.method import Minimality
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.property import Property
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.properties.safe import SAFETY
from seriatim.properties.sequential import SEQUENTIAL
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.statement import NeverFails, NeverRaces, NeverStuck, OfThreads
from seriatim.result import Also, Holds, Result, StuckWarning, Suspicion, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, InputError, Severity, SourceText

USUAL = (SAFETY, RACE_FREEDOM, DEADLOCK_FREEDOM)
"""What is asked about C by default; bad pointers and freed memory violate the first."""

TIME_FOR_SAFETY = 0.85
"""The share of the time for the first question about C."""

SECONDS_FOR_OTHERS = {RACE_FREEDOM: 10, DEADLOCK_FREEDOM: 3}
"""CPU seconds for each of the other questions about C."""

TIME_FOR_WRITTEN_SIZE = 0.85
"""The share of the time for arrays as written; the rest is for smaller ones."""

STUCK = "SER710"
"""The code of warnings about requests that wait for ever."""

INTERPRETED = ("p4",)
"""Replayers that interpret a source by themselves: nothing of it is executed, so they need no permission."""

NOBODY = "the model allows more than the source, and its run was not repeated on the real code"
NOT_ALLOWED = "repeating it executes the source, which is not allowed here"
NOT_COMPARED = "Not compared with a server: that executes the source, which is not allowed here."
HOW_TO_ALLOW = "to have it repeated: `ser check {name}`, or allow it on the page of `ser play`"

TIME_FOR_MODEL = 0.4
"""The share of the time for a model of transactions; what has too many states is run instead."""


def read_translation(source: SourceText, question: Property, settings: Settings) -> AnyTranslation:
    """Translates a source. Raises `BadInput`, also if the question does not fit it."""
    translation = parse_source(source, partial(translate_all, settings=settings))
    if not isinstance(translation, Translation):
        return translation
    culprit, unfit = question.misfits(translation.content, source)
    if unfit:
        raise BadInput(culprit, unfit)
    return translation


def read_or_run(
    source: SourceText, question: Property, settings: Settings, deadline: Deadline, *, may_run: bool
) -> AnyTranslation:
    """Translates a source; what no model can be made of is run, if that is allowed.

    Raises `BadInput` and `OutOfBudget`.
    """
    may_explore = may_run and source.name.endswith(".sql")
    try:
        with enforce(deadline.part(TIME_FOR_MODEL) if may_explore else deadline):
            return read_translation(source, question, settings)
    except OutOfBudget as out:
        if not may_explore:
            raise
        slow = Diagnostic("SER956", f"{out.spent} before the model had all of its states", hint=out.hint)
        return explore_refused(source, settings, BadInput(source, [slow]), deadline)
    except BadInput as bad:
        if not may_run:
            raise
        return explore_refused(source, settings, bad, deadline)


def explore_refused(source: SourceText, settings: Settings, bad: BadInput, deadline: Deadline) -> Translation:
    """Tries a SQL file that the model refuses on a live database. Raises `BadInput`, for other files
    with what is wrong with them."""
    has_parser = all(each.code != NO_PARSER for each in bad.diagnostics)
    if not source.name.endswith(".sql") or "from-log" in settings or not has_parser:
        raise bad
    from seriatim.frontends.sql.seen import translate_refused  # Most checks explore nothing.

    try:
        return translate_refused(source, settings, bad.diagnostics, deadline)
    except InputError as error:
        raise BadInput(source, error.diagnostics) from None


def decide_translation(
    translation: AnyTranslation,
    source: SourceText,
    options: Options,
    observer: Observer[Progress] | None,
    deadline: Deadline,
    *,
    replay: bool,
    is_default: bool,
) -> tuple[Result, Work | None]:
    """Decides a question about a translation. Raises `BadInput` if the question does not fit it.

    `replay` allows repeating violations on the real code; `is_default` says that the question is the default
    one.
    """
    if isinstance(translation, ThreadTranslation):
        return _decide_threads(translation, source, options, observer, deadline, is_default, replay), None
    if isinstance(translation, ActionTranslation):
        return _decide_actions(translation, source, options, deadline, is_default), None
    has_arrays = translation.content.has_arrays
    own = deadline.part(TIME_FOR_WRITTEN_SIZE) if has_arrays else deadline
    result, work = decide_about(translation, source, options, observer, replay, own)
    if has_arrays and isinstance(result.answer, Undecided):
        from seriatim.deciding.smaller_arrays import with_decided_size

        result = with_decided_size(result, result.answer, options, deadline)
    return result, work


def _decide_actions(
    translation: ActionTranslation, source: SourceText, options: Options, deadline: Deadline, is_default: bool
) -> Result:
    """Decides an asynchronous program. Raises `BadInput` if the question is about other programs."""
    from seriatim.deciding.actions import decide_actions  # Few inputs are protocols.

    if not is_default and options.question != SEQUENTIAL:
        message = f"`{options.question.name}` is not a question about protocols"
        raise BadInput(source, [Diagnostic("SER214", message, hint="leave --property out")])
    with enforce(deadline):
        return decide_actions(source, translation.content, deadline)


def _decide_threads(
    translation: ThreadTranslation,
    source: SourceText,
    options: Options,
    observer: Observer[Progress] | None,
    deadline: Deadline,
    is_default: bool,
    replay: bool,
) -> Result:
    """Decides a program with threads; the default question is whether it is safe, and those about C ask for
    data races and hangs as well."""
    ask = partial(_ask_threads, translation, source, observer=observer)
    if is_default and is_c(translation):
        questions = [each for each in USUAL if each != RACE_FREEDOM or not has_buffers(translation)]
        result = _ask_usual(ask, questions, source, options, deadline)
    else:
        result = ask(options, deadline, is_default=is_default)
    return compare_threads(result, translation, replay, deadline)


def _ask_usual(
    ask: Callable[..., Result],
    questions: Sequence[Property],
    source: SourceText,
    options: Options,
    deadline: Deadline,
) -> Result:
    """The answers to the usual questions about C; the first violation is the result."""
    found: Result | None = None
    also: list[Also] = []
    for question in questions:
        threads = replace(options.threads, width=options.threads.width and question == SAFETY)
        asked = replace(options, question=question, threads=threads)
        try:
            limit = SECONDS_FOR_OTHERS.get(question)
            own = deadline.part(TIME_FOR_SAFETY) if limit is None else deadline.of_cpu(limit)
            result = ask(asked, own, is_default=False)
        except BadInput as bad:
            answer = Undecided(bad.diagnostics[0].message, None, 0)
            result = Result(source, question, answer, actor="thread")
        if found is not None:
            stages = {name: found.stages.get(name, 0) + each for name, each in result.stages.items()}
            seconds = round(found.seconds + result.seconds, 6)
            result = replace(result, seconds=seconds, stages={**found.stages, **stages})
        if found is None or not isinstance(result.answer, Holds | Undecided):
            found, also = result, []
        else:
            found = replace(found, seconds=result.seconds, stages=result.stages)
            also.append(Also(question, result.answer))
        if not isinstance(found.answer, Holds | Undecided):
            break
    assert found is not None, "there are usual questions"
    return replace(found, also=tuple(also))


def is_c(translation: ThreadTranslation) -> bool:
    return translation.provenance is not None and translation.provenance.front_end == "c"


def _ask_threads(
    translation: ThreadTranslation,
    source: SourceText,
    options: Options,
    deadline: Deadline,
    *,
    observer: Observer[Progress] | None,
    is_default: bool,
) -> Result:
    """Decides one question. Raises `BadInput` if it does not fit the program."""
    from seriatim.deciding.threads import decide_threads  # Checks of requests do not need it.

    question, statement = options.question, options.question.states()
    if not (is_default or isinstance(statement, NeverFails | NeverStuck | OfThreads)):
        message = f"`{question.name}` is about requests, and this is a program with threads"
        raise BadInput(
            source, [Diagnostic("SER214", message, hint="use --property safe, or leave --property out")]
        )
    if isinstance(statement, NeverRaces) and not (translation.content.ordinary or accesses(translation)):
        message = "there are data races only where accesses are steps that others see at once"
        raise BadInput(source, [Diagnostic("SER214", message, hint="ask that about a program in C")])
    waits = translation.content.unknown_waits
    if isinstance(statement, NeverStuck) and waits:
        message = f"{waits} makes threads wait, so that hangs of this program are not known"
        raise BadInput(source, [Diagnostic("SER214", message, hint="ask for another property")])
    options = replace(options, provenance=translation.provenance)
    result = decide_threads(translation.content, options, observer, source, deadline)
    return replace(result, approximations=translation.approximations)


def accesses(translation: ThreadTranslation) -> bool:
    """Whether accesses to memory are steps that others see at once, as they are in C by default."""
    origin = translation.provenance
    if origin is None or not is_c(translation):
        return False
    return dict(origin.settings).get("steps") != "statement" and not has_buffers(translation)


def has_buffers(translation: ThreadTranslation) -> bool:
    """Whether what a thread writes waits in a buffer; data races are a question about programs without."""
    origin = translation.provenance
    return origin is not None and dict(origin.settings).get("memory") == "tso"


def compare_threads(
    result: Result, translation: ThreadTranslation, replay: bool, deadline: Deadline
) -> Result:
    """The result, after it was compared with the compiled program, if there is one."""
    origin = translation.provenance
    if origin is None or not accesses(translation):
        return result
    from seriatim.deciding.compiled import compare_with_compiled  # Few inputs are in C.

    began = monotonic()
    settings = dict(origin.settings)
    found = compare_with_compiled(result, translation.content, settings, replay, deadline)
    seconds = round(monotonic() - began, 6)
    stages = {**found.stages, "compiled program": seconds}
    return replace(found, seconds=round(found.seconds + seconds, 6), stages=stages)


def decide_about(
    translation: Translation,
    source: SourceText,
    options: Options,
    observer: Observer[Progress] | None = None,
    replay: bool = True,
    deadline: Deadline | None = None,
) -> tuple[Result, Work]:
    """Decides a question about a translated source, and keeps the data behind the decision.

    Claim: a violation that this reports is one of the source. Either the translation is exact, so that each
    run of the content is one of the source; or its replayer has seen the real thing give answers that none of
    its one-at-a-time orders gives. Otherwise the answer is undecided.
    """
    if (known := answer_known_before(translation, options.question)) is not None:
        known_result = Result(source, options.question, known, approximations=translation.approximations)
        return replace(known_result, warnings=translation.content.warnings), Work(None)
    asked = options
    options = replace(
        options,
        question=question_about(translation, options.question),
        ranges_are_scopes=translation.ranges_are_scopes,
        provenance=translation.provenance,
        # A language with its own teller decides itself what counts as stuck.
        stuck_runs=translation.told_by is None,
    )
    deadline = deadline or Deadline(options.timeout, options.max_memory)
    result, work = work_out(translation.content, options, observer, source, deadline)
    result = replace(result, approximations=translation.approximations)
    if isinstance(result.answer, Holds):
        result = replace(result, answer=read_proof(result.answer, translation))
    if isinstance(result.answer, Violated) and translation.told_by is not None:
        from seriatim.deciding.retelling import tell_violation  # Most runs need no retelling.

        told = tell_violation(result.answer, translation, source)
        result = replace(result, answer=told)
    if isinstance(result.answer, Holds | Violated):
        result = compare(result, result.answer, translation, deadline, replay)
    if result.compared is not None and result.compared.difference:
        return decide_differing(result, translation, source, options, deadline), work
    if isinstance(result.answer, Violated):
        result = confirm(result, result.answer, translation, deadline, replay)
    if translation.otherwise is not None and not isinstance(result.answer, Holds):
        other = translate(source, translation.otherwise)
        return decide_about(other, source, asked, observer, replay, deadline)
    if isinstance(result.answer, Violated) and Want.WHY in options.wants:
        fixes = proved_fixes(translation, source, options, deadline)
        result = replace(result, answer=replace(result.answer, fixes=fixes))
    if result.stuck is not None and translation.replayer is not None and replay and not translation.exact:
        result = confirm_stuck(result, result.stuck, translation, deadline)
    return result, work


def read_proof(proof: Holds, translation: Translation) -> Holds | Unusable | Undecided:
    """Returns what a proof about the content says about the source."""
    if translation.escape is not None:
        return answer_outside(translation.escape)
    if translation.told_by is not None:
        proof = replace(proof, sample=None)  # Its states cannot be told.
    if is_for_chosen(translation.approximations):
        proof = replace(proof, reason=f"Proved {FOR_CHOSEN} only. {proof.reason}")
    return proof


def answer_outside(escape: Diagnostic) -> Unusable | Undecided:
    """The answer where values leave their scope: a mistake in a scope of the file, else the question is
    open."""
    if escape.severity is Severity.NOTE:
        return Undecided(escape.message, escape.hint or "", 0)
    return Unusable((escape,))


def decide_differing(
    result: Result, translation: Translation, source: SourceText, options: Options, deadline: Deadline
) -> Result:
    """The result about a model that differs from the real thing: what that one shows alone."""
    assert isinstance(result.answer, Undecided)
    assert translation.provenance is not None
    assert translation.comparer is not None
    engine = translation.comparer.partition(":")[2]
    settings = {**dict(translation.provenance.settings), "engine": engine}
    differs = Diagnostic("SER952", result.answer.reason)
    try:
        seen = explore_refused(source, settings, BadInput(source, [differs]), deadline)
    except BadInput as bad:
        if all(each.span is not None for each in bad.diagnostics):  # The database refuses the file itself.
            return replace(result, answer=Unusable(tuple(bad.diagnostics)), compared=None)
        return result
    if seen.tried is not None:
        reason = f"{result.answer.reason}; {seen.tried.reason}"
        return replace(result, answer=replace(result.answer, reason=reason))
    found, _ = decide_about(seen, source, options, deadline=deadline)
    return replace(found, compared=result.compared)


def answer_known_before(translation: Translation, question: Property) -> Unusable | Undecided | None:
    """Return the answer if the translation has it: the question does not fit, or runs were all it had."""
    if translation.questions is not None and question.name not in translation.questions:
        known = ", ".join(translation.questions)
        message = f"for this kind of file, you can only ask {known}"
        return Unusable((Diagnostic("SER950", message, hint=f"--property {known}"),))
    if translation.tried is not None:
        tried = translation.tried
        return Undecided(tried.reason, tried.hint, tried.requests)
    return None


def proved_fixes(
    translation: Translation, source: SourceText, options: Options, deadline: Deadline
) -> tuple[str, ...]:
    """Changes to the source that are proved to suffice, in words; only for languages with a repairer."""
    match None if translation.provenance is None else translation.provenance.front_end:
        case "sql" if translation.comparer is not None:  # What was only seen has no model to try fixes in.
            from seriatim.deciding import sql_repairs  # Most checks propose no fixes.

            return sql_repairs.proved_fixes(translation, source, options, deadline)
        case "p4":
            from seriatim.deciding import p4_repairs

            return p4_repairs.proved_fixes(translation, source, options, deadline)
        case _:
            return ()


def question_about(translation: Translation, asked: Property) -> Property:
    """The question about a translation. By default, the translation says what is observed."""
    if asked == SERIALIZABILITY and translation.observed:
        return Serializability(translation.observed)
    return asked


def compare(
    result: Result, answer: Holds | Violated, translation: Translation, deadline: Deadline, replay: bool
) -> Result:
    """The result, after the model was compared with the real thing; undecided if they differ."""
    if translation.comparer is None:
        return result
    from seriatim.frontends.sql import comparing  # Most checks compare nothing.

    if not replay:
        return replace(result, compared=Comparison(None, NOT_COMPARED))
    try:
        found = comparing.compare(result.source, translation, isinstance(answer, Holds), deadline)
    except OutOfBudget as out:
        reason = f"{out.spent} before the model was compared with the database"
        return replace(result, answer=Undecided(reason, out.hint, 0))
    result = replace(result, compared=found)
    if found.engine is None:
        return result
    if not found.difference:
        return replace(result, answer=replace(answer, certificate=with_comparison(answer.certificate, found)))
    reason = f"the model and {found.engine} differ: {found.difference}"
    return replace(result, answer=Undecided(reason, comparing.HINT, 0))


def with_comparison(certificate: Certificate, found: Comparison) -> Certificate:
    """The certificate, which now says what its model was compared with."""
    assert certificate.provenance is not None
    settings = {**dict(certificate.provenance.settings), COMPARED: found.sentence}
    told = replace(certificate.provenance, settings=tuple(sorted(settings.items())))
    return replace(certificate, provenance=told)


def confirm(
    result: Result, violated: Violated, translation: Translation, deadline: Deadline, replay: bool
) -> Result:
    """The result, with the outcome of repeating its violation; undecided if the violation is not certain."""
    may_repeat = replay or translation.replayer in INTERPRETED
    if translation.replayer is None or not may_repeat:
        if translation.exact:
            return result
        if translation.replayer is None:
            return replace(result, answer=leave_unconfirmed(violated, NOBODY, translation.doubt_hint))
        hint = HOW_TO_ALLOW.format(name=result.source.name)
        return replace(result, answer=leave_unconfirmed(violated, NOT_ALLOWED, hint))
    from seriatim.frontends.all import replayer_named  # Most checks do not need it.

    replayer = replayer_named(translation.replayer)
    found = replayer.confirm(result.source, translation, violated.certificate, deadline)
    result = replace(result, confirmation=found)
    if found.confirmed or (translation.exact and not found.contradicts):
        return result
    return replace(result, answer=leave_unconfirmed(violated, found.sentence, translation.doubt_hint))


def confirm_stuck(
    result: Result, stuck: StuckWarning, translation: Translation, deadline: Deadline
) -> Result:
    """Keeps the warning about requests that wait for ever only if the real code shows them."""
    from seriatim.frontends.all import replayer_named

    assert translation.replayer is not None
    replayer = replayer_named(translation.replayer)
    found = replayer.confirm(result.source, translation, stuck.certificate, deadline)
    others = tuple(each for each in result.warnings if each.code != STUCK)
    if not found.confirmed:
        return replace(result, warnings=others, stuck=None)
    told = tuple(
        replace(each, message=f"{each.message}. {found.sentence}")
        for each in result.warnings
        if each.code == STUCK
    )
    return replace(result, warnings=(*others, *told))


def leave_unconfirmed(violated: Violated, reason: str, hint: str) -> Undecided:
    """The answer about a violation that may exist in the model only."""
    requests = violated.run.requests
    return Undecided(
        f"a possible violation with {requests} requests was found, but not confirmed: {reason}",
        hint,
        requests - 1 if violated.minimality is Minimality.PROVED else 0,
        suspicion=Suspicion(violated.run, violated.why),
    )
