// A flag says that the data are there, but nothing orders the two: the reader may see the flag first.
#include <pthread.h>

int ready = 0;
int data = 0;

void *writer(void *unused) {
  data = 42;
  ready = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  int seen = 0;
  pthread_create(&thread, NULL, writer, NULL);
  if (ready) {
    seen = data;
  }
  pthread_join(thread, NULL);
  return seen;
}
