"""What the headers of the standard library and of pthreads declare, as far as it is known.

Headers are not read. Their types are declared here, their functions are known by name, and their constants
have values that do not depend on what a program includes.
"""

STUBS = (
    "typedef unsigned long pthread_t; typedef int pthread_mutex_t; typedef int pthread_cond_t; "
    "typedef unsigned int pthread_key_t; typedef int pthread_spinlock_t; typedef int sem_t; "
    "typedef int pthread_rwlock_t; "
    "typedef int pthread_barrier_t; typedef int pthread_once_t; "
    "typedef int pthread_attr_t; typedef int pthread_mutexattr_t; typedef int pthread_condattr_t; "
    "typedef long pthread_rwlockattr_t; typedef int pthread_barrierattr_t; "
    "typedef unsigned long size_t; typedef long ssize_t; typedef long ptrdiff_t; typedef long time_t; "
    "typedef _Bool bool; typedef int FILE; typedef int __builtin_va_list; typedef unsigned char uint8_t; "
    "typedef int va_list; typedef long sigset_t; "
    "typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t; "
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t; "
    "typedef int pid_t; typedef unsigned int useconds_t; typedef long suseconds_t; typedef long off_t; "
    "typedef long clock_t; typedef int clockid_t; typedef unsigned int mode_t; typedef int wchar_t; "
    "typedef unsigned int uid_t; typedef unsigned int gid_t; typedef unsigned char u_int8_t; "
    "typedef unsigned short u_int16_t; typedef unsigned int u_int32_t; typedef unsigned long u_int64_t; "
    "typedef long intptr_t; typedef unsigned long uintptr_t; typedef long intmax_t; "
    "typedef unsigned long uintmax_t; typedef unsigned int uint; typedef unsigned long ulong; "
    "typedef struct { long tv_sec; long tv_nsec; } __seriatim_timespec; "
    "typedef _Atomic(_Bool) atomic_bool; typedef _Atomic(char) atomic_char; "
    "typedef _Atomic(int) atomic_int; typedef _Atomic(unsigned int) atomic_uint; "
    "typedef _Atomic(short) atomic_short; typedef _Atomic(unsigned short) atomic_ushort; "
    "typedef _Atomic(long) atomic_long; typedef _Atomic(unsigned long) atomic_ulong; "
    "typedef _Atomic(long long) atomic_llong; typedef _Atomic(unsigned long long) atomic_ullong; "
    "typedef _Atomic(unsigned long) atomic_size_t; typedef _Atomic(long) atomic_intptr_t; "
    "typedef _Atomic(unsigned long) atomic_uintptr_t; typedef _Atomic(_Bool) atomic_flag; "
    "typedef int memory_order; typedef pthread_t thrd_t; typedef pthread_mutex_t mtx_t; "
    "typedef pthread_cond_t cnd_t; typedef pthread_once_t once_flag; typedef pthread_key_t tss_t; "
    "typedef int (*thrd_start_t)(void *); typedef void (*tss_dtor_t)(void *);"
)
"""Types; a program may declare them itself."""

ERRORS = {
    "EPERM": 1,
    "ENOENT": 2,
    "ESRCH": 3,
    "EINTR": 4,
    "EIO": 5,
    "EBADF": 9,
    "ECHILD": 10,
    "EAGAIN": 11,
    "EWOULDBLOCK": 11,
    "ENOMEM": 12,
    "EACCES": 13,
    "EFAULT": 14,
    "EBUSY": 16,
    "EEXIST": 17,
    "ENODEV": 19,
    "EINVAL": 22,
    "ENFILE": 23,
    "EMFILE": 24,
    "ENOSPC": 28,
    "EPIPE": 32,
    "EDOM": 33,
    "ERANGE": 34,
    "EDEADLK": 35,
    "ENOSYS": 38,
    "EOVERFLOW": 75,
    "ENOTSUP": 95,
    "ETIMEDOUT": 110,
    "ECANCELED": 125,
    "EOWNERDEAD": 130,
}
"""Numbers of errors on Linux."""

