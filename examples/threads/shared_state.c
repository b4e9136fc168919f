// A lock for readers and writers, made of a mutex and a state. However many threads there are, two reads in a
// row find the same value: while someone reads, no one writes.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { FREE, READING, WRITING };

struct gate {
    int state;
    int readers;
};

struct gate gate;
int value;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void begin_reading(struct gate *at) {
    pthread_mutex_lock(&mutex);
    while (at->state == WRITING)
        pthread_cond_wait(&changed, &mutex);
    at->state = READING;
    at->readers++;
    pthread_mutex_unlock(&mutex);
}

void end_reading(struct gate *at) {
    pthread_mutex_lock(&mutex);
    if (--at->readers == 0)
        at->state = FREE;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

void begin_writing(struct gate *at) {
    pthread_mutex_lock(&mutex);
    while (at->state != FREE)
        pthread_cond_wait(&changed, &mutex);
    at->state = WRITING;
    pthread_mutex_unlock(&mutex);
}

void end_writing(struct gate *at) {
    pthread_mutex_lock(&mutex);
    at->state = FREE;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

void *reader(void *unused) {
    begin_reading(&gate);
    int first = value;
    int second = value;
    assert(first == second);
    end_reading(&gate);
    return NULL;
}

void *writer(void *unused) {
    begin_writing(&gate);
    value = rand();
    end_writing(&gate);
    return NULL;
}

int main(int count, char **names) {
    while (count-- > 0) {
        pthread_t one, other;
        pthread_create(&one, NULL, reader, NULL);
        pthread_create(&other, NULL, writer, NULL);
    }
    return 0;
}
