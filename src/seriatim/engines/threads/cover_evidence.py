"""What covers, searches and pairs have found to be reachable, as evidence."""

from math import inf

from seriatim.certificate.thread_cover import CoveredState, Crowd, Description, ThreadCoverEvidence
from seriatim.certificate.thread_pairs import PairedState, ThreadPairsEvidence
from seriatim.certificate.thread_run import Named
from seriatim.engines.threads.karp_miller import Cover, Marking
from seriatim.engines.threads.pairs import Pairs, bits
from seriatim.engines.threads.search import Search
from seriatim.systems.threads.finite import FiniteSystem, Held, Token


def cover_evidence(cover: Cover) -> ThreadCoverEvidence:
    """Only the largest markings are told."""
    return covering(cover.system, cover.maximal())


def search_evidence(search: Search) -> ThreadCoverEvidence:
    """All that a search has seen, if nothing was left out."""
    markings: dict[Held, list[Marking]] = {}
    for globals_, crowd in search.layers.came_from:
        marking: Marking = {}
        for number in crowd:
            token = search.tokens[number]
            marking[token] = marking.get(token, 0) + 1
        markings.setdefault(globals_, []).append(marking)
    return covering(search.system, markings)


def covering(system: FiniteSystem, markings: dict[Held, list[Marking]]) -> ThreadCoverEvidence:
    numbers: dict[Token, int] = {}
    states = tuple(
        CoveredState(
            name_values(system.global_names, globals_), tuple(crowd(each, numbers) for each in found)
        )
        for globals_, found in markings.items()
    )
    return ThreadCoverEvidence(tuple(description(system, token) for token in numbers), states)


def pairs_evidence(pairs: Pairs) -> ThreadPairsEvidence:
    system = pairs.system
    states = tuple(
        PairedState(
            name_values(system.global_names, globals_),
            tuple((token, tuple(bits(row))) for token, row in rows.items()),
        )
        for globals_, rows in pairs.states.items()
    )
    return ThreadPairsEvidence(tuple(description(system, token) for token in pairs.tokens), states)


def crowd(marking: Marking, numbers: dict[Token, int]) -> Crowd:
    return tuple(
        (numbers.setdefault(token, len(numbers)), None if count == inf else int(count))
        for token, count in marking.items()
    )


def description(system: FiniteSystem, token: Token) -> Description:
    kept = system.live[token.template][token.place]
    identity = token.id if system.program.has_joins else None
    return Description(token.template, token.place, identity, name_values(kept, token.held))


def name_values(names: tuple[str, ...], held: Held) -> Named:
    return tuple((name, value) for name, value in zip(names, held, strict=True) if value is not None)
