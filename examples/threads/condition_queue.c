// One slot, any number of producers and consumers, a condition variable: the slot is never filled twice.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock;
pthread_cond_t changed;
int full;

void *producer(void *unused) {
  pthread_mutex_lock(&lock);
  while (full) {
    pthread_cond_wait(&changed, &lock);
  }
  assert(full == 0);
  full = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

void *consumer(void *unused) {
  pthread_mutex_lock(&lock);
  while (!full) {
    pthread_cond_wait(&changed, &lock);
  }
  assert(full == 1);
  full = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  while (1) {
    pthread_create(&thread, NULL, producer, NULL);
    pthread_create(&thread, NULL, consumer, NULL);
  }
}
