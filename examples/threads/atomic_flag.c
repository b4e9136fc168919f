// A spin lock made of an atomic flag: the thread that finds it clear holds the lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_flag busy = ATOMIC_FLAG_INIT;
int inside = 0;

void *worker(void *unused) {
  while (atomic_flag_test_and_set(&busy)) {
  }
  inside++;
  assert(inside == 1);
  inside--;
  atomic_flag_clear(&busy);
  return NULL;
}

int main() {
  pthread_t thread;
  while (1) pthread_create(&thread, NULL, worker, NULL);
}
