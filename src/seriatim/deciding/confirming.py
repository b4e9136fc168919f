"""Decides about a translated source, and repeats violations on the real thing."""

from seriatim.budget import Deadline, Observer
from seriatim.deciding.answer import Want
from seriatim.deciding.pipeline import Options, Work, work_out
from seriatim.engines.stage import Progress
from seriatim.frontends.protocol import Translation
from seriatim.frozen import replace
from seriatim.method import Minimality
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.result import Holds, Result, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, SourceText

NOBODY = "the model allows more than the source, and nobody can repeat its runs on the real thing"
NOT_ASKED = "the model allows more than the source, and --no-replay forbids to execute the source"


def decide_about(
    translation: Translation,
    source: SourceText,
    options: Options,
    observer: Observer[Progress] | None = None,
    replay: bool = True,
    deadline: Deadline | None = None,
) -> tuple[Result, Work]:
    """Decides about a translated source, and keeps what the decision was made with.

    Claim: a violation that this reports is one of the source. Either the translation is exact, so that each
    run of the content is one of the source; or its replayer has seen the real thing give answers that none of
    its one-at-a-time orders gives. Otherwise the answer is undecided.
    """
    question = options.question
    if translation.questions is not None and question.name not in translation.questions:
        known = ", ".join(translation.questions)
        hint = f"--property {known}"
        unfit = Diagnostic("SER950", f"of this kind of file, only {known} can be asked", hint=hint)
        return Result(source, question, Unusable((unfit,))), Work(None)
    if question == SERIALIZABILITY and translation.observed:
        question = Serializability(translation.observed)
    options = replace(
        options,
        question=question,
        ranges_are_scopes=translation.ranges_are_scopes,
        provenance=translation.provenance,
        stuck_runs=translation.told_by
        is None,  # Who tells runs in other words decides what it is to be stuck.
    )
    deadline = deadline or Deadline(options.timeout, options.max_memory)
    result, work = work_out(translation.content, options, observer, source, deadline)
    result = replace(result, approximations=translation.approximations)
    if isinstance(result.answer, Holds) and translation.told_by is not None:
        result = replace(result, answer=replace(result.answer, sample=None))  # Its states have no words.
    if isinstance(result.answer, Holds) and translation.escape is not None:
        result = replace(result, answer=Unusable((translation.escape,)))
    if isinstance(result.answer, Violated) and translation.told_by is not None:
        from seriatim.deciding.retelling import tell_violation  # Most runs tell themselves.

        told = tell_violation(result.answer, translation, source)
        if Want.WHY in options.wants:
            from seriatim.deciding.sql_repairs import proved_fixes

            told = replace(told, fixes=proved_fixes(translation, source, options, deadline))
        result = replace(result, answer=told)
    if isinstance(result.answer, Violated):
        result = confirm(result, result.answer, translation, deadline, replay)
    return result, work


def confirm(
    result: Result, violated: Violated, translation: Translation, deadline: Deadline, replay: bool
) -> Result:
    """The result, if its violation is certain; with what came of repeating it, if somebody can."""
    if translation.replayer is None or not replay:
        reason = NOBODY if translation.replayer is None else NOT_ASKED
        if translation.exact:
            return result
        return replace(result, answer=unconfirmed(violated, reason, translation))
    from seriatim.frontends.all import replayer_named  # Most checks repeat nothing.

    replayer = replayer_named(translation.replayer)
    found = replayer.confirm(result.source, translation, violated.certificate, deadline)
    result = replace(result, confirmation=found)
    if found.confirmed or translation.exact:
        return result
    return replace(result, answer=unconfirmed(violated, found.sentence, translation))


def unconfirmed(violated: Violated, reason: str, translation: Translation) -> Undecided:
    """The answer about a violation that may be one of the model alone."""
    requests = violated.run.requests
    return Undecided(
        f"a possible violation with {requests} requests was found, but not confirmed: {reason}",
        translation.doubt_hint,
        requests - 1 if violated.minimality is Minimality.PROVED else 0,
    )
