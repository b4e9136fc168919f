(** * The kernel: a claim about an input, with its evidence, and what an accepted claim means *)
From Coq Require Import List Bool NArith ZArith.
From Seriatim Require Import Semantics Time Lists Exec Cover Commit Run Tree Timeless Observe System Program Uses Never
  Reduction.
Import ListNotations.

Inductive verdict := Serializable | NotSerializable | NeverFails | Fails | Refused.

(** ** Any executable system *)

Inductive evidence {G L Q R : Type} :=
| ByCommit (e : commit_evidence G L Q R)
| ByRun (e : run_evidence G L Q R)
| ByTree (e : tree_evidence G L Q R)
| ByTimeless (e : evidence) (t : timeless_evidence G L Q R).
Arguments evidence : clear implicits.

(** What a verdict about serializability of some kind says. *)
Definition right_about (holds : Prop) (v : verdict) : Prop :=
  match v with
  | Serializable => holds
  | NotSerializable => ~ holds
  | NeverFails | Fails => False
  | Refused => True
  end.
Lemma right_iff A B v : (A <-> B) -> right_about A v -> right_about B v.
Proof. destruct v; simpl; tauto. Qed.

(** With up to K barriers of time. Trees count answers, and nothing else; what they prove may be sorted by time. *)
Fixpoint check {G L Q R} {N : ns G L Q R} (K : nat) (X : exec N) (e : evidence G L Q R) : verdict :=
  match e with
  | ByCommit e => if check_commit X e then Serializable else Refused
  | ByRun e => if check_run X e K then NotSerializable else Refused
  | ByTree e => match K with O => if check_tree X e then Serializable else Refused | S _ => Refused end
  | ByTimeless e t =>
    match check 0 X e with Serializable => if check_timeless X t then Serializable else Refused | _ => Refused end
  end.

Theorem check_sound {G L Q R} {N : ns G L Q R} (X : exec N) e :
  forall K, right_about (strictly_serializable K N) (check K X e).
Proof.
  induction e as [e|e|e|e IH t]; intro K; simpl.
  - destruct (check_commit X e) eqn:E; simpl; auto. exact (commit_sound X e E K).
  - destruct (check_run X e K) eqn:E; simpl; auto. exact (run_sound X e K E).
  - destruct K as [|K]; [|exact I]. destruct (check_tree X e) eqn:E; simpl; auto.
    apply strictly_without_barriers. exact (tree_sound X e E).
  - specialize (IH O). destruct (check O X e); simpl; auto. destruct (check_timeless X t) eqn:E; simpl; auto.
    apply (timeless_sound X t E). now apply strictly_without_barriers.
Qed.
Theorem check_untimed {G L Q R} {N : ns G L Q R} (X : exec N) e : right_about (serializable N) (check 0 X e).
Proof. exact (right_iff _ _ _ (strictly_without_barriers N) (check_sound X e 0)). Qed.
Theorem check_seen {G L Q R O} {N : ns G L Q R} (seen : G -> O) (X : exec (observe N seen)) e :
  right_about (serializable_seen N seen) (check 0 X e).
Proof. exact (right_iff _ _ _ (observed_iff N seen) (check_untimed X e)). Qed.

(** ** Inputs, and what is asked about them *)

(** The values of some globals. *)
Definition values_of (xs : list nat) (g : list Z) : list Z := map (fun x => get x g) xs.

Inductive input :=
| InputSystem (s : system)                       (** the answers *)
| InputProgram (p : program)
| SeenSystem (s : system)                        (** and the final global state *)
| SeenProgram (p : program) (xs : list nat)      (** and the final values of these globals *)
| TimedSystem (s : system) (K : nat)             (** and up to K barriers of time *)
| TimedProgram (p : program) (K : nat).

