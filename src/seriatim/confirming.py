"""Decides about a translated source, and repeats violations on the real thing."""

from dataclasses import replace

from seriatim.budget import Deadline, Observer
from seriatim.engines.stage import Progress
from seriatim.frontends.protocol import Translation
from seriatim.pipeline import Options, decide
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.source import SourceText
from seriatim.verdict import Decision, Undecided, Violated

NOBODY = "the model allows more than the source, and nobody can repeat its runs on the real thing"
NOT_ASKED = "the model allows more than the source, and --no-replay forbids to run it"


def decide_about(
    translation: Translation,
    source: SourceText,
    options: Options,
    observer: Observer[Progress] | None = None,
    replay: bool = True,
) -> Decision:
    """Decides about a translated source.

    Claim: a violation that this reports is one of the source. Either the translation is exact, so that each
    run of the content is one of the source; or its replayer has seen the real thing give answers that none of
    its one-at-a-time orders gives. Otherwise the verdict is undecided.
    """
    question = options.question
    if question == SERIALIZABILITY and translation.observed:
        question = Serializability(translation.observed)
    options = replace(
        options,
        question=question,
        ranges_are_scopes=translation.ranges_are_scopes,
        provenance=translation.provenance,
    )
    decision = replace(decide(translation.content, options, observer), translation=translation)
    if not isinstance(decision.verdict, Violated):
        return decision
    return confirm(decision, decision.verdict, source, Deadline(options.timeout, options.max_memory), replay)


def confirm(
    decision: Decision, violated: Violated, source: SourceText, deadline: Deadline, replay: bool
) -> Decision:
    """The decision, if its violation is certain; with what came of repeating it, if somebody can."""
    translation = decision.translation
    assert translation is not None
    if translation.replayer is None or not replay:
        reason = NOBODY if translation.replayer is None else NOT_ASKED
        return decision if translation.exact else replace(decision, verdict=unconfirmed(violated, reason))
    from seriatim.frontends.all import replayer_named  # Most checks repeat nothing.

    replayer = replayer_named(translation.replayer)
    found = replayer.confirm(source, translation, violated.certificate, deadline)
    decision = replace(decision, confirmation=found)
    if found.confirmed or translation.exact:
        return decision
    return replace(decision, verdict=unconfirmed(violated, found.sentence))


def unconfirmed(violated: Violated, reason: str) -> Undecided:
    requests = violated.run.requests()
    return Undecided(
        f"a possible violation with {requests} requests was found, but not confirmed: {reason}",
        "look at the model with --emit-model FILE, and at its run with `ser check FILE`",
        requests - 1 if violated.minimality.value == "proved" else 0,
    )
