"""Slicing of thread programs: tests before an endless loop decide what follows them."""

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.slicing import irrelevant
from seriatim.result import Holds
from seriatim.source import SourceText

ENDLESS = """
int turn, checked;
void *worker(void *unused) {
  while (1) { LOOP }
  return 0;
}
int main(void) {
  pthread_t one;
  int seen = turn;
  if (seen == 0) checked = 1;
  if (seen != 0) reach_error();
  pthread_create(&one, 0, worker, 0);
  while (1) { if (checked != 1) reach_error(); }
}
"""


def read(text: str) -> ThreadProgram:
    return read_c_threads(SourceText("t.c", text))


def test_tests_before_an_endless_loop_stay() -> None:
    program = read(ENDLESS.replace("LOOP", "turn = turn + 1;"))
    assert ("main", "seen") not in irrelevant(program)
    assert isinstance(decide_threads(program, Options(timeout=20.0)).answer, Holds)


def test_what_an_endless_loop_does_alone_goes() -> None:
    program = read("int n; void *w(void *u) { while (1) n = n + 1; } int main() { pthread_t t;"
                   "pthread_create(&t, 0, w, 0); while (1) { } }")  # fmt: skip
    assert ("", "n") in irrelevant(program)
