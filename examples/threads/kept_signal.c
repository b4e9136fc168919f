// A thread that waits for a signal looks first whether that has happened which it waits for.
#include <pthread.h>

int done = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_cond_signal(&finished);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&lock);
  while (!done) pthread_cond_wait(&finished, &lock);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
