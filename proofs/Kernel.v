(** * The kernel: a claim about an input, with its evidence, and what an accepted claim means *)
From Coq Require Import List Bool NArith ZArith.
From Seriatim Require Import Semantics Lists Exec Cover Commit Run Tree System Program.
Import ListNotations.

Inductive verdict := Serializable | NotSerializable | Refused.

(** ** Any executable system *)

Inductive evidence {G L Q R : Type} :=
| ByCommit (e : commit_evidence G L Q R)
| ByRun (e : run_evidence G L Q R)
| ByTree (e : tree_evidence G L Q R).
Arguments evidence : clear implicits.

Definition check {G L Q R} {N : ns G L Q R} (X : exec N) (e : evidence G L Q R) : verdict :=
  match e with
  | ByCommit e => if check_commit X e then Serializable else Refused
  | ByRun e => if check_run X e then NotSerializable else Refused
  | ByTree e => if check_tree X e then Serializable else Refused
  end.

Definition right_about {G L Q R} (N : ns G L Q R) (v : verdict) : Prop :=
  match v with Serializable => serializable N | NotSerializable => ~ serializable N | Refused => True end.

Theorem check_sound {G L Q R} {N : ns G L Q R} (X : exec N) e : right_about N (check X e).
Proof.
  destruct e as [e|e|e]; simpl.
  - destruct (check_commit X e) eqn:E; simpl; auto. exact (commit_sound X e E).
  - destruct (check_run X e) eqn:E; simpl; auto. exact (run_sound X e E).
  - destruct (check_tree X e) eqn:E; simpl; auto. exact (tree_sound X e E).
Qed.

(** ** Inputs *)

Inductive input := InputSystem (s : system) | InputProgram (p : program).

(** The verdict is true of the input. *)
Definition true_of (i : input) (v : verdict) : Prop :=
  match i with
  | InputSystem s => right_about (system_ns s) v
  | InputProgram p => right_about (program_ns p) v
  end.

Inductive claim :=
| AboutSystem (s : system) (e : evidence N N N N)
| AboutProgram (p : program) (step_fuel : nat) (e : evidence (list Z) (expr * list Z) nat Z)
| WithoutYield (p : program).

Definition subject (c : claim) : input :=
  match c with AboutSystem s _ => InputSystem s | AboutProgram p _ _ | WithoutYield p => InputProgram p end.

Definition judge (c : claim) : verdict :=
  match c with
  | AboutSystem s e => check (exec_system s) e
  | AboutProgram p fuel e => check (exec_program fuel p) e
  | WithoutYield p => if check_atomic p then Serializable else Refused
  end.

Theorem judge_sound c : true_of (subject c) (judge c).
Proof.
  destruct c as [s e|p fuel e|p]; simpl; try apply check_sound.
  destruct (check_atomic p) eqn:E; simpl; auto. now apply check_atomic_sound.
Qed.
