"""The union of all kinds of evidence, a line each."""

from seriatim.certificate.action_run import ActionRunEvidence
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.chains import ChainEvidence
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.cycle import CycleEvidence
from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.never_stuck import NeverStuckEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.certificate.simulation import SimulationEvidence
from seriatim.certificate.stuck_run import StuckRunEvidence
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import ThreadPairsEvidence
from seriatim.certificate.thread_reduction import ThreadReductionEvidence
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.certificate.timeless import TimelessEvidence
from seriatim.certificate.tree import TreeEvidence

Evidence = (
    RunEvidence
    | FoldedRunEvidence
    | AtomicEvidence
    | CommitEvidence
    | SymmetricCommitEvidence
    | ReductionEvidence
    | TimelessEvidence
    | CoverEvidence
    | TreeEvidence
    | ChainEvidence
    | CycleEvidence
    | NoCycleEvidence
    | PointsEvidence
    | FaultRunEvidence
    | NoFaultEvidence
    | ThreadRunEvidence
    | ThreadCoverEvidence
    | ThreadModularEvidence
    | PetrifiedEvidence
    | ThreadPairsEvidence
    | ThreadReductionEvidence
    | StuckRunEvidence
    | NeverStuckEvidence
    | SimulationEvidence
    | SymbolicReductionEvidence
    | OrderEvidence
    | ActionRunEvidence
)
