(** * The kernel: a claim about an input, with its evidence, and what an accepted claim means *)
From Coq Require Import List Bool NArith ZArith.
From Seriatim Require Import Semantics Lists Exec Cover Commit Run Tree Observe System Program Uses Never Reduction.
Import ListNotations.

Inductive verdict := Serializable | NotSerializable | NeverFails | Fails | Refused.

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
  match v with
  | Serializable => serializable N
  | NotSerializable => ~ serializable N
  | NeverFails | Fails => False
  | Refused => True
  end.

Theorem check_sound {G L Q R} {N : ns G L Q R} (X : exec N) e : right_about N (check X e).
Proof.
  destruct e as [e|e|e]; simpl.
  - destruct (check_commit X e) eqn:E; simpl; auto. exact (commit_sound X e E).
  - destruct (check_run X e) eqn:E; simpl; auto. exact (run_sound X e E).
  - destruct (check_tree X e) eqn:E; simpl; auto. exact (tree_sound X e E).
Qed.

(** The same about outcomes with what is seen of the final global state. *)
Definition right_about_seen {G L Q R O} (N : ns G L Q R) (seen : G -> O) (v : verdict) : Prop :=
  match v with
  | Serializable => serializable_seen N seen
  | NotSerializable => ~ serializable_seen N seen
  | NeverFails | Fails => False
  | Refused => True
  end.

Lemma seen_right {G L Q R O} (N : ns G L Q R) (seen : G -> O) v :
  right_about (observe N seen) v -> right_about_seen N seen v.
Proof. destruct v; simpl; rewrite ?observed_iff; auto. Qed.

(** ** Inputs, and what is asked about them *)

(** The values of some globals. *)
Definition values_of (xs : list nat) (g : list Z) : list Z := map (fun x => get x g) xs.

Inductive input :=
| InputSystem (s : system)                       (** the answers *)
| InputProgram (p : program)
| SeenSystem (s : system)                        (** and the final global state *)
| SeenProgram (p : program) (xs : list nat).     (** and the final values of these globals *)

(** The verdict is true of the input. *)
Definition true_of (i : input) (v : verdict) : Prop :=
  match i with
  | InputSystem s => right_about (system_ns s) v
  | InputProgram p => match v with
                      | NeverFails => never_fails p
                      | Fails => ~ never_fails p
                      | _ => right_about (program_ns p) v
                      end
  | SeenSystem s => right_about_seen (system_ns s) (fun g => g) v
  | SeenProgram p xs => right_about_seen (program_ns p) (values_of xs) v
  end.

(** ** Claims *)

Inductive claim :=
| AboutSystem (s : system) (e : evidence N N N N)
| AboutProgram (p : program) (step_fuel : nat) (e : evidence (list Z) (expr * list Z) nat Z)
| WithoutYield (p : program)
| WithoutFaults (p : program) (step_fuel : nat) (c : cover (list Z) (expr * list Z) nat unit)
| WithFault (p : program) (step_fuel : nat) (e : fault_run)
| AboutSeenSystem (s : system) (e : evidence (N * bool) (N + option N) (option N) (N + N))
| AboutSeenProgram (p : program) (xs : list nat) (step_fuel : nat)
    (e : evidence (list Z * bool) (expr * list Z + option (list Z)) (option nat) (Z + list Z))
| SeenWithoutYield (p : program) (xs : list nat)
| WithMovers (p : program) (step_fuel : nat) (e : reduction_evidence)
| SeenWithMovers (p : program) (xs : list nat) (step_fuel : nat) (e : reduction_evidence).

Definition subject (c : claim) : input :=
  match c with
  | AboutSystem s _ => InputSystem s
  | AboutProgram p _ _ | WithoutYield p | WithMovers p _ _ | WithoutFaults p _ _ | WithFault p _ _ => InputProgram p
  | AboutSeenSystem s _ => SeenSystem s
  | AboutSeenProgram p xs _ _ | SeenWithoutYield p xs | SeenWithMovers p xs _ _ => SeenProgram p xs
  end.

Definition judge (c : claim) : verdict :=
  match c with
  | AboutSystem s e => check (exec_system s) e
  | AboutProgram p fuel e => check (exec_program fuel p) e
  | WithoutYield p | SeenWithoutYield p _ => if check_atomic p then Serializable else Refused
  | WithMovers p fuel e | SeenWithMovers p _ fuel e => if check_reduction fuel p e then Serializable else Refused
  | WithoutFaults p fuel c => if check_never_fails fuel p c then NeverFails else Refused
  | WithFault p fuel e => if check_fails fuel p e then Fails else Refused
  | AboutSeenSystem s e => check (exec_observe (exec_system s) (fun g => g) N.eqb N_decides) e
  | AboutSeenProgram p xs fuel e =>
    check (exec_observe (exec_program fuel p) (values_of xs) eqb_store store_decides) e
  end.

Theorem judge_sound c : true_of (subject c) (judge c).
Proof.
  destruct c as [s e|p fuel e|p|p fuel c|p fuel e|s e|p xs fuel e|p xs|p fuel e|p xs fuel e]; simpl.
  - apply check_sound.
  - pose proof (check_sound (exec_program fuel p) e) as H. destruct (check _ e); auto; destruct H.
  - destruct (check_atomic p) eqn:E; simpl; auto. now apply check_atomic_sound.
  - destruct (check_never_fails fuel p c) eqn:E; simpl; auto. exact (never_fails_sound fuel p c E).
  - destruct (check_fails fuel p e) eqn:E; simpl; auto. exact (fails_sound fuel p e E).
  - apply seen_right, check_sound.
  - apply seen_right, check_sound.
  - destruct (check_atomic p) eqn:E; simpl; auto. now apply check_atomic_seen.
  - destruct (check_reduction fuel p e) eqn:E; simpl; auto. exact (reduction_sound fuel p e E).
  - destruct (check_reduction fuel p e) eqn:E; simpl; auto. exact (reduction_seen fuel p e (values_of xs) E).
Qed.
