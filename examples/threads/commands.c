// A server that looks commands up in a table of functions; each command keeps the lock while it works.
#include <assert.h>
#include <pthread.h>

int pages = 3;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void print(int count) {
  if (pages >= count) {
    pages -= count;
  }
}

void refill(int count) {
  if (pages + count <= 3) {
    pages += count;
  }
}

void (*const commands[])(int) = {print, refill};

void *serve(void *number) {
  pthread_mutex_lock(&lock);
  commands[(long)number](2);
  assert(0 <= pages && pages <= 3);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t client;
  while (1) {
    pthread_create(&client, NULL, serve, (void *)0);
    pthread_create(&client, NULL, serve, (void *)1);
  }
}
