// Three threads increment a counter three times each without a lock. Increments get lost, but not all of them.
#include <assert.h>
#include <pthread.h>

int counter = 0;

void *worker(void *unused) {
  counter++;
  counter++;
  counter++;
  return NULL;
}

int main() {
  pthread_t workers[3];
  for (int i = 0; i < 3; i++) pthread_create(&workers[i], NULL, worker, NULL);
  for (int i = 0; i < 3; i++) pthread_join(workers[i], NULL);
  assert(counter >= 2 && counter <= 9);
  return 0;
}
