"""Proves changes to packet programs: where an `@atomic` block makes them serializable."""

from dataclasses import replace

from seriatim.budget import Deadline, OutOfBudget
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, work_out
from seriatim.frontends.p4.assuming import approximations
from seriatim.frontends.p4.fixes import candidates
from seriatim.frontends.p4.translation import analyse, analyse_tree, observed_registers
from seriatim.frontends.protocol import FOR_CHOSEN, Translation, is_for_chosen
from seriatim.properties.serializable import Serializability
from seriatim.result import Holds
from seriatim.source import InputError, SourceText

SECONDS = 10.0
"""Seconds for all candidates together; a fix that takes longer to prove can be tried by hand."""

MAX_FIXES = 3


def proved_fixes(
    translation: Translation, source: SourceText, options: Options, deadline: Deadline
) -> tuple[str, ...]:
    """The places where `@atomic` is proved to suffice, in words, the smallest first. Others in the same
    lines are left out."""
    assert translation.provenance is not None
    settings = dict(translation.provenance.settings)
    analysis = analyse(source, settings)
    sooner = Deadline(min(SECONDS, deadline.remaining()), options.max_memory)
    found: list[tuple[int, str]] = []
    for candidate in candidates(analysis.tree, source.text.split("\n")):
        if found and candidate.size > found[0][0]:
            break
        try:
            changed = analyse_tree(candidate.program, source, settings)
            program = changed.model.program
            question = Serializability(observed_registers(changed))
            asked = replace(
                options,
                question=question,
                wants=THE_ANSWER_ALONE,
                timeout=sooner.remaining(),
                stuck_runs=False,
                ranges_are_scopes=program.can_fail,
            )
            result, _ = work_out(program, asked, deadline=sooner)
        except (InputError, OutOfBudget):
            continue
        if isinstance(result.answer, Holds) and not changed.explored.dead:
            about = f" {FOR_CHOSEN}" if is_for_chosen(approximations(changed)) else ""
            found.append((candidate.size, f"{candidate.words} (proved{about})"))
        if len(found) == MAX_FIXES:
            break
    return tuple(words for _, words in found)
