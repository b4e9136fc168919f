// Two accounts, two locks: all transfers take the locks in the same order.
#include <pthread.h>

int checking = 50;
int savings = 50;
pthread_mutex_t checking_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t savings_lock = PTHREAD_MUTEX_INITIALIZER;

void *save(void *unused) {
  pthread_mutex_lock(&checking_lock);
  pthread_mutex_lock(&savings_lock);
  checking -= 10;
  savings += 10;
  pthread_mutex_unlock(&savings_lock);
  pthread_mutex_unlock(&checking_lock);
  return NULL;
}

void *spend(void *unused) {
  pthread_mutex_lock(&checking_lock);
  pthread_mutex_lock(&savings_lock);
  savings -= 10;
  checking += 10;
  pthread_mutex_unlock(&savings_lock);
  pthread_mutex_unlock(&checking_lock);
  return NULL;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, save, NULL);
  pthread_create(&other, NULL, spend, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}
