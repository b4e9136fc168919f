// Two threads wait for the same door, but one signal wakes only one of them; `pthread_cond_broadcast` wakes both.
#include <pthread.h>

int is_open = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

void *visitor(void *unused) {
  pthread_mutex_lock(&lock);
  while (!is_open) pthread_cond_wait(&opened, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, visitor, NULL);
  pthread_create(&other, NULL, visitor, NULL);
  pthread_mutex_lock(&lock);
  is_open = 1;
  pthread_cond_signal(&opened);
  pthread_mutex_unlock(&lock);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}
