"""What the headers of the standard library and of pthreads declare, as far as it is known.

Headers are not read. Their types are declared here, their functions are known by name, and their constants
have values that do not depend on what a program includes.
"""

STUBS = (
    "typedef unsigned long pthread_t; typedef int pthread_mutex_t; typedef int pthread_cond_t; "
    "typedef int pthread_spinlock_t; typedef int sem_t; typedef int pthread_rwlock_t; "
    "typedef int pthread_barrier_t; typedef int pthread_once_t; "
    "typedef int pthread_attr_t; typedef int pthread_mutexattr_t; typedef int pthread_condattr_t; "
    "typedef int pthread_rwlockattr_t; typedef int pthread_barrierattr_t; "
    "typedef unsigned long size_t; typedef long ssize_t; typedef long ptrdiff_t; typedef long time_t; "
    "typedef _Bool bool; typedef int FILE; typedef int __builtin_va_list; typedef unsigned char uint8_t; "
    "typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t; "
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t; "
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
    "typedef int memory_order;"
)
"""Types; a program may declare them itself."""

CONSTANTS = {
    "NULL": "0",
    "true": "1",
    "false": "0",
    "EBUSY": "16",
    "EAGAIN": "11",
    "EINVAL": "22",
    "ETIMEDOUT": "110",
    "EXIT_SUCCESS": "0",
    "EXIT_FAILURE": "1",
    "PTHREAD_BARRIER_SERIAL_THREAD": "-1",
    "PTHREAD_PROCESS_PRIVATE": "0",
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
#define __linux__ 1
#define __unix__ 1
#define __x86_64__ 1
#define __LP64__ 1
#define __GNUC__ 10
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
#define __builtin_expect(value, expected) (value)
"""
"""For systems like 64-bit Linux; words that change nothing here are replaced by nothing."""

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
    )
)
"""Attributes of functions and variables that do not change what a program computes."""

MODES = {"QI": "char", "HI": "short", "SI": "int", "DI": "long", "word": "long"}
"""Widths that an attribute gives to the type `int`."""
