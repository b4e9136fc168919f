// Any number of threads withdraw; the mutex is held from looking to paying.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

void withdraw(int amount) {
  if (balance >= amount) {
    balance -= amount;
  }
}

void *customer(void *unused) {
  pthread_mutex_lock(&lock);
  withdraw(30);
  assert(balance >= 0);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  while (1) {
    pthread_create(&thread, NULL, customer, NULL);
  }
}
