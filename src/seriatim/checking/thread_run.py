"""Evidence of the kind `thread-run`: the reference semantics replays the run, and its last step fails."""

from collections.abc import Iterator

from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.checking.words import counted
from seriatim.program.threads.runs import NotARun, replay
from seriatim.program.threads.semantics import Failure
from seriatim.program.threads.syntax import ThreadProgram


def obligations(
    program: ThreadProgram, evidence: ThreadRunEvidence, context: Context
) -> Iterator[Obligation]:
    run, failure = evidence.run, None
    impossible: str | None = None
    try:
        for moment in replay(program, run):
            context.allowance.spend()
            failure = moment.failure
    except NotARun as error:
        impossible = str(error)
    threads = len({step.thread for step in run.steps})
    yield Obligation(
        "every step is one of the program, and the last one fails",
        impossible is None,
        impossible or f"{counted(len(run.steps), 'step')} of {counted(threads, 'thread')}, replayed",
    )
    said = (run.failure.code, run.failure.message)
    yield Obligation(
        "it fails as the certificate says",
        isinstance(failure, Failure) and (failure.code, failure.message) == said,
        "nothing fails" if failure is None else failure.message,
    )
