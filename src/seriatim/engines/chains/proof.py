"""Proofs by chains as data."""

from dataclasses import dataclass

from seriatim.certificate.chain_proofs import ChainNode
from seriatim.certificate.chains import ListedMove
from seriatim.engines.shared.serial_walks import SerialCover
from seriatim.systems.closure import Coverage


@dataclass(frozen=True, slots=True)
class ProvedByChains:
    """Serializable, because however a complete run goes, its outcome is in a linear set of serial outcomes:
    `seriatim.engines.chains.engine`."""

    coverage: Coverage
    """What can be in flight together."""
    globals: tuple[int, ...]
    locals: tuple[int, ...]
    completions: tuple[int, ...]
    """The completions that moves and covers refer to, by position."""
    moves: tuple[ListedMove, ...]
    covers: tuple[SerialCover, ...]
    proof: ChainNode
