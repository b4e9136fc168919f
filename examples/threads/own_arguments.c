// Every worker gets an argument of its own, with the lock and the sum that all of them share.
#include <assert.h>
#include <pthread.h>

struct total {
  pthread_mutex_t lock;
  int sum;
};

struct job {
  int amount;
  struct total *total;
};

void *worker(void *argument) {
  struct job *job = argument;
  pthread_mutex_lock(&job->total->lock);
  job->total->sum += job->amount;
  pthread_mutex_unlock(&job->total->lock);
  return NULL;
}

int main() {
  pthread_t workers[3];
  struct job jobs[3];
  struct total total = {.sum = 0};
  pthread_mutex_init(&total.lock, NULL);
  for (int i = 0; i < 3; i++) {
    jobs[i].amount = i + 1;
    jobs[i].total = &total;
    pthread_create(&workers[i], NULL, worker, &jobs[i]);
  }
  for (int i = 0; i < 3; i++) pthread_join(workers[i], NULL);
  assert(total.sum == 6);
  return 0;
}
