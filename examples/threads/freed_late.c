// Main waits for the thread before it frees what the thread uses.
#include <pthread.h>
#include <stdlib.h>

struct job {
  int input;
  int output;
};

void *worker(void *argument) {
  struct job *job = argument;
  job->output = 2 * job->input;
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct job *job = malloc(sizeof(struct job));
  job->input = 21;
  pthread_create(&thread, NULL, worker, job);
  pthread_join(thread, NULL);
  free(job);
  return 0;
}
