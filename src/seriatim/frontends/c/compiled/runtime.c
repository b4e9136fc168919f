/* Runs a compiled program with threads under chosen schedules, one thread at a time.

   The program is compiled with -fsanitize=thread, which calls a function before each access to memory and
   instead of each atomic operation. These functions are ours: each one is a scheduling point. So are the
   functions of pthreads, which the linker redirects here (--wrap). They keep the states of locks by their
   addresses, so a hang is seen as such: no thread can go on.

   Usage: program RUNS SECONDS STOPS LINES VALUES [PLAN]
   STOPS names the ends that are looked for, LINES has a row "address line" for each place in the code, VALUES numbers to choose from, PLAN a row
   "thread line" for each step of a run to follow. A row is printed for each kind of end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 32, MAX_OBJECTS = 4096, MAX_BLOCKS = 4096, MAX_STEPS = 10000, MAX_PLAN = 20000 };
enum { MAX_HANDLERS = 64, MAX_KEYS = 64 };
enum { MAX_LINES = 200000, MAX_VALUES = 256, MAX_ENDS = 64, ARENA = 1 << 24, STACK = 1 << 18 };

/* How a run ends. */
enum end { ENDED, FAILED, RACE, HANG, MEMORY, FAULT, ASSUMED, CUT, ENDS };
static const char *const NAMES[ENDS] = {
    "ended", "failed", "race", "hang", "memory", "fault", "assumed", "cut"};

enum kind { NOTHING, READ, WRITE, ATOMIC_READ, ATOMIC_WRITE };

struct thread {
  sem_t go;
  pthread_t real;
  int is_done, is_joined, is_detached;
  const void *waits_for; /* NULL if it can go on. */
  int can_give_up;       /* It waits with a limit of time, or may wake up for no reason. */
  void *(*start)(void *);
  void *argument, *result;
  enum kind pending;
  uintptr_t address, size, place;
  int priority;
  struct { void (*function)(void *); void *argument; } handlers[MAX_HANDLERS];
  int handler_count;
  void *own[MAX_KEYS]; /* By keys of thread-specific data. */
};

struct object {
  const void *address;
  int is_locked, owner, readers;
  long value, waiting, generation;
};

struct block {
  uintptr_t begin, size;
  int is_freed;
};

struct found {
  long count;
  uintptr_t place, other;
};

static struct {
  struct found ends[ENDS];
  enum end last;
  uintptr_t place, other;
  long steps, latest_steps;
  int is_set;
} *shared;

static struct thread threads[MAX_THREADS];
static struct object objects[MAX_OBJECTS];
static void (*destructors[MAX_KEYS])(void *);
static int key_count;
static struct block blocks[MAX_BLOCKS];
static int thread_count, object_count, block_count;
static int depth; /* Of atomic sections. */
static int looks_for_races;
static long steps;
static uint64_t random_state;
static int mode, change_points[4];
static char *arena;
static size_t arena_used;
static uintptr_t line_places[MAX_LINES];
static int line_numbers[MAX_LINES], line_count;
static long values[MAX_VALUES];
static int value_count;
static int plan_threads[MAX_PLAN], plan_lines[MAX_PLAN], plan_count, plan_at, plan_left;
static __thread struct thread *self;

extern void *seriatim_atomic[];
extern int __real_main(int, char **, char **);
extern int __real_sem_init(sem_t *, int, unsigned), __real_sem_wait(sem_t *), __real_sem_post(sem_t *);
extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static unsigned chance(unsigned bound) {
  random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
  return bound ? (unsigned)((random_state >> 20) % bound) : 0;
}

static void finish(enum end end, uintptr_t place, uintptr_t other) {
  if (!__atomic_exchange_n(&shared->is_set, 1, __ATOMIC_SEQ_CST)) {
    shared->last = end, shared->place = place, shared->other = other, shared->steps = steps;
  }
  _exit(0);
}

static int line_of(uintptr_t place) {
  int low = 0, high = line_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (line_places[middle] <= place) low = middle + 1;
    else high = middle;
  }
  return low ? line_numbers[low - 1] : 0;
}

/* Schedules */

static int can_run(struct thread *thread) {
  return !thread->is_done && (thread->waits_for == NULL || (thread->can_give_up && chance(4) == 0));
}

