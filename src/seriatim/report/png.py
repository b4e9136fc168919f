"""A picture as PNG, from its SVG; by resvg, the extra `seriatim[png]`, with the fonts of the system."""

from importlib.util import find_spec

from seriatim.source import Diagnostic, InputError

_ZOOM = 2.0
"""Pixels for a unit of the SVG: sharp on today's screens."""


def require_png() -> None:
    """Raises `InputError` if resvg is not installed."""
    if find_spec("resvg_py") is None:
        hint = "install it: pip install 'seriatim[png]'; or write SVG"
        raise InputError([Diagnostic("SER211", "the PNG renderer is not installed", hint=hint)])


def png(svg: str) -> bytes:
    require_png()
    import resvg_py

    return resvg_py.svg_to_bytes(svg_string=svg, background="#ffffff", zoom=_ZOOM)
