// The account of locked_account.c without the mutex: two threads see the same money.
#include <assert.h>
#include <pthread.h>

int balance = 100;

void *customer(void *unused) {
  if (balance >= 80) {
    balance -= 80;
    assert(balance >= 0);
  }
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, customer, NULL);
  pthread_create(&second, NULL, customer, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