/* The thread of the plan, as long as its accesses fit the lines of the plan. */
static int planned(void) {
  while (plan_at < plan_count) {
    int thread = plan_threads[plan_at], last = plan_at;
    while (last + 1 < plan_count && plan_threads[last + 1] == thread) last++;
    if (thread >= thread_count || threads[thread].is_done) {
      plan_at = last + 1;
      continue;
    }
    int line = line_of(threads[thread].place), next = plan_at;
    while (next <= last && plan_lines[next] != line) next++;
    if (next < last) {
      plan_at = next;
      return thread;
    }
    if (next == last) { /* How many accesses belong to the last step is not known. */
      if (plan_at != last || plan_left < 0) plan_left = 1 + (int)chance(3);
      plan_at = last;
      if (plan_left-- > 0) return thread;
      plan_left = -1;
    } else if (plan_at < last || chance(8)) {
      return thread; /* An access that the plan does not name. */
    }
    plan_at = last + 1, plan_left = -1;
  }
  return -1;
}

static struct thread *choose(void) {
  struct thread *able[MAX_THREADS], *best = NULL;
  int count = 0;
  if (plan_count) {
    int number = planned();
    if (number >= 0 && can_run(&threads[number])) return &threads[number];
  }
  for (int i = 0; i < thread_count; i++)
    if (can_run(&threads[i])) able[count++] = &threads[i];
  if (count == 0) return NULL;
  int stays = !self->is_done && self->waits_for == NULL;
  switch (mode) {
  case 1: if (stays && chance(5)) return self; break;
  case 2: if (stays && chance(20)) return self; break;
  case 3:
    for (int i = 0; i < 3; i++)
      if (steps == change_points[i]) self->priority = -i - 1;
    for (int i = 0; i < count; i++)
      if (best == NULL || able[i]->priority > best->priority) best = able[i];
    if (chance(50)) return best;
    break;
  case 4: if (stays && chance(200)) return self; break;
  }
  return able[chance(count)];
}

/* Hands over to a thread that can go on, and comes back when it is this one's turn. */
static void hand_over(void) {
  struct thread *next = choose();
  for (int i = 0; next == NULL && i < 100; i++) next = choose(); /* Some may give up. */
  if (next == NULL) {
    int left = 0;
    for (int i = 0; i < thread_count; i++) left += !threads[i].is_done;
    finish(left ? HANG : ENDED, self->place, 0);
  }
  if (next != self) {
    struct thread *mine = self;
    __real_sem_post(&next->go);
    while (__real_sem_wait(&mine->go) != 0) {}
  }
}

static void look_at_memory(uintptr_t address, uintptr_t size, uintptr_t place) {
  if (address - (uintptr_t)arena >= ARENA) return;
  for (int i = block_count - 1; i >= 0; i--)
    if (address >= blocks[i].begin) {
      if (blocks[i].is_freed || address + size > blocks[i].begin + blocks[i].size) finish(MEMORY, place, 0);
      return;
    }
}

static void point(enum kind kind, const volatile void *address, uintptr_t size, void *from) {
  if (self == NULL) return;
  uintptr_t place = (uintptr_t)from - 1;
  self->place = place;
  if (++steps > MAX_STEPS) finish(CUT, place, 0);
  if (depth == 0) {
    self->pending = kind, self->address = (uintptr_t)address, self->size = size;
    if (kind != NOTHING)
      for (int i = 0; i < thread_count; i++) {
        struct thread *other = &threads[i];
        int one_writes = kind == WRITE || kind == ATOMIC_WRITE || other->pending == WRITE ||
                         other->pending == ATOMIC_WRITE;
        int both_atomic = kind >= ATOMIC_READ && other->pending >= ATOMIC_READ;
        if (other == self || other->is_done || other->pending == NOTHING || !one_writes || both_atomic) continue;
        if (other->address < self->address + size && self->address < other->address + other->size &&
            looks_for_races)
          finish(RACE, place, other->place);
      }
    hand_over();
    self->pending = NOTHING;
  }
  if (kind != NOTHING) look_at_memory((uintptr_t)address, size, place);
}

static struct object *object(const volatile void *address) {
  for (int i = 0; i < object_count; i++)
    if (objects[i].address == address) return &objects[i];
  if (object_count == MAX_OBJECTS) finish(CUT, 0, 0);
  objects[object_count].address = (const void *)address;
  objects[object_count].owner = -1;
  return &objects[object_count++];
}

static struct object *fresh(const volatile void *address) {
  struct object *found = object(address);
  memset(found, 0, sizeof *found);
  found->address = (const void *)address, found->owner = -1;
  return found;
}

static void wake(const void *what) {
  for (int i = 0; i < thread_count; i++)
    if (threads[i].waits_for == what) threads[i].waits_for = NULL;
}

/* Waits until somebody wakes those who wait for this; whether that was so, rather than giving up. */
static int wait_for(const void *what, int can_give_up) {
  if (depth) finish(ASSUMED, self->place, 0); /* An atomic section is taken only if all of it can run. */
  self->waits_for = what, self->can_give_up = can_give_up;
  hand_over();
  int was_woken = self->waits_for == NULL;
  self->waits_for = NULL;
  return was_woken;
}

