"""A finished cover as evidence of the kind `thread-cover`."""

from math import inf

from seriatim.certificate.thread_cover import CoveredState, Crowd, Description, Named, ThreadCoverEvidence
from seriatim.engines.threads.karp_miller import Cover, Marking
from seriatim.systems.threads.finite import FiniteSystem, Held, Token


def cover_evidence(cover: Cover) -> ThreadCoverEvidence:
    """Only the largest markings are told."""
    system = cover.system
    numbers: dict[Token, int] = {}
    states = tuple(
        CoveredState(named(system.global_names, globals_), tuple(crowd(each, numbers) for each in markings))
        for globals_, markings in cover.maximal().items()
    )
    return ThreadCoverEvidence(tuple(description(system, token) for token in numbers), states)


def crowd(marking: Marking, numbers: dict[Token, int]) -> Crowd:
    return tuple(
        (numbers.setdefault(token, len(numbers)), None if count == inf else int(count))
        for token, count in marking.items()
    )


def description(system: FiniteSystem, token: Token) -> Description:
    kept = system.live[token.template][token.place]
    identity = token.id if system.program.has_joins else None
    return Description(token.template, token.place, identity, named(kept, token.held))


def named(names: tuple[str, ...], held: Held) -> Named:
    return tuple((name, value) for name, value in zip(names, held, strict=True) if value is not None)
