(** * Nothing bad is ever reached: in no run, complete or not, of any number of requests *)
From Coq Require Import List Bool Permutation ZArith.
From Seriatim Require Import Semantics Lists Time Prompt Exec Cover Run Program.
Import ListNotations.

(** ** Any executable system *)

Section Never.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N) (bad : L -> G -> Prop) (good : L -> G -> bool).
Hypothesis good_ok : forall l g, good l g = true -> ~ bad l g.
Variable C : cover G L Q unit.
Notation flight := (Q * L)%type.
Let Y := exec_all X.

(** At every node of a cover, all who can be there and all who are fresh are good. *)
Definition good_node (n : node G L Q unit) : bool :=
  if all (fun f => good (snd f) (place n)) (fresh_list X)
  then all (fun e => good (snd (fst e)) (place n)) (inside n) else false.
Definition anything_goes (_ : node G L Q unit) (_ : option flight) (_ : flight + Q * R)
  (_ : node G L Q unit) : bool := true.
Definition check_never : bool :=
  if check_cover Y C nobody_dead anything_goes then all good_node (nodes C) else false.

Lemma holds_along c w d : check_cover Y C nobody_dead anything_goes = true ->
  prompt_run N (skips Y) (stays Y) nobody_dead c w d ->
  forall n, In n (nodes C) -> place n = fst c -> holds Y C n (snd c) ->
  exists n', In n' (nodes C) /\ place n' = fst d /\ holds Y C n' (snd d).
Proof.
  intros OK. induction 1 as [c|g a f b t h w d Hs Ha _ IH]; intros n Hn Hg H; [exists n; auto|]. simpl in *.
  subst g.
  assert (HP : Permutation (a ++ listed f ++ b) (listed f ++ a ++ b)) by apply Permutation_app_swap_app.
  destruct (cover_step Y C nobody_dead anything_goes OK n f (a ++ b) t h Hn (holds_perm Y C n _ _ HP H) Hs Ha)
    as [(x & -> & -> & ->)|(n' & Hn' & Hp' & _ & _ & H')].
  - apply (IH n); auto.
  - apply (IH n'); auto. apply (holds_perm Y C n' (flights_of t ++ a ++ b)); auto. apply Permutation_app_swap_app.
Qed.

Theorem never_sound : check_never = true ->
  forall w g fs q l, run N (init N, []) w (g, fs) -> In (q, l) fs -> ~ bad l g.
Proof.
  intros H w g fs q l Hr Hin. unfold check_never in H. apply if_and in H as [OK Hgood]. rewrite all_forall in Hgood.
  destruct (prompt_by_runs N (skips Y) (stays Y) w g fs (skips_ok Y) (stays_ok N Y) (fun _ _ => I) Hr)
    as (v & here & Hp & Hhere).
  destruct (start_holds Y C nobody_dead anything_goes OK) as (n0 & ns & En & Hp0 & H0).
  destruct (holds_along _ _ _ OK Hp n0) as (n & Hn & Hpl & Hh); auto; [rewrite En; left; auto|].
  specialize (Hgood n Hn). unfold good_node in Hgood. apply if_and in Hgood as [Gf Gi].
  rewrite all_forall in Gf. rewrite all_forall in Gi. simpl in Hpl. subst g. apply good_ok.
  destruct (Hhere _ Hin) as [Hf|Hi].
  - apply (fresh_ok N X) in Hf. exact (Gf _ Hf).
  - pose proof (holds_inside _ _ _ _ Hh) as F. rewrite Forall_forall in F.
    destruct (contains_in Y n _ (F _ Hi)) as (bs & Hb). exact (Gi _ Hb).
Qed.
End Never.

(** ** Programs: no step fails *)

(** Whether the next small step of e would be a fault. *)
Fixpoint failing (e : expr) : bool :=
  let under e := if is_return e then false else failing e in
  match e with
  | Fault => true
  | Num _ | Choice | GetLocal _ | GetGlobal _ | While _ _ | Yield | Lock _ | Await _ | Choose _ _ => false
  | SetLocal _ e | SetGlobal _ e | Not e | Neg e | Return e => under e
  | GetCell _ e | Fit _ _ _ e | LockCell _ e | Assert e => under e
  | Bin _ (Num _) e | SetCell _ (Num _) e => under e
  | Bin _ e _ | And e _ | Or e _ | If e _ _ | Seq e _ | SetCell _ e _ => under e
  end.
