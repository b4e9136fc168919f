"""Proves changes to SQL transactions: which of the candidates make them serializable."""

from dataclasses import replace

from seriatim.budget import Deadline, OutOfBudget
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, work_out
from seriatim.frontends.protocol import Translation
from seriatim.frontends.sql.fixes import candidates
from seriatim.frontends.sql.frontend import system_of
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.system import build
from seriatim.result import Holds
from seriatim.source import SourceText

SECONDS = 5.0
"""Seconds for all candidates together; a fix that takes longer to prove can be tried by hand."""

MAX_FIXES = 4


def proved_fixes(
    translation: Translation, source: SourceText, options: Options, deadline: Deadline
) -> tuple[str, ...]:
    """The changes that are proved to suffice, in words; only the first one of each kind."""
    assert translation.provenance is not None
    system = system_of(source, dict(translation.provenance.settings))
    sooner = Deadline(min(SECONDS, deadline.remaining()), options.max_memory)
    found: list[str] = []
    for candidate in candidates(system.machine.script, system.machine.level):
        if candidate.is_larger and found:
            continue  # A smaller change already suffices.
        try:
            changed = build(
                candidate.script,
                candidate.level,
                deadline=sooner,
                answers_aborts=system.machine.answers_aborts,
            )
            asked = replace(options, wants=THE_ANSWER_ALONE, timeout=sooner.remaining(), stuck_runs=False)
            result, _ = work_out(changed.content, asked, deadline=sooner)
        except (Refusal, OutOfBudget):
            continue
        if isinstance(result.answer, Holds) and not changed.machine.escapes:
            why = "by PostgreSQL's promise" if changed.guaranteed else "proved"
            found.append(f"{candidate.words} ({why})")
        if len(found) == MAX_FIXES:
            break
    return tuple(found)
