"""Place/transition nets in PNML (ISO/IEC 15909-2): places and transitions are known by their ids.

Ids of XML are made of letters, digits, `.`, `-` and `_`, and begin with a letter or `_`. Other characters of
a name are written as `_x` and their code in hexadecimal, then `_`; `_x` itself as well, so that different
names have different ids.
"""

import re
from collections import Counter
from xml.sax.saxutils import escape, quoteattr

from seriatim.petri.builder import NetBuilder
from seriatim.petri.net import PetriNet
from seriatim.petri.xml_elements import Element, read_xml
from seriatim.source import Diagnostic, InputError

NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
PLACE_TRANSITION = "http://www.pnml.org/version-2009/grammar/ptnet"
MAX_TOKENS = 10**12

_NOT_IN_IDS = re.compile(r"_x|[^A-Za-z0-9_.-]|^[^A-Za-z_]")


_DRAWN = frozenset(("graphics", "toolspecific"))
_CHILDREN = {
    "pnml": frozenset(("net",)),
    "net": frozenset(("name", "page", "place", "transition", "arc")) | _DRAWN,
    "page": frozenset(("name", "page", "place", "transition", "arc")) | _DRAWN,
    "place": frozenset(("name", "initialMarking")) | _DRAWN,
    "transition": frozenset(("name",)) | _DRAWN,
    "arc": frozenset(("name", "inscription", "type")) | _DRAWN,
    "name": frozenset(("text",)) | _DRAWN,
    "initialMarking": frozenset(("text",)) | _DRAWN,
    "inscription": frozenset(("text",)) | _DRAWN,
    "type": frozenset(_DRAWN),
    "text": frozenset[str](),
}
"""The elements that are understood, and what may be in them."""
_ATTRIBUTES = {
    "net": frozenset(("id", "type")),
    "page": frozenset(("id",)),
    "place": frozenset(("id",)),
    "transition": frozenset(("id",)),
    "arc": frozenset(("id", "source", "target")),
    "type": frozenset(("value",)),
}
_REPEATED = frozenset(("page", "place", "transition", "arc", "graphics", "toolspecific"))
"""Elements that may stand there several times."""
_HARMLESS = frozenset(
    ("graphics", "position", "offset", "dimension", "fill", "line", "font", "size", "color")
)
"""What tools may say of their own about a part of the net: how it is drawn."""
_HARMLESS_TOOLS = frozenset(("nupn",))
"""Tools whose notes about a net say nothing about what it does."""


def read_pnml(text: str) -> PetriNet:
    """Reads a net; raises `InputError` if the text is not a place/transition net, or says more than that."""
    root = read_xml(text)
    nets = root.all("net")
    if root.name != "pnml" or len(nets) != 1:
        raise _make_error(root, f"one <net> in <pnml> expected, not {len(nets)} in <{root.name}>")
    kind = nets[0].attributes.get("type", PLACE_TRANSITION)
    if kind != PLACE_TRANSITION:
        raise _make_error(
            nets[0], f"nets of the type {kind} are not supported", "only place/transition nets are"
        )
    builder = NetBuilder()
    parts = list(_parts(nets[0]))
    for part in parts:
        if part.name.startswith("reference"):
            raise _make_error(part, f"<{part.name}> is not supported", "join the pages of the net")
    _check_understood(root)
    _check_ids(nets[0])
    for part in parts:
        if part.name == "place":
            builder.place(_attribute(part, "id"), _number(part, "initialMarking", 0))
            builder.means(_attribute(part, "id"), _name(part))
        elif part.name == "transition":
            builder.transition(_attribute(part, "id"))
            builder.means(_attribute(part, "id"), _name(part))
    for arc in (part for part in parts if part.name == "arc"):
        _read_arc(builder, arc)
    return builder.net()


def _read_arc(builder: NetBuilder, arc: Element) -> None:
    source, target = _attribute(arc, "source"), _attribute(arc, "target")
    kind = arc.first("type")
    if kind is not None and (kind.attributes.get("value", "") != "normal" or kind.text.strip()):
        said = kind.attributes.get("value", "") or kind.text.strip()
        raise _make_error(arc, f"arcs of the type {said} are not supported")
    weight = _number(arc, "inscription", 1)
    if weight == 0:
        raise _make_error(arc, "an arc of no tokens")
    if builder.has_place(source) and builder.has_transition(target):
        builder.takes(target, source, weight, arc.span)
    elif builder.has_transition(source) and builder.has_place(target):
        builder.gives(source, target, weight, arc.span)
    else:
        message = f"an arc from {source!r} to {target!r}, which are not a place and a transition of the net"
        raise _make_error(arc, message)