CONSTANTS = {
    "NULL": "0",
    "true": "1",
    "false": "0",
    **{name: str(number) for name, number in ERRORS.items()},
    "EXIT_SUCCESS": "0",
    "EXIT_FAILURE": "1",
    "PTHREAD_BARRIER_SERIAL_THREAD": "-1",
    "PTHREAD_PROCESS_PRIVATE": "0",
    "PTHREAD_PROCESS_SHARED": "1",
    "PTHREAD_CREATE_JOINABLE": "0",
    "PTHREAD_CREATE_DETACHED": "1",
    "PTHREAD_MUTEX_NORMAL": "0",
    "PTHREAD_MUTEX_DEFAULT": "0",
    "PTHREAD_MUTEX_TIMED_NP": "0",
    "PTHREAD_MUTEX_RECURSIVE": "1",
    "PTHREAD_MUTEX_RECURSIVE_NP": "1",
    "PTHREAD_MUTEX_ERRORCHECK": "2",
    "PTHREAD_MUTEX_ERRORCHECK_NP": "2",
    "thrd_success": "0",
    "thrd_busy": "1",
    "thrd_error": "2",
    "thrd_nomem": "3",
    "thrd_timedout": "4",
    "mtx_plain": "0",
    "mtx_recursive": "1",
    "mtx_timed": "2",
    "TIME_UTC": "1",
    "CLOCK_REALTIME": "0",
    "CLOCK_MONOTONIC": "1",
    "SEM_VALUE_MAX": "2147483647",
    "STDIN_FILENO": "0",
    "STDOUT_FILENO": "1",
    "STDERR_FILENO": "2",
    "RAND_MAX": "2147483647",
    "BUFSIZ": "8192",
    "EOF": "-1",
    "CHAR_BIT": "8",
    "SCHAR_MIN": "-128",
    "SCHAR_MAX": "127",
    "UCHAR_MAX": "255",
    "CHAR_MIN": "-128",
    "CHAR_MAX": "127",
    "SHRT_MIN": "-32768",
    "SHRT_MAX": "32767",
    "USHRT_MAX": "65535",
    "INT_MIN": "-2147483648",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295u",
    "LONG_MIN": "-9223372036854775808",
    "LONG_MAX": "9223372036854775807",
    "ULONG_MAX": "18446744073709551615u",
    "LLONG_MIN": "-9223372036854775808",
    "LLONG_MAX": "9223372036854775807ll",
    "ULLONG_MAX": "18446744073709551615ull",
    "INT8_MIN": "-128",
    "INT16_MIN": "-32768",
    "INT32_MIN": "-2147483648",
    "INT64_MIN": "-9223372036854775808",
    "PTRDIFF_MAX": "9223372036854775807",
    "INTPTR_MAX": "9223372036854775807",
    "SSIZE_MAX": "9223372036854775807",
    "INT8_MAX": "127",
    "INT16_MAX": "32767",
    "INT32_MAX": "2147483647",
    "INT64_MAX": "9223372036854775807",
    "UINT8_MAX": "255",
    "UINT16_MAX": "65535",
    "UINT32_MAX": "4294967295u",
    "UINT64_MAX": "18446744073709551615u",
    "SIZE_MAX": "18446744073709551615u",
    "memory_order_relaxed": "0",
    "memory_order_consume": "1",
    "memory_order_acquire": "2",
    "memory_order_release": "3",
    "memory_order_acq_rel": "4",
    "memory_order_seq_cst": "5",
    "__ATOMIC_RELAXED": "0",
    "__ATOMIC_CONSUME": "1",
    "__ATOMIC_ACQUIRE": "2",
    "__ATOMIC_RELEASE": "3",
    "__ATOMIC_ACQ_REL": "4",
    "__ATOMIC_SEQ_CST": "5",
}
"""Names that mean this where a program does not declare them."""

PREDEFINED = """#define __STDC__ 1
#define __STDC_VERSION__ 201710L
#define __STDC_HOSTED__ 1
#define __linux__ 1
#define __linux 1
#define linux 1
#define __gnu_linux__ 1
#define __unix__ 1
#define __unix 1
#define unix 1
#define __ELF__ 1
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __amd64 1
#define __LP64__ 1
#define _LP64 1
#define __GNUC__ __GNUC__
#define __alignof__ _Alignof
#define __alignof _Alignof
#define __CHAR_BIT__ 8
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZEOF_PTRDIFF_T__ 8
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __LONG_LONG_MAX__ 9223372036854775807LL
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __extension__
#define __inline__
#define __inline
#define inline
#define __restrict__
#define __restrict
#define restrict
#define _Noreturn
#define noreturn
#define __const const
#define __signed__ signed
#define __volatile__ volatile
#define __volatile volatile
#define __asm __asm__
#define asm __asm__
#define __thread _Thread_local
#define thread_local _Thread_local
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define __builtin_expect(value, expected) ((long)(value))
"""
"""For systems like 64-bit Linux; words that change nothing here are replaced by nothing."""

