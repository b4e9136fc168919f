/* examples/spin_lock.ser for SPIN, with N requests. One at a time, they answer 0, 1, 2, 0, 1, 2, and so on. */

bit locked;
byte x, done;
byte answered[3];

active [N] proctype incr()
{
  byte seen;
  atomic {
    !locked;
    locked = 1;
    seen = x
  }
  atomic {
    x = (seen + 1) % 3;
    locked = 0;
    answered[seen]++;
    done++;
    assert(done < N || (answered[0] == (N + 2) / 3 && answered[1] == (N + 1) / 3 && answered[2] == N / 3))
  }
}
