"""What a proof by chains consists of."""

from seriatim.certificate.chain_proofs import ChainNode
from seriatim.certificate.chains import ListedMove
from seriatim.engines.shared.serial_walks import SerialCover
from seriatim.frozen import frozen
from seriatim.systems.closure import Coverage


@frozen
class ProvedByChains:
    """Serializable, because however a complete run goes, its outcome is in a linear set of serial outcomes:
    `seriatim.engines.chains.engine`."""

    coverage: Coverage
    """What can be in flight."""
    globals: tuple[int, ...]
    locals: tuple[int, ...]
    completions: tuple[int, ...]
    """What moves and covers refer to, by place in these lists."""
    moves: tuple[ListedMove, ...]
    covers: tuple[SerialCover, ...]
    proof: ChainNode
