// Every worker gets the address of the loop variable, which goes on: two workers may see the same number.
#include <assert.h>
#include <pthread.h>

int done[3];

void *worker(void *argument) {
  int me = *(int *)argument;
  if (me < 3) {
    done[me]++;
    assert(done[me] == 1);
  }
  return NULL;
}

int main() {
  pthread_t workers[3];
  for (int i = 0; i < 3; i++) pthread_create(&workers[i], NULL, worker, &i);
  for (int i = 0; i < 3; i++) pthread_join(workers[i], NULL);
  return 0;
}