#define HERE point(NOTHING, NULL, 0, __builtin_return_address(0))

/* Accesses */

void __tsan_init(void) {}
void __tsan_func_entry(void *from) { (void)from; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **p, void *v) { (void)p, (void)v; }
void __tsan_read_range(void *p, unsigned long n) { point(READ, p, n, __builtin_return_address(0)); }
void __tsan_write_range(void *p, unsigned long n) { point(WRITE, p, n, __builtin_return_address(0)); }

#define ACCESS(n)                                                                                         \
  void __tsan_read##n(void *p) { point(READ, p, n, __builtin_return_address(0)); }                       \
  void __tsan_write##n(void *p) { point(WRITE, p, n, __builtin_return_address(0)); }                     \
  void __tsan_unaligned_read##n(void *p) { point(READ, p, n, __builtin_return_address(0)); }             \
  void __tsan_unaligned_write##n(void *p) { point(WRITE, p, n, __builtin_return_address(0)); }           \
  void __tsan_volatile_read##n(void *p) { point(READ, p, n, __builtin_return_address(0)); }              \
  void __tsan_volatile_write##n(void *p) { point(WRITE, p, n, __builtin_return_address(0)); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)

#define CHANGE(n, type, name)                                                                            \
  type __tsan_atomic##n##_##name(volatile type *p, type v, int o) {                                     \
    (void)o;                                                                                              \
    point(ATOMIC_WRITE, p, n / 8, __builtin_return_address(0));                                          \
    return __atomic_##name(p, v, __ATOMIC_SEQ_CST);                                                      \
  }
#define COMPARE(n, type, name, fails)                                                                    \
  int __tsan_atomic##n##_compare_exchange_##name(volatile type *p, type *e, type v, int o, int f) {     \
    (void)o, (void)f;                                                                                     \
    point(ATOMIC_WRITE, p, n / 8, __builtin_return_address(0));                                          \
    if (fails && chance(8) == 0) return *e = *p, 0;                                                      \
    return __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                  \
  }
#define ATOMICS(n, type)                                                                                 \
  type __tsan_atomic##n##_load(const volatile type *p, int o) {                                         \
    (void)o;                                                                                              \
    point(ATOMIC_READ, p, n / 8, __builtin_return_address(0));                                           \
    return *p;                                                                                            \
  }                                                                                                       \
  void __tsan_atomic##n##_store(volatile type *p, type v, int o) {                                      \
    (void)o;                                                                                              \
    point(ATOMIC_WRITE, p, n / 8, __builtin_return_address(0));                                          \
    *p = v;                                                                                               \
  }                                                                                                       \
  type __tsan_atomic##n##_exchange(volatile type *p, type v, int o) {                                   \
    (void)o;                                                                                              \
    point(ATOMIC_WRITE, p, n / 8, __builtin_return_address(0));                                          \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                       \
  type __tsan_atomic##n##_compare_exchange_val(volatile type *p, type e, type v, int o, int f) {        \
    (void)o, (void)f;                                                                                     \
    point(ATOMIC_WRITE, p, n / 8, __builtin_return_address(0));                                          \
    __atomic_compare_exchange_n(p, &e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                        \
    return e;                                                                                             \
  }                                                                                                       \
  CHANGE(n, type, fetch_add) CHANGE(n, type, fetch_sub) CHANGE(n, type, fetch_and)                        \
  CHANGE(n, type, fetch_or) CHANGE(n, type, fetch_xor) CHANGE(n, type, fetch_nand)                        \
  COMPARE(n, type, strong, 0) COMPARE(n, type, weak, 1)
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int o) { (void)o; }
void __tsan_atomic_signal_fence(int o) { (void)o; }

/* Undefined behaviour that is a failure, and some that is assumed away */

#define FAULTY(end, name) \
  void __ubsan_handle_##name() { finish(end, (uintptr_t)__builtin_return_address(0) - 1, 0); }
#define ASSUMED_AWAY(name) \
  void __ubsan_handle_##name() { finish(ASSUMED, (uintptr_t)__builtin_return_address(0) - 1, 0); }
FAULTY(MEMORY, out_of_bounds) FAULTY(MEMORY, out_of_bounds_abort) FAULTY(FAULT, divrem_overflow) FAULTY(FAULT, divrem_overflow_abort)
ASSUMED_AWAY(add_overflow) ASSUMED_AWAY(sub_overflow) ASSUMED_AWAY(mul_overflow) ASSUMED_AWAY(negate_overflow)
ASSUMED_AWAY(add_overflow_abort) ASSUMED_AWAY(sub_overflow_abort) ASSUMED_AWAY(mul_overflow_abort)
ASSUMED_AWAY(negate_overflow_abort)

