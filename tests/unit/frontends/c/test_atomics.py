"""Atomic operations of C11 and of gcc: one step each, with the values that they return; weak orders."""

from dataclasses import replace

import pytest

from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import InputError, SourceText
from unit.frontends.c.test_c import edges, verdict

DECLARATIONS = ("_Atomic int x;", "_Atomic(int) x;", "atomic_int x;", "typedef _Atomic int a; a x;")

WORKERS = "int main() { pthread_t a, b; pthread_create(&a, 0, w, 0); pthread_create(&b, 0, w, 0);\n\
 pthread_join(a, 0); pthread_join(b, 0); "


@pytest.mark.parametrize(
    "change",
    [
        "x++;",
        "++x;",
        "x += 1;",
        "x = x + 1;",
        "atomic_fetch_add(&x, 1);",
        "atomic_fetch_add_explicit(&x, 1, memory_order_seq_cst);",
        "__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);",
        "__atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST);",
        "__sync_fetch_and_add(&x, 1);",
        "__sync_add_and_fetch(&x, 1);",
        "atomic_fetch_sub(&x, -1);",
        "int o = atomic_load(&x); while (!atomic_compare_exchange_strong(&x, &o, o + 1)) { }",
        "int o = x; while (!atomic_compare_exchange_weak(&x, &o, o + 1)) { }",
        "int o; do { o = x; } while (!__sync_bool_compare_and_swap(&x, o, o + 1));",
        "int o; do { o = x; } while (__sync_val_compare_and_swap(&x, o, o + 1) != o);",
        "int o = x; while (!__atomic_compare_exchange_n(&x, &o, o + 1, 0, 5, 5)) { }",
    ],
)
def test_two_increments_count_if_they_are_one_step(change: str) -> None:
    text = f"_Atomic int x;\nvoid *w(void *u) {{ {change} return 0; }}\n{WORKERS} assert(x == 2); }}"
    expected = "line 4" if change == "x = x + 1;" else "safe"
    assert verdict(text) == expected


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_what_is_declared_atomic_changes_in_one_step(declaration: str) -> None:
    assert edges("x++;", declaration) == ["$before := x; x := $before + 1;"]
    assert edges("_Atomic int *p = &x; (*p)++;", declaration)[-1].endswith("$before := x; x := $before + 1;")


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        ("int o = atomic_exchange(&x, 7);", "o == 3 && x == 7"),
        ("int o = __sync_lock_test_and_set(&x, 7);", "o == 3 && x == 7"),
        ("__sync_lock_release(&x);", "x == 0"),
        ("int o = __atomic_sub_fetch(&x, 1, 5);", "o == 2 && x == 2"),
        ("int o = __sync_fetch_and_or(&x, 4);", "o == 3 && x == 7"),
        ("int o = atomic_fetch_and(&x, 2);", "o == 3 && x == 2"),
        ("int o = atomic_fetch_xor(&x, 1);", "o == 3 && x == 2"),
        ("int e = 4; int o = atomic_compare_exchange_strong(&x, &e, 9);", "!o && e == 3 && x == 3"),
        ("int e = 3; int o = atomic_compare_exchange_strong(&x, &e, 9);", "o && e == 3 && x == 9"),
        ("int n = 8, o; __atomic_exchange(&x, &n, &o, 5);", "o == 3 && x == 8"),
        ("int n = 8; __atomic_store(&x, &n, 5);", "x == 8"),
        ("int o; __atomic_load(&x, &o, 5);", "o == 3"),
        ("int o = atomic_flag_test_and_set(&f);", "!o && atomic_flag_test_and_set(&f)"),
        ("atomic_flag_test_and_set(&f); atomic_flag_clear(&f);", "!atomic_flag_test_and_set(&f)"),
        ("atomic_store(&x, 300); atomic_thread_fence(memory_order_seq_cst);", "x == 300"),
        ("unsigned char o = atomic_fetch_add(&u, 10);", "o == 250 && u == 4"),
    ],
)
def test_values_of_atomic_operations(body: str, holds: str) -> None:
    before = "_Atomic int x = 3; _Atomic unsigned char u = 250; atomic_flag f = ATOMIC_FLAG_INIT;"
    assert verdict(f"{before}\nint main() {{ {body} assert({holds}); }}") == "safe"


def test_the_weak_form_may_fail_for_no_reason() -> None:
    text = "_Atomic int x;\nint main() {{ int e = 0;\n assert(atomic_compare_exchange_{}(&x, &e, 1)); }}"
    assert verdict(text.format("strong")) == "safe"
    assert verdict(text.format("weak")) == "line 3"


