"""HTML as a type of its own: any other text that is put into an element is escaped."""

from html import escape
from importlib import resources

from seriatim.text_width import printable


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str | int | bool | None) -> Markup:
    """An element; `class_` is the attribute class, `aria_label` is aria-label.

    An attribute that is True has no value; one that is False or None is left out.
    """
    inner = "".join(map(_escape, children))
    return Markup(f"<{name}{''.join(map(_attribute, attributes, attributes.values()))}>{inner}</{name}>")


def together(*parts: str) -> Markup:
    """Parts one after the other, without an element around them."""
    return Markup("".join(map(_escape, parts)))


def _attribute(name: str, value: str | int | bool | None) -> str:
    match value:
        case None | False:
            return ""
        case True:
            return f" {_attribute_name(name)}"
        case _:
            return f' {_attribute_name(name)}="{escape(printable(str(value)))}"'


def _attribute_name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _escape(child: str) -> str:
    return child if isinstance(child, Markup) else escape("\n".join(map(printable, child.split("\n"))))


def read_shipped(name: str) -> str:
    """A style sheet or a script that lies beside this module."""
    return resources.files("seriatim.report.html").joinpath(name).read_text("utf-8")