/* Handlers, and data of which each thread has its own */

void seriatim_push(void (*function)(void *), void *argument) {
  if (self->handler_count == MAX_HANDLERS) finish(CUT, 0, 0);
  self->handlers[self->handler_count].function = function;
  self->handlers[self->handler_count++].argument = argument;
}
void seriatim_pop(int is_wanted) {
  if (self->handler_count == 0) finish(ASSUMED, self->place, 0);
  self->handler_count--;
  if (is_wanted) self->handlers[self->handler_count].function(self->handlers[self->handler_count].argument);
}

int __wrap_pthread_key_create(pthread_key_t *to, void (*destructor)(void *)) {
  HERE;
  if (key_count == MAX_KEYS) finish(CUT, 0, 0);
  destructors[key_count] = destructor;
  *to = (pthread_key_t)key_count++;
  return 0;
}
int __wrap_pthread_key_delete(pthread_key_t key) { (void)key; HERE; return 0; }
void *__wrap_pthread_getspecific(pthread_key_t key) { return self->own[key]; }
int __wrap_pthread_setspecific(pthread_key_t key, const void *value) { self->own[key] = (void *)value; return 0; }

/* Threads */

static void end_thread(void *result) {
  struct thread *mine = self;
  for (int i = 0; i < key_count; i++) {
    void *old = mine->own[i];
    mine->own[i] = NULL;
    if (old && destructors[i]) destructors[i](old);
  }
  mine->result = result, mine->is_done = 1, mine->pending = NOTHING;
  if (depth) depth = 0;
  wake(mine);
  struct thread *next = choose();
  for (int i = 0; next == NULL && i < 100; i++) next = choose();
  if (next == NULL) {
    int left = 0;
    for (int i = 0; i < thread_count; i++) left += !threads[i].is_done;
    finish(left ? HANG : ENDED, mine->place, 0);
  }
  __real_sem_post(&next->go);
  for (;;) pause();
}

static void *begin(void *given) {
  struct thread *mine = given;
  while (__real_sem_wait(&mine->go) != 0) {}
  self = mine;
  end_thread(mine->start(mine->argument));
  return NULL;
}

static struct thread *make_thread(void) {
  if (thread_count == MAX_THREADS) finish(CUT, 0, 0);
  struct thread *made = &threads[thread_count];
  __real_sem_init(&made->go, 0, 0);
  made->priority = 1 + (int)chance(1000);
  return made;
}

int __wrap_pthread_create(pthread_t *to, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  HERE;
  struct thread *made = make_thread();
  made->start = start, made->argument = argument;
  if (attributes) pthread_attr_getdetachstate(attributes, &made->is_detached);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK);
  if (__real_pthread_create(&made->real, &small, begin, made) != 0) finish(CUT, 0, 0);
  pthread_attr_destroy(&small);
  *to = made->real;
  made->place = self->place;
  thread_count++;
  return 0;
}

int __wrap_pthread_join(pthread_t which, void **to) {
  HERE;
  for (int i = 0; i < thread_count; i++)
    if (i != 0 && pthread_equal(threads[i].real, which)) {
      if (threads[i].is_joined) finish(ASSUMED, self->place, 0);
      while (!threads[i].is_done) wait_for(&threads[i], 0);
      threads[i].is_joined = 1;
      if (to) *to = threads[i].result;
      return 0;
    }
  finish(ASSUMED, self->place, 0);
  return ESRCH;
}

void __wrap_pthread_exit(void *result) {
  HERE;
  while (self->handler_count) seriatim_pop(1);
  end_thread(result);
}
int __wrap_pthread_detach(pthread_t which) { (void)which; return 0; }
int __wrap_sched_yield(void) { HERE; return 0; }
int __wrap_pthread_yield(void) { HERE; return 0; }
unsigned __wrap_sleep(unsigned time) { (void)time; HERE; return 0; }
int __wrap_usleep(unsigned time) { (void)time; HERE; return 0; }
int __wrap_nanosleep(const void *time, void *left) { (void)time, (void)left; HERE; return 0; }

/* Locks */

static int try_lock(const volatile void *lock) {
  struct object *found = object(lock);
  if (found->is_locked || found->readers) return EBUSY;
  found->is_locked = 1, found->owner = (int)(self - threads);
  return 0;
}

static int lock(const volatile void *which, int can_give_up) {
  while (try_lock(which) != 0)
    if (!wait_for((const void *)which, can_give_up)) return ETIMEDOUT;
  return 0;
}

static int unlock(const volatile void *which) {
  struct object *found = object(which);
  if (found->readers > 0) found->readers--;
  else if (found->is_locked && found->owner == (int)(self - threads)) found->is_locked = 0;
  else finish(ASSUMED, self->place, 0);
  wake((const void *)which);
  return 0;
}

