// Each thread gets a structure of its own from the heap; a lock protects the sum.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define JOBS 3

struct job {
  int number;
  int square;
};

int total = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *run(void *argument) {
  struct job *job = argument;
  job->square = job->number * job->number;
  pthread_mutex_lock(&lock);
  total += job->square;
  pthread_mutex_unlock(&lock);
  free(job);
  return NULL;
}

int main() {
  pthread_t threads[JOBS];
  for (int i = 0; i < JOBS; i++) {
    struct job *job = malloc(sizeof *job);
    job->number = i;
    pthread_create(&threads[i], NULL, run, job);
  }
  for (int i = 0; i < JOBS; i++) pthread_join(threads[i], NULL);
  assert(total == 5);
  return 0;
}
