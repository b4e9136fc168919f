"""Evidence about programs with threads: which kind is checked how. What checks a kind is loaded with it.

What poses a question, and what looks for hangs, is loaded once that is asked: evidence about failures alone
rests on neither.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.program.threads.limits import limits
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.statement import NeverFails, NeverStuck, Statement

if TYPE_CHECKING:
    from seriatim.certificate.all import Kind
    from seriatim.certificate.evidence import Evidence

ABOUT_THREADS: "frozenset[Kind]" = frozenset(
    ("thread-run", "thread-reduction", "thread-cover", "thread-pairs", "thread-modular", "petrified")
)


class KindModule(Protocol):
    """What the module of a kind has."""

    def obligations(self, program: ThreadProgram, evidence: Any, context: Context) -> Iterator[Obligation]:
        """Lists what has to hold, in this order; each relies on those before it."""


def thread_obligations(
    program: ThreadProgram, statement: Statement, evidence: "Evidence", context: Context
) -> Iterator[Obligation]:
    """Lists what evidence has to show about threads."""
    if isinstance(statement, NeverFails) and not program.waiting:
        posed = program
    else:
        from seriatim.properties.threads import NotPosed, pose

        try:
            posed = pose(program, statement)
        except NotPosed:
            raise DoesNotFollow("it is about requests", "the question is one about threads") from None
    if program.weak_order and evidence.proves:
        raise DoesNotFollow(f"{program.weak_order} allows more", "all runs of the program are looked at")
    look_at_limits(program, posed, evidence)
    if isinstance(statement, NeverStuck):
        from seriatim.checking.thread_hangs import hang_obligations

        yield from hang_obligations(posed, evidence, context)
        return
    if evidence.kind not in ABOUT_THREADS:
        raise DoesNotFollow(f"`{evidence.kind}` is about requests", "evidence of this kind is about threads")
    yield from kind_obligations(posed, evidence, context)


def look_at_limits(program: ThreadProgram, posed: ThreadProgram, evidence: "Evidence") -> None:
    """A run that exceeds a limit at its end shows nothing; a proof has to exclude such runs."""
    if evidence.proves and limits(program) != limits(posed):
        raise DoesNotFollow("runs that exceed a limit are left out", "all runs of the program are looked at")
    if evidence.kind == "thread-run" and evidence.run.failure.message in limits(posed):
        raise DoesNotFollow("it exceeds a limit of what is looked at", "the run violates what is asked")


def kind_obligations(program: ThreadProgram, evidence: "Evidence", context: Context) -> Iterator[Obligation]:
    """Lists what evidence of this kind has to show; its module is called as the kind is."""
    module = cast("KindModule", import_module(f"seriatim.checking.{evidence.kind.replace('-', '_')}"))
    yield from module.obligations(program, evidence, context)
