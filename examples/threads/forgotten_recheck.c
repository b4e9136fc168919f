// The queue of condition_queue.c with `if` instead of `while`: a thread can wake up for no reason.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock;
pthread_cond_t changed;
int full;

void *producer(void *unused) {
  pthread_mutex_lock(&lock);
  if (full) {
    pthread_cond_wait(&changed, &lock);
  }
  assert(full == 0);
  full = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  while (1) {
    pthread_create(&thread, NULL, producer, NULL);
  }
}
