"""From a source of any kind to a result: what every face that decides has to do."""

from functools import partial

from seriatim.budget import Deadline, Observer
from seriatim.deciding.confirming import decide_about
from seriatim.deciding.pipeline import Options, Work
from seriatim.engines.stage import Progress
from seriatim.frontends.all import translate_any
from seriatim.frontends.protocol import Settings, ThreadTranslation, Translation
from seriatim.frontends.reading import BadInput, parsed
from seriatim.frozen import replace
from seriatim.properties.property import Property
from seriatim.properties.statement import NeverFails
from seriatim.result import Result, Undecided
from seriatim.source import Diagnostic, SourceText

TIME_FOR_WRITTEN_SIZE = 0.85
"""Of the time, if there are arrays; the rest is for smaller ones."""


def read_translation(
    source: SourceText, question: Property, settings: Settings
) -> Translation | ThreadTranslation:
    """An input about which the question can be asked; raises `BadInput`."""
    translation = parsed(source, partial(translate_any, settings=settings))
    if isinstance(translation, ThreadTranslation):
        return translation
    culprit, unfit = question.misfits(translation.content, source)
    if unfit:
        raise BadInput(culprit, unfit)
    return translation


def decide_translation(
    translation: Translation | ThreadTranslation,
    source: SourceText,
    options: Options,
    observer: Observer[Progress] | None,
    deadline: Deadline,
    *,
    replay: bool,
    is_default: bool,
) -> tuple[Result, Work | None]:
    """Decides about what a source was translated to; raises `BadInput` if it is nothing to ask this about.

    `replay` allows to repeat violations on the real thing; `is_default` says that nobody has chosen the
    question.
    """
    if isinstance(translation, ThreadTranslation):
        return _decide_threads(translation, source, options, observer, deadline, is_default), None
    has_arrays = translation.content.has_arrays
    own = deadline.part(TIME_FOR_WRITTEN_SIZE) if has_arrays else deadline
    result, work = decide_about(translation, source, options, observer, replay, own)
    if has_arrays and isinstance(result.answer, Undecided):
        from seriatim.deciding.smaller_arrays import with_decided_size

        result = with_decided_size(result, result.answer, options, deadline)
    return result, work


def _decide_threads(
    translation: ThreadTranslation,
    source: SourceText,
    options: Options,
    observer: Observer[Progress] | None,
    deadline: Deadline,
    is_default: bool,
) -> Result:
    """About programs with threads, only one question can be asked."""
    from seriatim.deciding.threads import decide_threads  # Checks of requests do without.

    if not (is_default or isinstance(options.question.states(), NeverFails)):
        name = options.question.name
        message = f"`{name}` is about requests, and this is a program with threads"
        raise BadInput(
            source, [Diagnostic("SER214", message, hint="use --property safe, or leave --property out")]
        )
    options = replace(options, provenance=translation.provenance)
    result = decide_threads(translation.content, options, observer, source, deadline)
    return replace(result, approximations=translation.approximations)
