// Main frees what a thread still uses: it forgets to wait for the thread.
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
  free(job);
  return 0;
}
