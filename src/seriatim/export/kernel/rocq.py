"""A claim as a file for Rocq: it states the verdict about the input, and proves it by computation."""

from seriatim.export.kernel.claim import Claim, Proved

HEAD = """\
(* The claim of a certificate, and its proof by computation. `p` or `s` is the input; `text` is the evidence.
   What the theorem means is in Semantics.v, and in Program.v or System.v; Observe.v has final values,
   Time.v real time. *)
From Coq Require Import List ZArith NArith.
From Seriatim Require Import Semantics Time Observe System Program Never Kernel Reader.
Import ListNotations.
Open Scope Z_scope.
"""

PROGRAM = """\
Definition p : program := Eval vm_compute in
  match option_map subject (read text) with
  | Some (InputProgram p | SeenProgram p _ | TimedProgram p _) => p
  | _ => {| globals := []; locals := 0; handlers := [] |}
  end.
"""

SYSTEM = """\
Definition s : system := Eval vm_compute in
  match option_map subject (read text) with
  | Some (InputSystem s | SeenSystem s | TimedSystem s _) => s
  | _ => {| initial := 0%N; requests := []; responses := []; delta := [] |}
  end.
"""

NUMBERS_A_LINE = 30

VERDICTS = {
    Proved.SERIALIZABLE: "Serializable",
    Proved.NOT_SERIALIZABLE: "NotSerializable",
    Proved.NEVER_FAILS: "NeverFails",
    Proved.FAILS: "Fails",
}
"""What the proofs call them."""


def rocq_file(claims: tuple[Claim, ...]) -> str:
    """A theorem for each claim."""
    if len(claims) == 1:
        return HEAD + theorem(claims[0])
    parts = (f"\nModule Claim{n}.\n{theorem(claim)}End Claim{n}.\n" for n, claim in enumerate(claims, 1))
    return HEAD + "".join(parts)


def observed(places: tuple[int, ...]) -> str:
    """Which globals are seen; the computation has to find the same ones in the text."""
    return f"Definition xs : list nat := [{'; '.join(map(str, places))}]%nat.\n"


def theorem(claim: Claim) -> str:
    starts = range(0, len(claim.numbers), NUMBERS_A_LINE)
    lines = ("; ".join(map(str, claim.numbers[start : start + NUMBERS_A_LINE])) for start in starts)
    text = "Definition text : list Z :=\n  [" + ";\n   ".join(lines) + "].\n"
    given, subject = (PROGRAM, "InputProgram p") if claim.is_program else (SYSTEM, "InputSystem s")
    if claim.is_seen:
        given = PROGRAM + observed(claim.seen or ()) if claim.is_program else SYSTEM
        subject = "SeenProgram p xs" if claim.is_program else "SeenSystem s"
    if claim.barriers is not None:
        subject = (
            f"TimedProgram p {claim.barriers}" if claim.is_program else f"TimedSystem s {claim.barriers}"
        )
    verdict = VERDICTS[claim.proved]
    return (
        f"\n{text}\n{given}\n"
        f"Theorem verdict : {claim.statement}.\n"
        f"Proof.\n"
        f"  apply (judged_sound text ({subject}) {verdict}).\n"
        f"  vm_cast_no_check (eq_refl (Some ({subject}, {verdict}))).\n"
        f"Qed.\n"
        f"Print Assumptions verdict.\n"
    )
