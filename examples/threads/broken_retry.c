// A lock-free maximum that compares and swaps once, and does not try again when another thread was faster.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define RAISE(to, value)                                      \
  do {                                                        \
    int seen = atomic_load(&to);                              \
    if (seen < (value))                                       \
      atomic_compare_exchange_strong(&to, &seen, (value));    \
  } while (0)

atomic_int highest;

void *worker(void *argument) {
  int mine = (int)(long)argument;
  RAISE(highest, mine);
  return NULL;
}

int main() {
  pthread_t one, two;
  pthread_create(&one, NULL, worker, (void *)1L);
  pthread_create(&two, NULL, worker, (void *)2L);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(highest == 2);
  return 0;
}
