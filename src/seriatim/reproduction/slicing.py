"""A net in the passes of bidirectional slicing, as in the paper's Figure 14; drawn from the slice itself."""

from seriatim.explain.picture import DrawnEdge, DrawnNode, Picture, Role
from seriatim.petri.cuts import CutKind
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.slicing import bidirectional_slice
from seriatim.report.pictures.svg import svg

EXAMPLE = PetriNet(
    ("start", "work", "done", "never", "idle", "stuck", "late"),
    (
        Transition("begin", (0,), (1,)),
        Transition("end", (1,), (2,)),
        Transition("revive", (3,), (2, 4)),
        Transition("fail", (1,), (5, 6)),
        Transition("repair", (6,), (2,)),
    ),
    (1, 0, 0, 0, 0, 0, 0),
)
"""`never` and `idle` get no token; a token on `stuck` stays there; without it, `late` gets none either."""

GOAL = frozenset({2})
"""All tokens end on `done`."""


def slicing_picture(net: PetriNet = EXAMPLE, goal: frozenset[int] = GOAL) -> str:
    """The net, and in which pass each part is left out."""
    part = bidirectional_slice(net, goal)
    left_out: dict[int, str] = {}
    for number, cut in enumerate(part.cuts, 1):
        direction = "forwards" if cut.kind is CutKind.SIPHON else "backwards"
        for place in sorted(cut.places - left_out.keys()):
            left_out[place] = f"pass {number}, {direction}"
    nodes = [
        DrawnNode(
            Role.ANSWERED if place in left_out else Role.GLOBAL if place in goal else Role.IN_FLIGHT,
            (name, *(["●" * tokens] if tokens else []), left_out.get(place, "stays")),
        )
        for place, (name, tokens) in enumerate(zip(net.places, net.initial, strict=True))
    ]
    edges: list[DrawnEdge] = []
    for index, transition in enumerate(net.transitions):
        passes = [left_out[place] for place in (*transition.pre, *transition.post) if place in left_out]
        node = len(nodes)
        nodes.append(DrawnNode(Role.TRANSITION, (transition.name, min(passes, default="stays"))))
        edges += [DrawnEdge(place, node) for place in transition.pre]
        edges += [DrawnEdge(node, place) for place in transition.post]
        assert bool(passes) is (index not in part.transitions)
    return svg(Picture(tuple(nodes), tuple(edges)), "A net, and the pass in which each part is left out")