(** A request with this much left to do can fail in its next atomic step. *)
Definition fails (l : expr * list Z) (g : list Z) : Prop :=
  exists k, star (fst l, snd l, g) k /\ failing (fst (fst k)) = true.

(** In no run, with any number of requests in flight, can the next step of a request fail. *)
Definition never_fails (p : program) : Prop :=
  forall w g fs q l, run (program_ns p) (init (program_ns p), []) w (g, fs) -> In (q, l) fs -> ~ fails l g.

Definition succeeds (fuel : nat) (l : expr * list Z) (g : list Z) : bool :=
  match reach fuel [(fst l, snd l, g)] [] with
  | Some res => all (fun k => negb (failing (fst (fst k)))) res
  | None => false
  end.
Lemma succeeds_ok fuel l g : succeeds fuel l g = true -> ~ fails l g.
Proof.
  unfold succeeds. destruct (reach fuel _ []) as [res|] eqn:E; [|discriminate]. rewrite all_forall.
  intros H (k & Hs & Hk).
  destruct (reach_complete fuel _ [] res (fun _ _ F => match F with end) E) as (_ & H2 & H3).
  assert (Hin : In k res).
  { assert (Hc : In (fst l, snd l, g) res) by (apply H2; left; auto). clear - Hs Hc H3. induction Hs; eauto. }
  apply H in Hin. rewrite Hk in Hin. discriminate.
Qed.

Definition check_never_fails (fuel : nat) (p : program) (C : cover (list Z) (expr * list Z) nat unit) : bool :=
  check_never (exec_program fuel p) (succeeds fuel) C.
Theorem never_fails_sound fuel p C : check_never_fails fuel p C = true -> never_fails p.
Proof. exact (never_sound (exec_program fuel p) fails (succeeds fuel) (succeeds_ok fuel) C). Qed.

(** ** Programs: some step fails, after a run *)

Definition can_fail (fuel : nat) (l : expr * list Z) (g : list Z) : bool :=
  match reach fuel [(fst l, snd l, g)] [] with
  | Some res => any (fun k => failing (fst (fst k))) res
  | None => false
  end.
Lemma can_fail_ok fuel l g : can_fail fuel l g = true -> fails l g.
Proof.
  unfold can_fail. destruct (reach fuel _ []) as [res|] eqn:E; [|discriminate]. rewrite any_exists.
  intros (k & Hk & Hf). exists k. split; auto.
  assert (F : Forall (star (fst l, snd l, g)) res).
  { apply (reach_sound _ (fun c d Hc Hd => star_snoc _ _ _ Hc Hd) fuel [(fst l, snd l, g)] []); auto.
    constructor; auto. constructor. }
  rewrite Forall_forall in F. auto.
Qed.

(** The moves of a run, and who fails then. *)
Definition fault_run := (list (act (list Z) (expr * list Z) nat Z) * (nat * (expr * list Z)))%type.
Definition check_fails (fuel : nat) (p : program) (e : fault_run) : bool :=
  let X := exec_program fuel p in
  match replay X 0 (init (program_ns p)) [] (flat_map unfolded (fst e)) with
  | Some (_, g, fs, _) => if mem (eqF X) (snd e) (map fst fs) then can_fail fuel (snd (snd e)) g else false
  | None => false
  end.
Theorem fails_sound fuel p e : check_fails fuel p e = true -> ~ never_fails p.
Proof.
  unfold check_fails. destruct (replay _ _ _ [] _) as [[[[i g] fs] w]|] eqn:E; [|discriminate]. rewrite if_and.
  intros [Hm Hf] H. apply (mem_in _ (eqF_ok (exec_program fuel p))) in Hm. destruct e as [acts [q l]].
  apply replay_run, run_of_timed in E. apply (H _ g _ q l E); auto. now apply (can_fail_ok fuel).
Qed.