ABSENT = frozenset(
    (
        *("__cplusplus", "__OBJC__", "__ASSEMBLER__", "__clang__", "__INTEL_COMPILER", "_MSC_VER"),
        *("_WIN32", "_WIN64", "__MINGW32__", "__CYGWIN__", "__APPLE__", "__MACH__", "__FreeBSD__"),
        *("__NetBSD__", "__OpenBSD__", "__DragonFly__", "__sun", "__ANDROID__", "_AIX", "__hpux"),
        *("__i386__", "__i386", "__arm__", "__aarch64__", "__powerpc__", "__powerpc64__", "__riscv"),
        *("__mips__", "__s390__", "__sparc__", "__ILP32__", "_ILP32", "__STDC_NO_ATOMICS__"),
        *("__STDC_NO_THREADS__", "_GNU_SOURCE", "__CPROVER", "__CPROVER__", "__ESBMC", "__SANITIZE_THREAD__"),
        *("__SANITIZE_ADDRESS__", "__OPTIMIZE__", "__FRAMAC__"),
    )
)
"""Reserved names that a compiler for 64-bit Linux does not define by itself."""

HOMES = {
    "stdbool.h": frozenset(("true", "false")),
    "errno.h": frozenset(ERRORS),
    "stdlib.h": frozenset(("EXIT_SUCCESS", "EXIT_FAILURE", "RAND_MAX", "NULL")),
    "stdio.h": frozenset(("EOF", "BUFSIZ", "NULL")),
    "stddef.h": frozenset(("NULL",)),
    "string.h": frozenset(("NULL",)),
    "time.h": frozenset(("NULL",)),
    "unistd.h": frozenset(("NULL",)),
    "pthread.h": frozenset(("NULL", "PTHREAD_BARRIER_SERIAL_THREAD")),
    "limits.h": frozenset(
        (
            *("CHAR_BIT", "SCHAR_MIN", "SCHAR_MAX", "UCHAR_MAX", "CHAR_MIN", "CHAR_MAX", "SHRT_MIN"),
            *("SHRT_MAX", "USHRT_MAX", "INT_MIN", "INT_MAX", "UINT_MAX", "LONG_MIN", "LONG_MAX", "ULONG_MAX"),
        )
    ),
    "stdint.h": frozenset(
        (
            *("INT8_MAX", "INT16_MAX", "INT32_MAX", "INT64_MAX", "UINT8_MAX", "UINT16_MAX", "UINT32_MAX"),
            *("UINT64_MAX", "SIZE_MAX"),
        )
    ),
}
"""The macros among `CONSTANTS` that a header defines for sure; others may define them as well."""

NEAR = frozenset(
    (
        *("assert.h", "ctype.h", "errno.h", "inttypes.h", "limits.h", "pthread.h", "sched.h", "semaphore.h"),
        *("stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"),
        *("time.h", "unistd.h", "sys/types.h"),
    )
)
"""Headers of the system, even if a program includes them like its own."""

HARMLESS = frozenset(
    (
        *("noreturn", "unused", "used", "aligned", "always_inline", "noinline", "pure", "const"),
        *("nothrow", "leaf", "nonnull", "format", "malloc", "warn_unused_result", "deprecated", "weak"),
        *("visibility", "gnu_inline", "artificial", "alloc_size", "hot", "cold", "flatten", "may_alias"),
        *("returns_twice", "sentinel", "no_instrument_function", "fallthrough", "error", "warning"),
        *("section", "regparm", "transparent_union", "nonstring", "alloc_align", "returns_nonnull"),
        *("access", "fd_arg", "null_terminated_string_arg", "tainted_args"),
    )
)
"""Attributes of functions and variables that do not change what a program computes."""

MODES = {"QI": "char", "HI": "short", "SI": "int", "DI": "long", "word": "long"}
"""Widths that an attribute gives to the type `int`."""
