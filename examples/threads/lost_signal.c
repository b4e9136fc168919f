// A thread waits for a signal that may have come before: nobody signals again, and main waits for the thread.
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
  pthread_cond_wait(&finished, &lock);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
