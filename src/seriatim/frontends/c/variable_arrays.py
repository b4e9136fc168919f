"""Arrays whose length is not known before the program runs: `int a[n];`.

Ids of threads hold no data, so there are as many as an array may have. Of other arrays, the first few
elements are variables, and longer ones are not looked at (`seriatim.program.threads.limits`).
"""

from copy import copy
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.memory import MAX_LENGTH, is_possible
from seriatim.frontends.c.operators import ONE
from seriatim.frontends.c.symbols import Array, Cells, Symbol, scalars
from seriatim.program.threads.syntax import Assert, Assign
from seriatim.source import InputError
from seriatim.terms.expressions import apply

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

MAX_IDS = 1 << 20
"""More ids of threads do not fit on a stack."""
NOT_POSITIVE = "an array has no elements, or fewer"


def variable_array(thread: "Statements", node: c_ast.Decl) -> Symbol | None:
    """The array that a declaration makes, if its length is not constant; None for other declarations."""
    type_ = node.type
    if not isinstance(type_, c_ast.ArrayDecl) or type_.dim is None or is_constant(thread, type_):
        return None
    length = thread.keep(thread.value(type_.dim), node).expression
    known = thread.graph.constant(length)
    if known is not None:
        return thread.variable_of(with_size(node, int(known.value)))
    thread.demand(apply("<=", ONE, length), NOT_POSITIVE, node)
    if thread.unit.word(type_.type) == "pthread_t":
        cells = thread.unit.new_cells(MAX_IDS, MAX_IDS)
        return Cells(cells.first, cells.count, length)
    array = thread.variable_of(with_size(node, MAX_LENGTH))
    assert isinstance(array, Array), "it has a size"
    span = thread.span(node)
    says = f"an array of more than {MAX_LENGTH} elements in line {span.line} is not looked at"
    limit = Assert(is_possible(length, ONE), span, says, is_limit=True)
    if any(each.shared for each in scalars(array)):
        name = thread.unit.note_length(array)
        thread.graph.shared((limit, Assign((name,), (length,), span)), span, thread.told())
    else:
        thread.graph.locally(limit)
        thread.unit.bound(thread.guards, array, length)
    return array


def is_constant(thread: "Statements", type_: c_ast.ArrayDecl) -> bool:
    if type_.dim in thread.unit.sizes:
        return True
    try:
        thread.unit.constant(type_.dim)
    except InputError:
        return False
    return True


def with_size(node: c_ast.Decl, size: int) -> c_ast.Decl:
    """The declaration of an array of this size."""
    found = copy(node)
    found.type = copy(node.type)
    found.type.dim = c_ast.Constant("int", str(size), node.coord)
    return found