def _parts(element: Element) -> list[Element]:
    """Places, transitions and arcs, on whatever page."""
    found: list[Element] = []
    pending = list(reversed(element.children))
    while pending:
        part = pending.pop()
        if part.name == "page":
            pending.extend(reversed(part.children))
        else:
            found.append(part)
    return found


def _check_understood(element: Element) -> None:
    """Refuses what is not on the lists: it could change what the net does."""
    if element.namespace not in ("", NAMESPACE):
        raise _make_error(element, f"<{element.name}> is from {element.namespace}, which is not understood")
    for name in element.attributes:
        if name not in _ATTRIBUTES.get(element.name, frozenset()):
            raise _make_error(element, f"`{name}=` of <{element.name}> is not understood", _REMOVE)
    seen: set[str] = set()
    for child in element.children:
        if child.name not in _CHILDREN[element.name]:
            raise _make_error(child, f"<{child.name}> in <{element.name}> is not understood", _REMOVE)
        if child.name in seen and child.name not in _REPEATED:
            raise _make_error(child, f"<{child.name}> is given twice for one <{element.name}>")
        seen.add(child.name)
        if child.name == "toolspecific":
            _check_note(child)
        elif child.name != "graphics":
            _check_understood(child)


_REMOVE = "remove it if it does not change what the net does"


def _check_note(note: Element) -> None:
    """Refuses notes of tools that may change what the net does, such as an inhibitor arc."""
    if note.attributes.get("tool") in _HARMLESS_TOOLS:
        return
    pending = list(note.children)
    if note.text.strip():
        raise _make_error(note, "a note of another tool is not understood", _REMOVE)
    while pending:
        part = pending.pop()
        if part.name not in _HARMLESS:
            raise _make_error(part, f"<{part.name}> in <toolspecific> is not understood", _REMOVE)
        pending += part.children


def _check_ids(net: Element) -> None:
    """Refuses ids that are given twice, to parts of whatever kind."""
    seen: set[str] = set()
    pending = [net]
    while pending:
        part = pending.pop(0)
        name = part.attributes.get("id")
        if name is not None and name in seen:
            raise _make_error(part, f"the id {name!r} is given twice")
        seen.update(() if name is None else (name,))
        pending += [child for child in part.children if child.name in _ATTRIBUTES]


def _attribute(element: Element, name: str) -> str:
    if name not in element.attributes:
        raise _make_error(element, f"<{element.name}> has no attribute `{name}`")
    return element.attributes[name]


def _name(element: Element) -> str | None:
    """The text of the name of a place or a transition, if it has one."""
    name = element.first("name")
    text = None if name is None else name.first("text")
    return None if text is None else text.text.strip()


def _number(element: Element, name: str, otherwise: int) -> int:
    """The natural number in the text of a child, if there is such a child."""
    child = element.first(name)
    if child is None:
        return otherwise
    inner = child.first("text")
    text = (child if inner is None else inner).text.strip()
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise _make_error(child, f"<{name}> is not a natural number below {MAX_TOKENS:,}: {text[:40]!r}")
    return int(text)


def _make_error(element: Element, message: str, hint: str | None = None) -> InputError:
    return InputError([Diagnostic("SER903", message, element.span, hint)])


def write_pnml(net: PetriNet, name: str = "net") -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<pnml xmlns="{NAMESPACE}">',
        f'<net id={_id(name)} type="{PLACE_TRANSITION}">',
        f"<name><text>{escape(name)}</text></name>",
        '<page id="page">',
    ]
    for place, tokens in zip(net.places, net.initial, strict=True):
        marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
        name_of = f"<name><text>{escape(net.meanings.get(place, place))}</text></name>"
        lines.append(f"<place id={_id(place)}>{name_of}{marking}</place>")
    for transition in net.transitions:
        meaning = net.meanings.get(transition.name)
        inner = "" if meaning is None else f"<name><text>{escape(meaning)}</text></name>"
        lines.append(f"<transition id={_id(transition.name)}>{inner}</transition>")
    number = 0
    for transition in net.transitions:
        for places, is_input in ((transition.pre, True), (transition.post, False)):
            for index, weight in sorted(Counter(places).items()):
                ends = (_id(net.places[index]), _id(transition.name))
                source, target = ends if is_input else (ends[1], ends[0])
                inscription = f"<inscription><text>{weight}</text></inscription>" if weight > 1 else ""
                lines.append(f'<arc id="a{number}" source={source} target={target}>{inscription}</arc>')
                number += 1
    return "\n".join([*lines, "</page>", "</net>", "</pnml>"]) + "\n"


def xml_id(name: str) -> str:
    """The id that stands for a name."""
    return _NOT_IN_IDS.sub(lambda found: "".join(f"_x{ord(c):x}_" for c in found.group()), name)


def _id(name: str) -> str:
    return quoteattr(xml_id(name))
