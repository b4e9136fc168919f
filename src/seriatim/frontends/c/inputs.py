"""What C programs read from outside: numbers of which nothing is known."""

import re
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.effects import is_plain
from seriatim.frontends.c.initial import string_values
from seriatim.frontends.c.operators import Operand, convert
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.types import INT, LONG, CType, named
from seriatim.terms.expressions import Constant, apply

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

SCANNING = {"scanf": 0, "sscanf": 1, "fscanf": 1}
"""How many arguments precede the format."""
PARSING = {"atoi": INT, "atol": LONG, "atoll": LONG}

_FORMAT = re.compile(r"\s*(?:%(hh|h|ll|l)?([du])\s*)+")
_PART = re.compile(r"%(hh|h|ll|l)?([du])")
_WORDS = {"hh": ["char"], "h": ["short"], "": ["int"], "l": ["long"], "ll": ["long", "long"]}


def input_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """`scanf` and its like store arbitrary numbers, as many as they say; None for other functions."""
    before = SCANNING.get(name)
    if name in PARSING and len(arguments) == 1:
        look_at_source(thread, arguments, node)
        return thread.any_value(PARSING[name], node)
    if before is None or len(arguments) <= before:
        return None
    look_at_source(thread, arguments[:before], node)
    types = formats(arguments[before])
    targets = arguments[before + 1 :]
    if types is None or len(types) != len(targets):
        refuse("this format", thread.span(node), "read integers with %d or %u alone")
    count = thread.keep(thread.any_value(INT, node, low=-1), node).expression
    end = thread.graph.place()
    span = thread.span(node)
    for number, (type_, target) in enumerate(zip(types, targets, strict=True)):
        here = thread.graph.place()
        thread.graph.branch(apply(">", count, Constant(number)), here, end, span, thread.told())
        thread.graph.here = here
        lvalue = thread.lvalue_of(thread.pointed(target), node)
        value = thread.keep(thread.any_value(type_, node), node)
        thread.write(lvalue, convert(value, lvalue.type), node)
    thread.graph.join_at(end, span)
    most = Constant(len(types))
    capped = apply("<", count, most)
    return Operand(apply("?", capped, count, most), INT)


def look_at_source(thread: "Statements", sources: list[c_ast.Node], node: c_ast.FuncCall) -> None:
    """From where something is read does not matter, unless finding that out does something."""
    if not all(map(is_plain, sources)):
        refuse("this as a source of numbers", thread.span(node), "name a variable")


def formats(node: c_ast.Node) -> list[CType] | None:
    """The types of the numbers that a format reads; None if it reads anything else."""
    values = string_values(node)
    text = "".join(map(chr, values)) if values is not None and all(each > 0 for each in values) else ""
    if not _FORMAT.fullmatch(text):
        return None
    found = []
    for size, kind in _PART.findall(text):
        type_ = named([*_WORDS[size], "unsigned"] if kind == "u" else _WORDS[size])
        assert type_ is not None, "all of them are types"
        found.append(type_)
    return found
