// A semaphore lets two threads in at a time, however many there are.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t slots;
_Atomic int inside;

void *visitor(void *unused) {
  sem_wait(&slots);
  int now = ++inside;
  assert(now <= 2);
  inside--;
  sem_post(&slots);
  return NULL;
}

int main() {
  pthread_t thread;
  sem_init(&slots, 0, 2);
  while (1) pthread_create(&thread, NULL, visitor, NULL);
}
