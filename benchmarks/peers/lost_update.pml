/* examples/lost_update.ser for SPIN, with N requests. One at a time, all answers are different. */

byte x;
byte answered[N + 1];

active [N] proctype incr()
{
  byte seen;
  seen = x;
  atomic {
    x = seen + 1;
    answered[x]++;
    assert(answered[x] == 1)
  }
}