/* Mutexes have types: recursive ones count, and others notice who holds them. */

static int type_of(const pthread_mutex_t *l) { return l->__data.__kind & 3; }
static int is_mine(const pthread_mutex_t *l) {
  struct object *found = object(l);
  return found->is_locked && found->owner == (int)(self - threads);
}
static int lock_mutex(pthread_mutex_t *l, int may_wait, int can_give_up) {
  if (is_mine(l) && type_of(l) == PTHREAD_MUTEX_RECURSIVE) return object(l)->value++, 0;
  if (is_mine(l) && may_wait && type_of(l) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  return may_wait ? lock(l, can_give_up) : try_lock(l);
}
static int unlock_mutex(pthread_mutex_t *l) {
  int type = type_of(l);
  if (!is_mine(l) && (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)) return EPERM;
  if (is_mine(l) && object(l)->value > 0) return object(l)->value--, 0;
  return unlock(l);
}
static int forget(const volatile void *which) { fresh(which); return 0; }
int __wrap_pthread_mutex_destroy(pthread_mutex_t *l) { HERE; return forget(l); }
int __wrap_pthread_spin_destroy(pthread_spinlock_t *l) { HERE; return forget(l); }
int __wrap_pthread_rwlock_destroy(pthread_rwlock_t *l) { HERE; return forget(l); }
int __wrap_pthread_mutex_unlock(pthread_mutex_t *l) { HERE; return unlock_mutex(l); }
int __wrap_pthread_spin_unlock(pthread_spinlock_t *l) { HERE; return unlock(l); }
int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *l) { HERE; return unlock(l); }
int __wrap_pthread_mutex_init(pthread_mutex_t *l, const pthread_mutexattr_t *a) {
  HERE;
  int type = PTHREAD_MUTEX_DEFAULT;
  if (a) pthread_mutexattr_gettype(a, &type);
  l->__data.__kind = type;
  return forget(l);
}
int __wrap_pthread_spin_init(pthread_spinlock_t *l, int s) { (void)s; HERE; fresh(l); return 0; }
int __wrap_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) { (void)a; HERE; return forget(l); }
int __wrap_pthread_mutex_lock(pthread_mutex_t *l) { HERE; return lock_mutex(l, 1, 0); }
int __wrap_pthread_spin_lock(pthread_spinlock_t *l) { HERE; return lock(l, 0); }
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *l) { HERE; return lock(l, 0); }
int __wrap_pthread_mutex_trylock(pthread_mutex_t *l) { HERE; return lock_mutex(l, 0, 0); }
int __wrap_pthread_spin_trylock(pthread_spinlock_t *l) { HERE; return try_lock(l); }
int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t *l) { HERE; return try_lock(l); }
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *l, const void *t) { (void)t; HERE; return lock_mutex(l, 1, 1); }
int __wrap_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const void *t) { (void)t; HERE; return lock(l, 1); }

static int try_read(pthread_rwlock_t *l) {
  struct object *found = object(l);
  if (found->is_locked) return EBUSY;
  found->readers++;
  return 0;
}
static int read_lock(pthread_rwlock_t *l, int can_give_up) {
  while (try_read(l) != 0)
    if (!wait_for(l, can_give_up)) return ETIMEDOUT;
  return 0;
}
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *l) { HERE; return read_lock(l, 0); }
int __wrap_pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { HERE; return try_read(l); }
int __wrap_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const void *t) { (void)t; HERE; return read_lock(l, 1); }

/* Conditions: threads that wait have numbers, and a signal lets one of them go on. */

int __wrap_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) { (void)a; HERE; fresh(c); return 0; }
int __wrap_pthread_cond_destroy(pthread_cond_t *c) { (void)c; HERE; return 0; }
static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, int can_give_up) {
  unlock_mutex(m);
  int was_woken = wait_for(c, can_give_up || (mode == 0 && chance(8) == 0));
  lock(m, 0);
  return can_give_up && !was_woken ? ETIMEDOUT : 0;
}
int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { HERE; return cond_wait(c, m, 0); }
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const void *t) {
  (void)t;
  HERE;
  return cond_wait(c, m, 1);
}
int __wrap_pthread_cond_signal(pthread_cond_t *c) {
  HERE;
  int first = (int)chance(thread_count);
  for (int i = 0; i < thread_count; i++) {
    struct thread *one = &threads[(first + i) % thread_count];
    if (one->waits_for == c) {
      one->waits_for = NULL;
      break;
    }
  }
  return 0;
}
int __wrap_pthread_cond_broadcast(pthread_cond_t *c) { HERE; wake(c); return 0; }