(** The verdict is true of the input. *)
Definition true_of (i : input) (v : verdict) : Prop :=
  match i with
  | InputSystem s => right_about (serializable (system_ns s)) v
  | InputProgram p => match v with
                      | NeverFails => never_fails p
                      | Fails => ~ never_fails p
                      | _ => right_about (serializable (program_ns p)) v
                      end
  | SeenSystem s => right_about (serializable_seen (system_ns s) (fun g => g)) v
  | SeenProgram p xs => right_about (serializable_seen (program_ns p) (values_of xs)) v
  | TimedSystem s K => right_about (strictly_serializable K (system_ns s)) v
  | TimedProgram p K => right_about (strictly_serializable K (program_ns p)) v
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
| SeenWithMovers (p : program) (xs : list nat) (step_fuel : nat) (e : reduction_evidence)
| AboutTimedSystem (s : system) (K : nat) (e : evidence N N N N)
| AboutTimedProgram (p : program) (K : nat) (step_fuel : nat) (e : evidence (list Z) (expr * list Z) nat Z)
| TimedWithoutYield (p : program) (K : nat)
| TimedWithMovers (p : program) (K : nat) (step_fuel : nat) (e : reduction_evidence).

Definition subject (c : claim) : input :=
  match c with
  | AboutSystem s _ => InputSystem s
  | AboutProgram p _ _ | WithoutYield p | WithMovers p _ _ | WithoutFaults p _ _ | WithFault p _ _ => InputProgram p
  | AboutSeenSystem s _ => SeenSystem s
  | AboutSeenProgram p xs _ _ | SeenWithoutYield p xs | SeenWithMovers p xs _ _ => SeenProgram p xs
  | AboutTimedSystem s K _ => TimedSystem s K
  | AboutTimedProgram p K _ _ | TimedWithoutYield p K | TimedWithMovers p K _ _ => TimedProgram p K
  end.

Definition judge (c : claim) : verdict :=
  match c with
  | AboutSystem s e => check 0 (exec_system s) e
  | AboutProgram p fuel e => check 0 (exec_program fuel p) e
  | AboutTimedSystem s K e => check K (exec_system s) e
  | AboutTimedProgram p K fuel e => check K (exec_program fuel p) e
  | WithoutYield p | SeenWithoutYield p _ | TimedWithoutYield p _ => if check_atomic p then Serializable else Refused
  | WithMovers p fuel e | SeenWithMovers p _ fuel e | TimedWithMovers p _ fuel e =>
    if check_reduction fuel p e then Serializable else Refused
  | WithoutFaults p fuel c => if check_never_fails fuel p c then NeverFails else Refused
  | WithFault p fuel e => if check_fails fuel p e then Fails else Refused
  | AboutSeenSystem s e => check 0 (exec_observe (exec_system s) (fun g => g) N.eqb N_decides) e
  | AboutSeenProgram p xs fuel e =>
    check 0 (exec_observe (exec_program fuel p) (values_of xs) eqb_store store_decides) e
  end.

Theorem judge_sound c : true_of (subject c) (judge c).
Proof.
  destruct c as [s e|p fuel e|p|p fuel c|p fuel e|s e|p xs fuel e|p xs|p fuel e|p xs fuel e|s K e|p K fuel e|p K
                |p K fuel e]; simpl.
  - apply check_untimed.
  - pose proof (check_untimed (exec_program fuel p) e) as H. destruct (check _ _ e); auto; destruct H.
  - destruct (check_atomic p) eqn:E; simpl; auto. apply strictly_without_barriers. now apply check_atomic_sound.
  - destruct (check_never_fails fuel p c) eqn:E; simpl; auto. exact (never_fails_sound fuel p c E).
  - destruct (check_fails fuel p e) eqn:E; simpl; auto. exact (fails_sound fuel p e E).
  - apply check_seen.
  - apply check_seen.
  - destruct (check_atomic p) eqn:E; simpl; auto. now apply check_atomic_seen.
  - destruct (check_reduction fuel p e) eqn:E; simpl; auto. apply strictly_without_barriers.
    exact (reduction_sound fuel p e E 0).
  - destruct (check_reduction fuel p e) eqn:E; simpl; auto. exact (reduction_seen fuel p e (values_of xs) E).
  - apply check_sound.
  - apply check_sound.
  - destruct (check_atomic p) eqn:E; simpl; auto. now apply check_atomic_sound.
  - destruct (check_reduction fuel p e) eqn:E; simpl; auto. exact (reduction_sound fuel p e E K).
Qed.
