"""Runs long work in processes of its own; a new order of a kind replaces the old one.

Each document has its own orders. An order that is no longer needed is stopped at once, by ending its process;
another process starts while the server goes on.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from seriatim.cluster.hand import Hand, start_hand


class Processes:
    """A bounded number of processes; further orders wait."""

    def __init__(self, processes: int = 2) -> None:
        self._idle: list[Hand] = []
        self._busy: set[Hand] = set()
        self._places = asyncio.Semaphore(processes)

    async def perform(self, work: Callable[[Any], str], task: object) -> str | None:
        """The answer of a process; None if it ended without one. Cancelling the wait stops the work."""
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
