"""A process for what takes long, and the orders that it works off: a new one of a kind replaces the old.

Each document has its own orders. An order that nobody waits for any more is stopped at once, by ending the
process; another one starts while the server goes on.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from seriatim.cluster.hand import Hand, start_hand


class Desk:
    """At most so many processes at work; the others wait."""

    def __init__(self, processes: int = 2) -> None:
        self._idle: list[Hand] = []
        self._busy: set[Hand] = set()
        self._places = asyncio.Semaphore(processes)

    async def perform(self, work: Callable[[Any], str], task: object) -> str | None:
        """What a process answers; None if it ended without an answer. To cancel the wait
        stops the work."""
        async with self._places:
            hand = self._idle.pop() if self._idle else start_hand()
            self._busy.add(hand)
            try:
                hand.order(work, task)
                answer = await asyncio.to_thread(hand.receive)
            except BaseException:
                self._discard(hand)
                raise
            if answer is None:
                self._discard(hand)
            else:
                self._busy.discard(hand)
                self._idle.append(hand)
            return answer

    def _discard(self, hand: Hand) -> None:
        self._busy.discard(hand)
        with suppress(OSError):
            hand.stop()

    def close(self) -> None:
        for hand in (*self._idle, *self._busy):
            self._discard(hand)
        self._idle.clear()
