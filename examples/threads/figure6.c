// Figure 6 of the paper on petrification, the C version of figure1.conc. With a step for each access it fails: between
// reading c and writing it back, a worker can be overtaken. Statement by statement it is safe:
//
//   ser check figure6.c
//   ser check figure6.c --steps statement
#include <assert.h>
#include <pthread.h>

int c, i;

void *worker(void *unused) {
  c += i;
  assert(c <= 2 * i);
  c -= i;
  return NULL;
}

int main(void) {
  pthread_t ids[10000];
  while (i < 10000) {
    pthread_create(&ids[i], NULL, worker, NULL);
    if (i > 0) {
      pthread_join(ids[i - 1], NULL);
    }
    i++;
  }
  return 0;
}
