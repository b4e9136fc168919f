// Two workers fill a table, wait for each other at a barrier, and then read what the other one wrote.
#include <assert.h>
#include <pthread.h>

#define WORKERS 2

int table[WORKERS];
pthread_barrier_t filled;

void *worker(void *argument) {
  int mine = (int)(long)argument;
  table[mine] = mine + 1;
  pthread_barrier_wait(&filled);
  int sum = 0;
  for (int i = 0; i < WORKERS; i++) sum += table[i];
  assert(sum == 3);
  return NULL;
}

int main() {
  pthread_t workers[WORKERS];
  pthread_barrier_init(&filled, NULL, WORKERS);
  for (long i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, worker, (void *)i);
  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
  return 0;
}
