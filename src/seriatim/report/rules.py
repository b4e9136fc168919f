"""What each kind of finding means and what to do about it: the help of a rule in reports for machines."""

from seriatim.properties.all import QUESTIONS
from seriatim.properties.property import in_words
from seriatim.report.explain import explain

UNDECIDED = "undecided"

_HELP = {
    "not-serializable": (
        "Requests that overlap can get answers that no one-at-a-time order of the same requests gives. The "
        "code flows show such a run: where one request pauses, another one changes what the first has "
        "read. Remedies: do the reading and the writing without a pause between, hold a lock around both, "
        "or compare and retry. `ser fix` proposes changes that are proved."
    ),
    "not-conflict-serializable": (
        "Every one-at-a-time order would exchange two steps that conflict: both use a variable, and one of "
        "them writes it. The answers alone may still be explicable. Remedies: a lock around all accesses "
        "that belong together, or the weaker question `serializable` if only answers matter."
    ),
    "not-strictly-serializable": (
        "The answers could come from a one-at-a-time order, but only from one in which a request comes "
        "after another that began when the first had already ended. Somebody has seen an old value. "
        "Remedy: let a request take effect before it answers; do not answer from copies."
    ),
    "not-linearizable": (
        "Some answers contradict the specification, whatever moment between its begin and its end each "
        "request takes effect. Remedy: make each operation take effect in one step, or correct the "
        "specification."
    ),
    "not-static-linearizable": (
        "With the marked points in the code as the moments at which requests take effect, the answers "
        "contradict the specification. Other points may do: ask `linearizable`, or move the marks."
    ),
    "unsafe": (
        "A step fails in some run: an assertion that does not hold, a value outside its range, an index "
        "outside its array, or a division by 0. The code flows lead to it; the last step of the run is the "
        "one that fails. If it needs other threads or requests in between, protect what they share."
    ),
    "not-deadlock-free": (
        "A run reaches a state in which someone waits for ever: for a lock that is never released, for a "
        "condition that nobody makes true any more. Remedies: take locks in one order everywhere, release "
        "them on every path, and signal after each change that others wait for."
    ),
    "not-race-free": (
        "Two threads can access the same variable at the same time, and one of them writes; in C, the "
        "behaviour of the program is then undefined. Remedies: hold the same lock around both accesses, or "
        "make the variable atomic."
    ),
    "not-memory-safe": (
        "Memory is used before it is there, after it is gone, or outside its bounds. Remedy: let threads "
        "that use an object end (join them) before it is freed or goes out of scope."
    ),
    "broken": (
        "A run of the asynchronous program breaks an assertion, or ends where `ensures` does not hold. The "
        "run says in which order the actions were executed, and for which size."
    ),
    "inexplicable": (
        "No one-at-a-time order of the requests in this log gives the answers that it contains, so the "
        "system that wrote it does not behave like its model. The message names the smallest set of "
        "entries that contradict each other, and the related locations are their lines."
    ),
    "not-isolated": (
        "The transactions in this log contradict the isolation level that was asked for. The message names "
        "the anomaly and argues from the reads and writes of the entries at the related locations. Either "
        "the database promises less than expected, or it breaks its promise."
    ),
}

_UNDECIDED_HELP = (
    "A limit was reached before there was a verdict: this is neither a proof nor a finding. Give it more "
    "with `--timeout` or `--max-memory`, narrow ranges of variables, or look at the obstacle that the "
    "message names."
)

_TITLES = {
    "unsafe": "A step fails",
    "not-deadlock-free": "Someone waits for ever",
    "not-race-free": "Two threads race for a variable",
    "not-memory-safe": "Memory is used that is not there",
    "broken": "A run breaks what the program promises",
}
"""The titles of rules that are not about handlers alone."""

VIOLATIONS = {
    asked.verdicts[1].replace("_", "-"): f"{asked.subject} are {in_words(asked.verdicts[1])}".capitalize()
    for asked in QUESTIONS.values()
} | _TITLES
"""The rules about violations, each with its title."""


def rule_help(rule: str) -> tuple[str, str]:
    """The title of a rule, and its help: what it means, and what to do."""
    if rule in VIOLATIONS:
        return VIOLATIONS[rule], _HELP[rule]
    if rule == UNDECIDED:
        return "Undecided", _UNDECIDED_HELP
    title, _, text = (explain(rule) or "").partition("\n")
    return title.partition(": ")[2], text.strip()
