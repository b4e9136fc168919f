"""Pictures that are laid out here overlap nothing, lead where the graph leads, and contain text only."""

from itertools import pairwise
from random import Random
from xml.etree import ElementTree

import pytest

import seriatim
from seriatim.explain.picture import MAX_NODES, DrawnEdge, DrawnNode, Picture, Role, summarise
from seriatim.report.pictures.layout import BoxSize, Link, lay_out
from seriatim.report.pictures.svg import svg
from seriatim.report.sequence import sequence_mermaid, sequence_svg

RACY = "request flip { x := N; yield; N := 1 - x; x }\n"

SVG = "{http://www.w3.org/2000/svg}"


def random_graph(seed: int) -> tuple[list[BoxSize], list[Link]]:
    random = Random(seed)
    sizes = [BoxSize(random.randint(10, 90), random.randint(10, 90)) for _ in range(random.randint(1, 12))]
    labels = [None, BoxSize(50, 17), BoxSize(20, 43)]
    links = [
        Link(random.randrange(len(sizes)), random.randrange(len(sizes)), random.choice(labels))
        for _ in range(random.randint(0, 20))
    ]
    return sizes, links


@pytest.mark.parametrize("seed", range(30))
def test_no_two_nodes_or_labels_overlap(seed: int) -> None:
    sizes, links = random_graph(seed)
    layout = lay_out(sizes, links)
    boxes = list(zip(layout.centres, sizes, strict=True))
    for link, route in zip(links, layout.routes, strict=True):
        if link.label is not None and route.label is not None:
            boxes.append((route.label, link.label))
    for number, (one, size) in enumerate(boxes):
        assert size.width / 2 - 0.01 <= one.x <= layout.width - size.width / 2 + 0.01
        assert size.height / 2 - 0.01 <= one.y <= layout.height - size.height / 2 + 0.01
        for other, other_size in boxes[:number]:
            across = abs(one.x - other.x) - (size.width + other_size.width) / 2
            down = abs(one.y - other.y) - (size.height + other_size.height) / 2
            assert max(across, down) > -0.01


@pytest.mark.parametrize("seed", range(30))
def test_edges_lead_from_the_side_of_their_source_to_the_side_of_their_target(seed: int) -> None:
    sizes, links = random_graph(seed)
    layout = lay_out(sizes, links)
    for link, route in zip(links, layout.routes, strict=True):
        if link.source == link.target:
            assert route.points == ()
            continue
        for point, node in ((route.points[0], link.source), (route.points[-1], link.target)):
            assert point.y == layout.centres[node].y
            assert abs(point.x - layout.centres[node].x) == pytest.approx(sizes[node].width / 2)


@pytest.mark.parametrize("seed", range(30))
def test_no_edge_passes_behind_a_node(seed: int) -> None:
    """An edge lies in the rectangles that its pieces span."""
    sizes, links = random_graph(seed)
    layout = lay_out(sizes, links)
    for route in layout.routes:
        for one, other in pairwise(route.points):
            for centre, size in zip(layout.centres, sizes, strict=True):
                across = abs((one.x + other.x) / 2 - centre.x) - (abs(one.x - other.x) + size.width) / 2
                down = abs((one.y + other.y) / 2 - centre.y) - (abs(one.y - other.y) + size.height) / 2
                assert max(across, down) > -0.01


def test_a_chain_is_a_straight_line() -> None:
    layout = lay_out([BoxSize(10, 10)] * 3, [Link(0, 1), Link(1, 2)])
    assert len({centre.y for centre in layout.centres}) == 1
    assert layout.centres[0].x < layout.centres[1].x < layout.centres[2].x


def test_text_is_escaped() -> None:
    picture = Picture((DrawnNode(Role.STATE, ('</text><script>"&',)),), (DrawnEdge(0, 0, ("<a>",)),))
    root = ElementTree.fromstring(svg(picture, "<title>"))
    assert {element.text for element in root.iter(f"{SVG}text")} == {'</text><script>"&', "<a>"}
    assert not list(root.iter(f"{SVG}script"))


def test_every_role_can_be_drawn() -> None:
    picture = Picture(tuple(DrawnNode(role, (role.value,)) for role in Role), ())
    root = ElementTree.fromstring(svg(picture, "all"))
    drawn = {element.get("class") for element in root}
    assert {role.value for role in Role} <= drawn


def chain(length: int) -> Picture:
    nodes = tuple(DrawnNode(Role.STATE, (str(number),)) for number in range(length))
    return Picture(nodes, tuple(DrawnEdge(number, number + 1) for number in range(length - 1)))


def test_a_large_picture_keeps_what_is_near_its_beginning_and_counts_the_rest() -> None:
    assert summarise(chain(MAX_NODES)) == chain(MAX_NODES)
    shown = summarise(chain(100))
    assert [node.lines for node in shown.nodes] == [
        *((str(number),) for number in range(MAX_NODES)),
        ("… 40 more",),
    ]
    assert DrawnEdge(MAX_NODES - 1, MAX_NODES) in shown.edges


def test_an_empty_picture_is_one() -> None:
    ElementTree.fromstring(svg(Picture((), ()), "nothing"))


# Sequence diagrams


def race() -> seriatim.Timeline:
    verdict = seriatim.check(RACY)
    assert isinstance(verdict, seriatim.NotSerializable)
    return verdict.run


def test_a_sequence_diagram_tells_the_run_from_top_to_bottom() -> None:
    root = ElementTree.fromstring(sequence_svg(race(), "flip"))
    texts = [(float(text.get("y", "")), text.text or "") for text in root.iter(f"{SVG}text")]
    told = [text for _, text in sorted(texts) if "x := N" in text or "N := 1" in text]
    assert [("N: 0 ➜ 1" in text, "answers 0" in text) for text in told] == [
        (False, False),
        (False, False),
        (True, True),
        (False, True),
    ]


def test_nothing_in_a_sequence_diagram_is_outside_of_it() -> None:
    root = ElementTree.fromstring(sequence_svg(race(), "flip"))
    left, top, width, height = map(float, root.get("viewBox", "").split())
    for text in root.iter(f"{SVG}text"):
        half = len(text.text or "") * 7.25 / (2 if text.get("text-anchor") == "middle" else 1)
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        assert left <= x - (half if text.get("text-anchor") == "middle" else 0)
        assert x + half <= left + width
        assert top <= y <= top + height


def test_mermaid_has_a_participant_for_each_request_and_a_message_for_each_change() -> None:
    lines = [line.strip() for line in sequence_mermaid(race()).splitlines()]
    assert lines[:5] == [
        "sequenceDiagram",
        "participant R1 as 1: flip",
        "participant R2 as 2: flip",
        "participant G as shared state",
        "Note over G: N = 0",
    ]
    assert [line for line in lines if "->>" in line] == ["R2->>G: N = 1"]
    assert [line.split(":")[0] for line in lines[5:] if line.startswith("Note")] == [
        "Note over R1",
        "Note over R2",
        "Note over R2",
        "Note over R1",
    ]
