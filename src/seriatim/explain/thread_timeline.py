"""A run of threads as its reader knows it: a lane for each thread, in which every step tells what it
changed.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from seriatim.explain.timeline import Change, Moment, ShownRun, ShownTurn, Timeline
from seriatim.program.state import GlobalState
from seriatim.program.threads import runs
from seriatim.program.threads.runs import ThreadRun, replay
from seriatim.program.threads.semantics import Values
from seriatim.program.threads.syntax import FINISHED, Template, ThreadProgram, Type, is_boolean, writes

READ = re.compile(r"reads \S.*?: ")
"""How the text of a step begins that only reads something shared."""

TRUTH = {0: "false", 1: "true"}


def show_threads(program: ThreadProgram, run: ThreadRun) -> ShownRun:
    """Shows a run of the program."""
    lanes = _Lanes(program)
    moments = list(replay(program, run))
    for thread in sorted({moment.thread for moment in moments}):
        lanes.lanes[thread] = len(lanes.lanes) + 1
    turns = tuple(lanes.turns(run, moments))
    initial = state(dict(run.globals))
    names: dict[str, dict[int, str]] = {name: dict(each) for name, each in program.value_names.items()}
    names |= {name: TRUTH for name, type_ in program.types.items() if is_boolean(type_)}
    timeline = Timeline(initial, turns, value_names=names, actor="thread")
    threads = len({moment.thread for moment in moments})
    return ShownRun(timeline, threads, len(moments), sum(turn.is_switch for turn in turns))


class _Lanes:
    """The threads of a run, in the order in which they start."""

    def __init__(self, program: ThreadProgram) -> None:
        self.program = program
        self.names: dict[int, str] = {0: program.main}
        self.templates: dict[int, Template] = {0: program.main_template}
        self.started: dict[str, int] = {}
        self.lanes: dict[int, int] = {}
        self.seen: set[int] = set()
        self.locals: dict[int, Values] = {}

    def turns(self, run: ThreadRun, moments: list[runs.RunMoment]) -> Iterator[ShownTurn]:
        """Steps of one thread that follow each other are one turn."""
        self.locals[0] = dict(run.locals)
        before = dict(run.globals)
        index = 0
        while index < len(moments):
            thread = moments[index].thread
            told: list[Moment] = []
            at_start = state(before)
            begins = index
            while index < len(moments) and moments[index].thread == thread:
                told.append(self.moment(moments[index], before))
                before = moments[index].globals
                index += 1
            last = moments[index - 1]
            is_first = thread not in self.seen
            self.seen.add(thread)
            yield ShownTurn(
                self.lanes[thread],
                self.names[thread],
                tuple(without_reads(told)),
                at_start,
                state(before),
                None,
                None,
                is_switch=begins > 0,
                is_first=is_first,
                fails=last.failure is not None,
                pauses=False,
            )

    def moment(self, moment: runs.RunMoment, before: Values) -> Moment:
        known = self.locals[moment.thread]
        types = self.templates[moment.thread].types
        written = dict.fromkeys(name for action in moment.edge.actions for name in writes(action))
        if moment.failure is not None:
            written = {}
        changes = [
            self.change(name, known[name], moment.locals[name], types[name], False)
            if name in types
            else self.change(name, before[name], moment.globals[name], self.program.types[name], True)
            for name in written
            if not name.startswith("$")  # A temporary variable.
        ]
        self.locals[moment.thread] = dict(moment.locals)
        text = moment.edge.text
        if moment.started is not None:
            text += f"  // {self.start(moment.started, moment)}"
        if moment.edge.target == FINISHED and moment.failure is None and moment.thread != 0:
            text += "  // ends"
        if moment.joined is not None:
            text += f"  // {self.names[moment.joined]}"
        return Moment(moment.edge.span.line, (text,), tuple(changes))

    def change(self, name: str, old: int, new: int, type_: Type, shared: bool) -> Change:
        name = name.partition("$")[0]  # The same name in another call.
        values = TRUTH if is_boolean(type_) else self.program.value_names.get(name, {})
        return Change(name, int(old), int(new), tuple(values.items()), shared)

    def start(self, thread: int, moment: runs.RunMoment) -> str:
        """Notes a new thread, and says what it is called."""
        template = moment.spawned
        assert template is not None
        number = self.started[template] = self.started.get(template, 0) + 1
        self.names[thread] = f"{template}#{number}"
        self.templates[thread] = self.program.by_name[template]
        self.locals[thread] = dict(moment.spawned_locals)
        return self.names[thread]


def without_reads(moments: list[Moment]) -> Iterator[Moment]:
    """The moments of a turn, without a read that goes on to another step of its line: nobody moves between
    them, so the line says it all. A read after which another thread moves stays."""
    for moment, following in pairwise([*moments, None]):
        assert moment is not None
        goes_on = following is not None and following.line == moment.line
        if not (goes_on and not moment.changes and READ.match(moment.pieces[0])):
            yield moment


def state(values: Values) -> GlobalState:
    """Of the variables that the source names."""
    return tuple((name, int(value)) for name, value in values.items() if not name.startswith("$"))
