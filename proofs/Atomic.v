(** * Evidence of the kind `atomic`: every request is one step

    If no step leads to a local state from which there are further steps, prompt runs have no flights, and every
    request
    runs alone. Nothing is explored, so there may be infinitely many global states. *)
From Coq Require Import List Permutation.
From Seriatim Require Import Semantics Lists Serial Prompt.
Import ListNotations.

Section Atomic.
Context {G L Q R : Type} (N : ns G L Q R).
Hypothesis one_step : forall q l g m h, fresh N q l -> step N l g m h -> ~ moving N m.

Definition skip_none (_ : L) (_ : G) (_ : L) (_ : G) : bool := false.

Lemma atomic_path c w d : prompt_run N skip_none (moving N) nobody_dead c w d -> snd c = [] ->
  path N (fst c) w (fst d).
Proof.
  induction 1 as [c|g a f b t h w d Hs Ha Hr IH]; intro Hc; [constructor|]. simpl in *.
  apply app_eq_nil in Hc as [-> Hc]. apply app_eq_nil in Hc as [Hf ->]. destruct f as [f|]; [discriminate|].
  inversion Hs as [q l g' m h' Hf' Hst _ Hm|q l g' m h' r Hf' Hst Hre|q l g' r Hf' Hre| |]; subst; simpl in *.
  - exfalso. exact (one_step q l g m h Hf' Hst Hm).
  - econstructor; [|apply IH; auto]. exists l, m. repeat split; auto. econstructor; eauto. constructor.
  - econstructor; [|apply IH; auto]. exists l, l. repeat split; auto. constructor.
Qed.

Theorem atomic_sound : serializable N.
Proof.
  apply (serializable_by_prompt_runs N skip_none (moving N)); [intros ? ? ? ? ? _ [=]|exact (moving_moves N)|].
  intros v g Hr. exists v, g. split; auto.
  exact (atomic_path _ _ _ Hr eq_refl).
Qed.

(** The serial run even leaves the same global state. *)
Theorem atomic_seen {O} (seen : G -> O) w g : run N (init N, []) w (g, []) ->
  exists w' g', serial_run N (init N, []) w' (g', []) /\ Permutation w w' /\ seen g = seen g'.
Proof.
  intro Hr. destruct (serial_by_prompt_runs N skip_none (moving N) w g) as (v & Hp & HP); auto;
    [intros ? ? ? ? ? _ [=]|exact (moving_moves N)|].
  exists v, g. split; [|auto]. apply path_is_serial. exact (atomic_path _ _ _ Hp eq_refl).
Qed.
End Atomic.