int __wrap_pthread_barrier_init(pthread_barrier_t *b, const void *a, unsigned count) {
  (void)a;
  HERE;
  fresh(b)->value = count;
  return 0;
}
int __wrap_pthread_barrier_destroy(pthread_barrier_t *b) { (void)b; HERE; return 0; }
int __wrap_pthread_barrier_wait(pthread_barrier_t *b) {
  HERE;
  struct object *found = object(b);
  if (++found->waiting >= found->value) {
    found->waiting = 0, found->generation++;
    wake(b);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  for (long generation = found->generation; generation == found->generation;) wait_for(b, 0);
  return 0;
}

int __wrap_sem_init(sem_t *s, int p, unsigned value) { (void)p; HERE; fresh(s)->value = value; return 0; }
int __wrap_sem_destroy(sem_t *s) { (void)s; HERE; return 0; }
int __wrap_sem_post(sem_t *s) { HERE; object(s)->value++; wake(s); return 0; }
int __wrap_sem_getvalue(sem_t *s, int *to) { HERE; *to = (int)object(s)->value; return 0; }
static int take(sem_t *s, int can_give_up) {
  while (object(s)->value == 0)
    if (!wait_for(s, can_give_up)) return errno = ETIMEDOUT, -1;
  object(s)->value--;
  return 0;
}
int __wrap_sem_wait(sem_t *s) { HERE; return take(s, 0); }
int __wrap_sem_timedwait(sem_t *s, const void *t) { (void)t; HERE; return take(s, 1); }
int __wrap_sem_trywait(sem_t *s) {
  HERE;
  if (object(s)->value == 0) return errno = EAGAIN, -1;
  object(s)->value--;
  return 0;
}

int __wrap_pthread_once(pthread_once_t *o, void (*function)(void)) {
  HERE;
  struct object *found = object(o);
  while (found->value == 1) wait_for(o, 0);
  if (found->value == 0) {
    found->value = 1;
    function();
    object(o)->value = 2;
    wake(o);
  }
  return 0;
}

/* Threads of C11 are the same under other names. */

int __wrap_thrd_create(pthread_t *to, int (*start)(void *), void *argument) {
  return __wrap_pthread_create(to, NULL, (void *(*)(void *))start, argument);
}
int __wrap_thrd_join(pthread_t which, int *to) {
  void *result;
  __wrap_pthread_join(which, &result);
  if (to) *to = (int)(intptr_t)result;
  return 0;
}
void __wrap_thrd_exit(int result) { __wrap_pthread_exit((void *)(intptr_t)result); }
int __wrap_thrd_detach(pthread_t which) { return __wrap_pthread_detach(which); }
void __wrap_thrd_yield(void) { HERE; }
int __wrap_thrd_sleep(const void *time, void *left) { return __wrap_nanosleep(time, left); }
int __wrap_mtx_init(pthread_mutex_t *l, int type) {
  HERE;
  l->__data.__kind = type & 1 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_DEFAULT;
  return forget(l);
}
void __wrap_mtx_destroy(pthread_mutex_t *l) { HERE; forget(l); }
int __wrap_mtx_lock(pthread_mutex_t *l) { HERE; return lock_mutex(l, 1, 0); }
int __wrap_mtx_unlock(pthread_mutex_t *l) { HERE; return unlock_mutex(l); }
int __wrap_mtx_trylock(pthread_mutex_t *l) { HERE; return lock_mutex(l, 0, 0) ? 1 : 0; }
int __wrap_mtx_timedlock(pthread_mutex_t *l, const void *t) { (void)t; HERE; return lock_mutex(l, 1, 1) ? 4 : 0; }
int __wrap_cnd_init(pthread_cond_t *c) { HERE; fresh(c); return 0; }
void __wrap_cnd_destroy(pthread_cond_t *c) { (void)c; HERE; }
int __wrap_cnd_wait(pthread_cond_t *c, pthread_mutex_t *m) { return __wrap_pthread_cond_wait(c, m); }
int __wrap_cnd_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const void *t) {
  return __wrap_pthread_cond_timedwait(c, m, t) ? 4 : 0;
}
int __wrap_cnd_signal(pthread_cond_t *c) { return __wrap_pthread_cond_signal(c); }
int __wrap_cnd_broadcast(pthread_cond_t *c) { return __wrap_pthread_cond_broadcast(c); }
void __wrap_call_once(pthread_once_t *o, void (*function)(void)) { __wrap_pthread_once(o, function); }
int __wrap_tss_create(pthread_key_t *to, void (*d)(void *)) { return __wrap_pthread_key_create(to, d); }
void __wrap_tss_delete(pthread_key_t key) { __wrap_pthread_key_delete(key); }
void *__wrap_tss_get(pthread_key_t key) { return __wrap_pthread_getspecific(key); }
int __wrap_tss_set(pthread_key_t key, void *value) { return __wrap_pthread_setspecific(key, value); }

