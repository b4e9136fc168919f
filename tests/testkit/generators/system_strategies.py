"""Random network systems with arbitrary names, for hypothesis."""

from hypothesis import strategies as st

from seriatim.program.network_system import LocalState, NetworkSystem


@st.composite
def network_systems(draw: st.DrawFn) -> NetworkSystem:
    """A small system; requests can be at every local state that has a response or a step."""
    globals_, locals_, requests, responses = (draw(_names()) for _ in range(4))
    local, global_ = st.integers(0, len(locals_) - 1), st.integers(0, len(globals_) - 1)
    request, response = st.integers(0, len(requests) - 1), st.integers(0, len(responses) - 1)
    req = draw(st.lists(st.tuples(request, local), max_size=3, unique=True))
    delta = draw(st.lists(st.tuples(local, global_, local, global_), max_size=6, unique=True))
    reached = {start for _, start in req}
    for _ in locals_:
        reached |= {target for source, _, target, _ in delta if source in reached}
    resp = draw(st.lists(st.tuples(local, response), max_size=4, unique=True))
    return NetworkSystem(
        globals=tuple(globals_),
        locals=tuple(LocalState(name) for name in locals_),
        requests=tuple(requests),
        responses=tuple(responses),
        initial=draw(global_),
        req=tuple(req),
        resp=tuple((source, answer) for source, answer in resp if source in reached),
        delta=tuple(step for step in delta if step[0] in reached),
    )


def _names() -> st.SearchStrategy[list[str]]:
    name = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
    return st.lists(name, min_size=1, max_size=4, unique=True)
