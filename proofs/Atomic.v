(** * Evidence of the kind `atomic`: every request is one step

    If no step leads to a local state from which there are further steps, prompt runs have no flights, and every
    request
    runs alone. Nothing is explored, so there may be infinitely many global states. *)
From Coq Require Import List Permutation Lia.
From Seriatim Require Import Semantics Lists Serial Time Prompt.
Import ListNotations.

Section Atomic.
Context {G L Q R : Type} (N : ns G L Q R).
Hypothesis one_step : forall q l g m h, fresh N q l -> step N l g m h -> ~ moving N m.

Definition skip_none (_ : L) (_ : G) (_ : L) (_ : G) : bool := false.

(** Answers are given in the order of their steps, which respects time. *)
Lemma atomic_path i c w d : timed_prompt_run N skip_none (moving N) nobody_dead i c w d -> snd c = [] ->
  path N (fst c) (map fst w) (fst d) /\ in_time w /\ Forall (fun a => i <= snd (snd a)) w.
Proof.
  induction 1 as [i c|i c w d _ IH|i x g a f b t h w d Hx Hs Ha Hr IH]; intro Hc.
  { repeat split; constructor. }
  { destruct (IH Hc) as (Hp & Ht & He). repeat split; auto. revert He. apply Forall_impl. intros y Hy. lia. }
  simpl in *. apply app_eq_nil in Hc as [-> Hc]. apply app_eq_nil in Hc as [Hf ->].
  destruct f as [f|]; [discriminate|].
  assert (Answered : forall q r, t = inr (q, r) -> edge N g (q, r) h ->
    path N g (map fst (stamped x (answers_of t) ++ w)) (fst d) /\ in_time (stamped x (answers_of t) ++ w) /\
    Forall (fun a => i <= snd (snd a)) (stamped x (answers_of t) ++ w)).
  { intros q r -> He. destruct (IH eq_refl) as (Hp & Ht & Hend). destruct Hx as [Hx1 Hx2]. simpl. repeat split.
    - econstructor; eauto.
    - constructor; auto. apply (Forall_impl _ (P := fun a => i <= snd (snd a))); auto. intros y Hy. simpl. lia.
    - constructor; auto. }
  inversion Hs as [q l g' m h' Hf' Hst _ Hm|q l g' m h' r Hf' Hst Hre|q l g' r Hf' Hre| |]; subst; simpl in *.
  - exfalso. exact (one_step q l g m h Hf' Hst Hm).
  - apply (Answered q r); auto. exists l, m. repeat split; auto. econstructor; eauto. constructor.
  - apply (Answered q r); auto. exists l, l. repeat split; auto. constructor.
Qed.

Lemma skips_none : skips_nothing N skip_none. Proof. intros ? ? ? ? ? _ [=]. Qed.

Theorem atomic_sound K : strictly_serializable K N.
Proof.
  apply (strictly_by_prompt_runs N skip_none (moving N)); [exact skips_none|exact (moving_moves N)|].
  intros v g Hr. exists v, g. destruct (atomic_path _ _ _ _ Hr eq_refl) as (Hp & Ht & _). auto.
Qed.

(** The serial run even leaves the same global state. *)
Theorem atomic_seen {O} (seen : G -> O) w g : run N (init N, []) w (g, []) ->
  exists w' g', serial_run N (init N, []) w' (g', []) /\ Permutation w w' /\ seen g = seen g'.
Proof.
  intro Hr. destruct (timed_of_run N _ _ _ Hr 0 [] eq_refl) as (w' & fs & Ht & <- & Ef). apply map_eq_nil in Ef. subst.
  destruct (timed_prompt_by_runs N skip_none (moving N) _ _ _ skips_none (moving_moves N) Ht) as (v & Hp & HP).
  exists (map fst v), g. split; [|split; auto using Permutation_map]. apply path_is_serial.
  exact (proj1 (atomic_path _ _ _ _ Hp eq_refl)).
Qed.
End Atomic.