/* Memory is never given out twice, so that what was freed is known. */

static void *allocate(size_t size) {
  size_t whole = (size + 31) / 16 * 16;
  if (block_count == MAX_BLOCKS || arena_used + whole > ARENA) finish(CUT, 0, 0);
  struct block *made = &blocks[block_count++];
  made->begin = (uintptr_t)arena + arena_used, made->size = size;
  arena_used += whole;
  return (void *)made->begin;
}
void *__wrap_malloc(size_t size) {
  void *made = allocate(size);
  for (size_t i = 0; i < size; i++) ((unsigned char *)made)[i] = (unsigned char)chance(256);
  return made;
}
void *__wrap_calloc(size_t count, size_t size) { return memset(allocate(count * size), 0, count * size); }
void __wrap_free(void *pointer) {
  HERE;
  if (pointer == NULL) return;
  for (int i = 0; i < block_count; i++)
    if (blocks[i].begin == (uintptr_t)pointer && !blocks[i].is_freed) {
      blocks[i].is_freed = 1;
      return;
    }
  finish(MEMORY, self->place, 0);
}

/* Ends */

void __wrap___assert_fail(const char *e, const char *f, unsigned l, const char *n) {
  (void)e, (void)f, (void)l, (void)n;
  finish(FAILED, (uintptr_t)__builtin_return_address(0) - 1, 0);
}
#define FAILS(name) \
  __attribute__((weak)) void name() { finish(FAILED, (uintptr_t)__builtin_return_address(0) - 1, 0); }
FAILS(reach_error) FAILS(__VERIFIER_error)
void __wrap_abort(void) { finish(ENDED, self ? self->place : 0, 0); }
void __wrap_exit(int status) { (void)status; HERE; finish(ENDED, self ? self->place : 0, 0); }
void __wrap__exit(int status) { (void)status; finish(ENDED, self ? self->place : 0, 0); }

/* What verifiers know */

__attribute__((weak)) void __VERIFIER_assume(int holds) { if (!holds) finish(ASSUMED, 0, 0); }
__attribute__((weak)) void __VERIFIER_assert(int holds) { if (!holds) finish(FAILED, self->place, 0); }
__attribute__((weak)) void __VERIFIER_atomic_begin(void) { HERE; depth++; }
__attribute__((weak)) void __VERIFIER_atomic_end(void) { if (depth) depth--; }

#define ALIAS(name, parameters, other) __attribute__((weak, alias(#other))) void name parameters;
ALIAS(__CPROVER_assume, (int), __VERIFIER_assume) ALIAS(__ESBMC_assume, (int), __VERIFIER_assume)
ALIAS(__CPROVER_assert, (int), __VERIFIER_assert) ALIAS(__ESBMC_assert, (int), __VERIFIER_assert)
ALIAS(__CPROVER_atomic_begin, (void), __VERIFIER_atomic_begin)
ALIAS(__CPROVER_atomic_end, (void), __VERIFIER_atomic_end)
ALIAS(__goblint_assume, (int), __VERIFIER_assume) ALIAS(__goblint_check, (int), __VERIFIER_assert)
ALIAS(__goblint_assert, (int), __VERIFIER_assert)
ALIAS(__ESBMC_atomic_begin, (void), __VERIFIER_atomic_begin)
ALIAS(__ESBMC_atomic_end, (void), __VERIFIER_atomic_end)
__attribute__((weak)) void __ESBMC_yield(void) { HERE; }

static int is_atomic(void *function) {
  for (void **each = seriatim_atomic; *each; each++)
    if (*each == function) return 1;
  return 0;
}
void __cyg_profile_func_enter(void *function, void *from) {
  if (self && is_atomic(function)) {
    point(NOTHING, NULL, 0, from);
    depth++;
  }
}
void __cyg_profile_func_exit(void *function, void *from) {
  (void)from;
  if (self && depth && is_atomic(function)) depth--;
}

static long value(void) {
  switch (chance(4)) {
  case 0: return (long)chance(2);
  case 1: return (long)random_state;
  case 2: return (long)chance(16) - 4;
  default: return value_count ? values[chance(value_count)] + (long)chance(3) - 1 : 0;
  }
}
#define ANY(name, type) \
  __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return (type)value(); }                   \
  __attribute__((weak)) type nondet_##name(void) { return (type)value(); }
