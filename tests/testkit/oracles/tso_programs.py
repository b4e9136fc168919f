"""Small programs on a machine with store buffers: random ones, their texts in C, and what they can read, by
brute force over the operations of the machine."""

from random import Random

Operation = tuple[str, str, int]
"""What is done, to which variable, with which number."""
Threads = tuple[tuple[Operation, ...], ...]
Outcome = tuple[tuple[int, ...], ...]
"""For each thread, what its reads gave, in order."""

Memory = tuple[tuple[str, int], ...]
Buffer = tuple[tuple[str, int], ...]
State = tuple[int, Buffer, tuple[int, ...]]
"""Of a thread: where it is, what waits in its buffer, and what it has read."""

PLAIN = ("x", "y")
ATOMIC = ("a", "b")
TEXTS = {
    "write": "{0} = {1};",
    "weak": "atomic_store_explicit(&{0}, {1}, memory_order_release);",
    "strong": "atomic_store(&{0}, {1});",
    "implied": "{0} = {1};",
    "add": "atomic_fetch_add_explicit(&{0}, {1}, memory_order_relaxed);",
    "fence": "atomic_thread_fence(memory_order_seq_cst);",
    "lock": "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
}
"""Of operations that read nothing; `implied` writes an atomic variable as if it were an ordinary one."""
READING = {"read": "{0}", "load": "atomic_load_explicit(&{0}, memory_order_acquire)", "strong load": "{0}"}
BUFFERED = ("write", "weak")


def random_program(seed: int) -> Threads:
    random = Random(seed)
    return tuple(
        tuple(_operation(random) for _ in range(random.randint(2, 4))) for _ in range(random.randint(2, 2))
    )


def _operation(random: Random) -> Operation:
    kind = random.choices(
        ("write", "read", "weak", "strong", "implied", "add", "fence", "lock", "load", "strong load"),
        (8, 8, 3, 1, 1, 1, 1, 1, 3, 1),
    )[0]
    return kind, random.choice(PLAIN if kind in ("write", "read") else ATOMIC), random.randint(1, 2)


def outcomes(threads: Threads) -> frozenset[Outcome]:
    """What threads can read, by all interleavings of their operations and of entries that reach memory."""
    memory: Memory = tuple((name, 0) for name in (*PLAIN, *ATOMIC))
    start: tuple[Memory, tuple[State, ...]] = (memory, tuple((0, (), ()) for _ in threads))
    seen, pending = {start}, [start]
    found: set[Outcome] = set()
    while pending:
        memory, states = pending.pop()
        if all(place == len(thread) for (place, _, _), thread in zip(states, threads, strict=True)):
            found.add(tuple(taken for _, _, taken in states))
        for number, (place, buffer, taken) in enumerate(states):
            following: list[tuple[Memory, State]] = []
            if buffer:
                (name, value), *rest = buffer
                following.append((stored(memory, name, value), (place, tuple(rest), taken)))
            if place < len(threads[number]):
                following += step(memory, threads[number][place], place, buffer, taken)
            for after, state in following:
                new = (after, (*states[:number], state, *states[number + 1 :]))
                if new not in seen:
                    seen.add(new)
                    pending.append(new)
    return frozenset(found)


def step(
    memory: Memory, operation: Operation, place: int, buffer: Buffer, taken: tuple[int, ...]
) -> list[tuple[Memory, State]]:
    """What an operation comes to, if it can be done now."""
    kind, name, number = operation
    if kind in READING:
        own = [value for each, value in buffer if each == name]
        return [(memory, (place + 1, buffer, (*taken, own[-1] if own else dict(memory)[name])))]
    if kind in BUFFERED:
        return [(memory, (place + 1, (*buffer, (name, number)), taken))]
    if buffer:
        return []
    if kind in ("fence", "lock"):
        return [(memory, (place + 1, buffer, taken))]
    value = number + (dict(memory)[name] if kind == "add" else 0)
    return [(stored(memory, name, value), (place + 1, buffer, taken))]


def stored(memory: Memory, name: str, value: int) -> Memory:
    return tuple((each, value if each == name else old) for each, old in memory)


def c_text(threads: Threads, forbidden: Outcome) -> str:
    """A program that fails if and only if its reads give this outcome."""
    text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n"
    text += "int x, y; atomic_int a, b; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    for number, (thread, wanted) in enumerate(zip(threads, forbidden, strict=True)):
        text += f"int met{number};\nvoid *t{number}(void *p) {{ int met = 1;\n"
        left = list(wanted)
        for kind, name, value in thread:
            if kind in READING:
                text += f"  if ({READING[kind].format(name)} != {left.pop(0)}) met = 0;\n"
            else:
                text += f"  {TEXTS[kind].format(name, value)}\n"
        text += f"  __sync_synchronize(); met{number} = met; return 0; }}\n"
    ids = range(len(threads))
    text += f"int main() {{ pthread_t t[{len(threads)}];\n"
    text += "".join(f"  pthread_create(&t[{number}], 0, t{number}, 0);\n" for number in ids)
    text += "".join(f"  pthread_join(t[{number}], 0);\n" for number in ids)
    return text + f"  assert(!({' && '.join(f'met{number}' for number in ids)})); }}\n"
