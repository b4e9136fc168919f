"""Front ends: each one translates the texts of one language to an input.

A front end tells everything that a reader of the verdict has to know: what numbers stand for
(`Program.value_names`, `Program.answer_names`), what happens at pauses, how the model may differ from the
source, and who can repeat a run on the real thing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Protocol

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate, Provenance
from seriatim.codec import Omitted
from seriatim.program.inputs import Input
from seriatim.properties.statement import Observed
from seriatim.source import Diagnostic, SourceText, Span

if TYPE_CHECKING:
    from seriatim.actions.syntax import ActionProgram
    from seriatim.program.threads.syntax import ThreadProgram

Settings = Mapping[str, str]
"""What the user says besides the source, by the name of an option without dashes. Certificates record it."""

NO_SETTINGS: Settings = {}

RUN = "run"
"""The setting that allows to execute a source, in languages whose verdicts rest on that."""

SYSTEM = "system"
"""What this setting says where all states are asked for, whether or not a violation was seen."""

ALONE = "alone"
"""The same for the states that requests reach one at a time."""

COMPARED = "compared"
"""The setting with which a certificate says what its model was compared with."""

ISOLATION_LEVELS = ("read-committed", "repeatable-read", "serializable")
"""What the setting `isolation` may be, the weakest first."""

P4_MODELS = ("spec", "action", "bmv2")
"""What the setting `p4-model` may be, the weakest first."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """A setting whose values promise more and more; `all` compares them."""

    setting: str
    noun: str
    """What one value is called."""
    steps: tuple[str, ...]
    """The weakest first."""


ENGINES = {"postgresql": ISOLATION_LEVELS, "mariadb": ISOLATION_LEVELS, "sqlite": ("serializable",)}
"""The databases that the setting `engine` may name, besides a URL, with their levels; `all` compares them."""

LADDERS = (Ladder("isolation", "level", ISOLATION_LEVELS), Ladder("p4-model", "model", P4_MODELS))


class ApproximationKind(StrEnum):
    """How what is decided may differ from what the source does."""

    SCOPE = "scope"
    """Values are bounded; to leave the bounds is a fault."""
    INTERLEAVING = "interleaving"
    """There are more interleavings than in reality, and no more serial runs."""
    ENVIRONMENT = "environment"
    """The surroundings may answer more than they do in reality, also when a request runs alone."""
    CHOSEN = "chosen"
    """Values were chosen, because the source names none: a proof is about these only."""
    ASSUMPTION = "assumption"
    """Something is taken for granted."""


@dataclass(frozen=True, slots=True)
class Approximation:
    """A difference between a source and its translation."""

    kind: ApproximationKind
    sentence: str
    span: Span | None = None
    approval: str = ""
    """What in the source, or on the command line, approves of it; empty if nothing has to."""


FOR_CHOSEN = "for the values chosen"
"""What a proof says for which some values were chosen."""


def is_for_chosen(approximations: Iterable[Approximation]) -> bool:
    """Whether a proof is about some values only, which nobody but Seriatim has chosen."""
    return any(each.kind is ApproximationKind.CHOSEN for each in approximations)


@dataclass(frozen=True, slots=True)
class Tried:
    """What was tried of a source that no system describes: nothing is proved about it."""

    reason: str
    """Why the question stays open."""
    hint: str
    requests: int
    """There is no violation with at most this many requests."""


@dataclass(frozen=True, slots=True)
class Translation:
    """The translation of a source."""

    content: Input
    observed: Observed = ()
    """What counts beside answers, unless the user says something else."""
    events: Mapping[Span, str] = field(default_factory=dict)
    """What a request does where it pauses, in the words of the source."""
    approximations: tuple[Approximation, ...] = ()
    exact: bool = True
    """Whether no approximation can cause a false alarm: every run of the content is one of the source."""
    replayer: str | None = None
    """The name of the replayer that can repeat a run on the real code (`seriatim.frontends.all`)."""
    comparer: str | None = None
    """What compares the model with the real thing before a verdict is printed; None if nothing does."""
    simulates: bool = False
    """Whether a violation may be confirmed in the model itself, if the real thing cannot be reached."""
    provenance: Provenance | None = None
    """What a certificate says about where its input comes from; None if the input is what the user wrote."""
    ranges_are_scopes: bool = False
    """Whether to leave a range may be the symptom of a violation, which is then looked for first."""
    doubt_hint: str = "look at the model with --emit-model FILE, and at its run with `ser check FILE`"
    """What to do about an unconfirmed violation."""
    questions: tuple[str, ...] | None = None
    """The names of the properties that the content is made for; None is all of them."""
    told_by: str | None = None
    """What tells runs in the words of the source (`deciding/retelling.py`); None if spans are enough."""
    escape: Diagnostic | None = None
    """A value that may leave its scope: then a proof says nothing about the source."""
    otherwise: Settings | None = None
    """Settings with which to translate the source again, if nothing is proved about this content."""
    tried: Tried | None = None
    """What was tried, if the content says nothing about the source; then the question stays open."""
    scope_report: tuple[tuple[str, str], ...] = ()
    """What was taken as what, in the order of the source: (place and name, meaning)."""


class Frontend(Protocol):
    """A language that can be read: the module `frontend` of its folder, listed in `all.py`."""

    def translate(self, source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
        """Raises `InputError` with everything that is wrong with the source."""


@dataclass(frozen=True, slots=True)
class ThreadTranslation:
    """The translation of a source with threads."""

    content: "ThreadProgram"
    approximations: tuple[Approximation, ...] = ()
    provenance: Provenance | None = None
    """As in `Translation`."""


@dataclass(frozen=True, slots=True)
class ActionTranslation:
    """An asynchronous program, which is a source of its own."""

    content: "ActionProgram"


class ThreadFrontend(Protocol):
    """A language of programs with threads: the module `frontend` of its folder, listed in `all.py`."""

    def translate(self, source: SourceText, settings: Settings = NO_SETTINGS) -> ThreadTranslation:
        """Raises `InputError` with everything that is wrong with the source."""


AnyTranslation = Translation | ThreadTranslation | ActionTranslation


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The outcome of repeating a violation on the real code."""

    confirmed: bool
    sentence: str
    """What was done and what was seen, for people."""
    log: tuple[str, ...] = ()
    """Turn by turn."""
    contradicts: Annotated[bool, Omitted()] = False
    """Whether the real thing was tried in all ways and never shows the violation: the model is wrong."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of comparing a model with the real thing."""

    engine: str | None
    """The real thing, such as `PostgreSQL 18.4`; None if it was not asked."""
    sentence: str
    """What was compared, or why nothing was, for people; empty if there is a difference."""
    difference: str = ""
    """The first difference; empty if there is none."""

    @property
    def told(self) -> str:
        """What came of it, as a sentence."""
        if self.difference:
            return f"The model and {self.engine} differ: {self.difference}"
        return self.sentence


class Replayer(Protocol):
    """Repeats runs of a translation on what was translated."""

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        """Repeats the run of a certificate, which is of this translation of the source.

        It is confirmed only if the real thing gives answers that none of its one-at-a-time orders gives.
        """


def provenance(front_end: str, source: SourceText, settings: Settings) -> Provenance:
    """Returns what a certificate says about a translated source."""
    return Provenance(front_end, sha256(source.text.encode()).hexdigest(), tuple(sorted(settings.items())))
