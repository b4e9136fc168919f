"""XML texts as elements that know their place. Document types are refused: nothing is expanded or fetched."""

from dataclasses import dataclass, field
from xml.parsers import expat

from seriatim.source import Diagnostic, InputError, Span

MAX_DEPTH = 100
"""How deeply elements may be nested: far deeper than in any net, and what walks through them may recurse."""


@dataclass(slots=True)
class Element:
    """An element; names are without their namespace."""

    name: str
    namespace: str
    attributes: dict[str, str]
    span: Span
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> list["Element"]:
        return [child for child in self.children if child.name == name]

    def first(self, name: str) -> "Element | None":
        return next(iter(self.all(name)), None)


def read_xml(text: str) -> Element:
    """The root element; raises `InputError` if the text is not XML, or declares a document type."""
    parser = expat.ParserCreate(
        "utf-8", namespace_separator=" "
    )  # Whatever the text declares: it is decoded already.
    root = Element("", "", {}, Span(1, 1, 1, 2))
    open_elements = [root]

    def place() -> Span:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        return Span(line, column, line, column + 1)

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(open_elements) > MAX_DEPTH:
            raise InputError([Diagnostic("SER901", "elements are nested too deeply", place())])
        namespace, _, local = name.rpartition(" ")
        element = Element(local, namespace, attributes, place())
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_: str) -> None:
        open_elements.pop()

    def data(part: str) -> None:
        open_elements[-1].text += part

    def refuse(*_: object) -> None:
        message = "a document type is declared; entities are not read"
        raise InputError([Diagnostic("SER901", message, place(), "take the <!DOCTYPE …> away")])

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        span = Span(error.lineno, error.offset + 1, error.lineno, error.offset + 2)
        message = f"not XML: {expat.ErrorString(error.code)}"
        raise InputError([Diagnostic("SER901", message, span)]) from None
    except UnicodeEncodeError:
        raise InputError([Diagnostic("SER901", "not XML: it contains half a character")]) from None
    return root.children[0]