@pytest.mark.parametrize(
    ("call", "order"),
    [
        ("atomic_load_explicit(&x, memory_order_relaxed)", "memory_order_relaxed"),
        ("atomic_store_explicit(&x, 1, memory_order_release)", "memory_order_release"),
        ("__atomic_fetch_add(&x, 1, __ATOMIC_ACQUIRE)", "__ATOMIC_ACQUIRE"),
        ("__atomic_load_n(&x, 0)", "memory_order_relaxed"),
        ("atomic_thread_fence(memory_order_acquire)", "memory_order_acquire"),
    ],
)
def test_weaker_orders_are_violated_but_nothing_is_proved(call: str, order: str) -> None:
    text = f"_Atomic int x; int y; int main() {{ {call}; assert(y == 0); }}"
    program = read_c_threads(SourceText("t.c", text))
    assert program.weak_order == f"the memory order `{order}` in line 1"
    answer = decide_threads(program, Options(timeout=30.0)).answer
    assert isinstance(answer, Undecided)
    assert order in answer.reason
    strong = replace(program, weak_order="")
    proof = decide_threads(strong, Options(timeout=30.0)).answer
    assert isinstance(proof, Holds)
    assert verify(proof.certificate, strong).accepted
    assert not verify(proof.certificate, program).accepted
    wrong = read_c_threads(SourceText("t.c", text.replace("y == 0", "y == 1")))
    assert isinstance(decide_threads(wrong, Options(timeout=30.0)).answer, Violated)


def test_atomic_structures_are_refused() -> None:
    with pytest.raises(InputError, match="an atomic structure"):
        read_c_threads(SourceText("t.c", "struct s { int a; }; _Atomic struct s x;\nint main() { }"))


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize(
    "call",
    [
        "atomic_flag_test_and_set(&f@)",
        "__atomic_test_and_set(&c@, 5)",
        "__sync_lock_test_and_set(&x@, 1)",
        "atomic_exchange(p@, 1)",
        "__sync_bool_compare_and_swap(&x@, 0, 2)",
        "atomic_compare_exchange_strong(p@, &e@, 2)",
        "__atomic_compare_exchange_n(&x@, &e@, 2, 0, 5, 5)",
    ],
)
def test_a_condition_is_decided_as_the_value_says(call: str, first: int) -> None:
    """A branch at an operation is one step; testing its value is another way to the same state."""
    start = "_Atomic int x@ = N, y@ = N; _Atomic _Bool f@ = N; _Atomic char c@ = N;".replace("N", str(first))
    both = "int main() { int k = rand();" + "".join(
        f"int r{n} = 0, e{n} = 1; _Atomic int *p{n} = &x{n}; if (k) p{n} = &y{n};" for n in (1, 2)
    )
    branch, value = (call.replace("@", n) for n in "12")
    body = f"if ({branch}) r1 = 1; int v = {value}; r2 = v != 0;\n"
    same = " && ".join(f"{each}1 == {each}2" for each in ("r", "e", "x", "y", "f", "c"))
    text = f"{start.replace('@', '1')}\n{start.replace('@', '2')}\n{both} {body} assert({same}); }}"
    assert verdict(text) == "safe"


@pytest.mark.parametrize(
    "acquire",
    [
        "while (atomic_flag_test_and_set(&f)) { }",
        "while (__sync_lock_test_and_set(&x, 1)) sched_yield();",
        "while (!__sync_bool_compare_and_swap(&x, 0, 1)) { }",
        "int e = 0; while (!atomic_compare_exchange_weak(&x, &e, 1)) e = 0;",
        "int e; do { e = 0; } while (!atomic_compare_exchange_strong(&x, &e, 1));",
    ],
)
def test_a_spin_lock_protects_for_any_number_of_threads(acquire: str) -> None:
    release = "atomic_flag_clear(&f); x = 0;"
    text = (
        f"atomic_flag f; atomic_int x; int n;\nvoid *w(void *u) {{ {acquire}\n n++; assert(n == 1); n--;\n"
        f" {release} return 0; }}\nint main() {{ pthread_t t; while (1) pthread_create(&t, 0, w, 0); }}"
    )
    read = read_c_threads(SourceText("t.c", text))
    assert isinstance(decide_threads(read, Options(timeout=60.0)).answer, Holds)
