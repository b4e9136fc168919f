"""Smaller descriptions of the same semilinear set (paper, section 3.2, 2).

A period that is a sum of others adds nothing. A component adds nothing if another one contains it. For the
latter only a sufficient condition is looked at: its base is in the other one, and each of its periods is a
sum of the other one's. It may overlook some, such as 2 + 1·k in the sums of 2 and 3, but never errs.
"""

from seriatim.arithmetic.semilinear.sets import Component, is_sum, minus


def without_redundant_periods(given: Component) -> Component:
    """Goes from large to small: what a period is a sum of is smaller than the period."""
    kept = list(given.periods)
    for period in sorted(given.periods, key=lambda period: (-sum(period.counts), period.counts)):
        others = [other for other in kept if other != period]
        if is_sum(period.counts, others):
            kept = others
    return Component(given.base, tuple(kept))


def is_inside(inner: Component, outer: Component) -> bool:
    """Whether the one is contained in the other, as far as that is easy to see."""
    offset = minus(inner.base.counts, outer.base.counts)
    return (
        offset is not None
        and is_sum(offset, outer.periods)
        and all(period in outer.periods or is_sum(period.counts, outer.periods) for period in inner.periods)
    )


def prune(components: tuple[Component, ...]) -> tuple[Component, ...]:
    """Without redundant periods, and without components that another one contains."""
    kept: list[Component] = []
    for given in dict.fromkeys(map(without_redundant_periods, components)):
        if not any(is_inside(given, other) for other in kept):
            kept = [other for other in kept if not is_inside(other, given)]
            kept.append(given)
    return tuple(kept)
