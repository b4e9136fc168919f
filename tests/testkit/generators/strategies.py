"""Random programs, in the form that the parser gives them: no sequence directly in a sequence."""

from hypothesis import strategies as st

from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Connective,
    Expression,
    Handler,
    If,
    InitialValue,
    Logical,
    Number,
    Operator,
    Prefix,
    Program,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
)

GLOBALS = ("X", "Y", "LOCK", "Élan")
LOCALS = ("x", "y", "_", "if_", "ß1", "名")
HANDLERS = ("main", "A", "incr", "request_", "größe")

variables = st.sampled_from(GLOBALS + LOCALS)
leaves: st.SearchStrategy[Expression] = st.one_of(
    st.integers(0, 3).map(Number),
    st.integers(0, 10**30 - 1).map(Number),
    st.just(Choice()),
    st.just(Yield()),
    variables.map(Read),
)


def _within(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Every construct that has parts, with the given ones."""
    operators = st.sampled_from([operator for operator in Operator if operator is not Operator.MODULO])
    items = inner.filter(lambda item: not isinstance(item, Sequence))
    return st.one_of(
        st.builds(Assign, variables, inner),
        st.builds(Unary, st.sampled_from(Prefix), inner),
        st.builds(Binary, operators, inner, inner),
        st.builds(Binary, st.just(Operator.MODULO), inner, st.integers(1, 9).map(Number)),
        st.builds(Logical, st.sampled_from(Connective), inner, inner),
        st.builds(If, inner, inner, st.none() | inner),
        st.builds(While, inner, inner),
        st.builds(Return, inner),
        st.builds(Sequence, st.lists(items, min_size=2, max_size=4).map(tuple)),
    )


expressions: st.SearchStrategy[Expression] = st.deferred(lambda: leaves | _within(expressions))

programs: st.SearchStrategy[Program] = st.builds(
    Program,
    st.lists(
        st.builds(InitialValue, st.sampled_from(GLOBALS), st.integers(-200, 200)),
        max_size=3,
        unique_by=lambda initial: initial.name,
    ).map(tuple),
    st.lists(
        st.builds(Handler, st.sampled_from(HANDLERS), expressions),
        min_size=1,
        max_size=3,
        unique_by=lambda handler: handler.name,
    ).map(tuple),
)
"""Programs without static mistakes, every construct anywhere an expression may stand."""