ANY(int, int) ANY(uint, unsigned) ANY(unsigned, unsigned) ANY(unsigned_int, unsigned) ANY(u32, unsigned)
ANY(char, char) ANY(uchar, unsigned char) ANY(short, short) ANY(ushort, unsigned short) ANY(long, long)
ANY(ulong, unsigned long) ANY(longlong, long long) ANY(ulonglong, unsigned long long) ANY(size_t, size_t)
ANY(bool, _Bool) ANY(_Bool, _Bool) ANY(loff_t, long) ANY(u8, unsigned char) ANY(u16, unsigned short)
ANY(pthread_t, pthread_t) ANY(pointer, void *)
int __wrap_rand(void) { return (int)(value() & 0x7fffffff); }
long __wrap_random(void) { return value() & 0x7fffffff; }

/* Runs */

static void read_files(char **arguments) {
  FILE *file = fopen(arguments[4], "r");
  unsigned long place;
  int line;
  while (file && line_count < MAX_LINES && fscanf(file, "%lx %d", &place, &line) == 2)
    line_places[line_count] = place, line_numbers[line_count++] = line;
  if (file) fclose(file);
  file = fopen(arguments[5], "r");
  while (file && value_count < MAX_VALUES && fscanf(file, "%ld", &values[value_count]) == 1) value_count++;
  if (file) fclose(file);
  file = arguments[6] ? fopen(arguments[6], "r") : NULL;
  while (file && plan_count < MAX_PLAN && fscanf(file, "%d %d", &plan_threads[plan_count], &plan_lines[plan_count]) == 2)
    plan_count++;
  if (file) fclose(file);
}

static void at_signal(int number) {
  enum end end = number == SIGALRM || number == SIGXCPU ? CUT : number == SIGFPE ? FAULT : MEMORY;
  finish(end, self ? self->place : 0, 0);
}

/* The program may compute, and nothing else: no writes, no other programs, no connections. */
static void build_walls(void) {
  struct { uint64_t files, connections; } rights = {0, 0};
  long version = syscall(444, NULL, 0, 1); /* Landlock, where the system has it. */
  if (version >= 1) {
    rights.files = ((1ull << (version == 1 ? 13 : version == 2 ? 14 : 15)) - 1) & ~12ull;
    rights.connections = version >= 4 ? 3 : 0;
    long rules = syscall(444, &rights, version >= 4 ? sizeof rights : 8, 0);
    if (rules >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) syscall(446, rules, 0);
  }
  unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

static void run_once(unsigned seed) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_FSIZE, &none);
  static char stack[1 << 16];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = at_signal, .sa_flags = SA_ONSTACK};
  sigaltstack(&other, NULL);
  int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGXCPU};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
  alarm(2);
  random_state = 0x9e3779b97f4a7c15u * (seed + 1);
  for (int i = 0; i < 10; i++) chance(2);
  mode = (int)(seed % 5);
  if (seed % 4 == 3) plan_count = 0; /* Some runs follow no plan. */
  for (int i = 0; i < 3; i++) change_points[i] = 1 + (int)chance((unsigned)shared->latest_steps + 10);
  plan_left = -1;
  arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  struct thread *main_thread = make_thread();
  thread_count = 1;
  main_thread->real = pthread_self();
  self = main_thread;
  char *arguments[] = {"program", NULL}, *environment[] = {NULL};
  int status = __real_main(1, arguments, environment);
  (void)status;
  HERE;
  finish(ENDED, self->place, 0);
}

int __wrap_main(int count, char **arguments) {
  if (count < 6) return 2;
  long runs = atol(arguments[1]), seconds = atol(arguments[2]);
  const char *stops = arguments[3];
  looks_for_races = strstr(stops, NAMES[RACE]) != NULL;
  struct rlimit none = {0, 0}, cpu = {(rlim_t)seconds + 5, (rlim_t)seconds + 5}, memory = {1 << 30, 1 << 30};
  setrlimit(RLIMIT_CORE, &none), setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_AS, &memory);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  read_files(arguments);
  build_walls();
  time_t began = time(NULL);
  for (unsigned seed = 0; seed < (unsigned)runs; seed++) {
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    if (used.ru_utime.tv_sec + used.ru_stime.tv_sec >= seconds || time(NULL) - began > 5 * seconds) break;
    shared->is_set = 0;
    pid_t child = fork();
    if (child < 0) break;
    if (child == 0) run_once(seed);
    int status;
    waitpid(child, &status, 0);
    enum end end = shared->is_set ? shared->last : FAULT;
    shared->latest_steps = shared->steps;
    struct found *found = &shared->ends[end];
    if (found->count++ == 0) found->place = shared->place, found->other = shared->other;
    if (strstr(stops, NAMES[end])) break;
  }
  for (int i = 0; i < ENDS; i++)
    if (shared->ends[i].count)
      printf("%s %ld %lx %lx\n", NAMES[i], shared->ends[i].count, (unsigned long)shared->ends[i].place, (unsigned long)shared->ends[i].other);
  return 0;
}
