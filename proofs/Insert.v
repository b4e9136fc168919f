(** * Serial runs with cycles inserted *)
From Coq Require Import List Bool Permutation ZArith Lia.
From Seriatim Require Import Semantics Lists Serial Exec.
Import ListNotations.

Section Insert.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N).
Notation answer := (Q * R)%type.

(** A path, with the global states that it visits. *)
Inductive tour : G -> list answer -> G -> list G -> Prop :=
| tour_nil g : tour g [] g [g]
| tour_cons g a h w k vs : edge N g a h -> tour h w k vs -> tour g (a :: w) k (g :: vs).

Lemma tour_path g w k vs : tour g w k vs -> path N g w k.
Proof. induction 1; econstructor; eauto. Qed.

Lemma tour_front g c h w k vs : path N g c h -> tour h w k vs -> exists vs', tour g (c ++ w) k vs' /\ incl vs vs'.
Proof.
  intros Hp Ht. induction Hp as [g|g a h1 c h He _ IH]; simpl.
  - exists vs. split; auto. apply incl_refl.
  - destruct (IH Ht) as (vs' & Ht' & Hi). exists (g :: vs'). split; [econstructor; eauto|now apply incl_tl].
Qed.

Lemma insert_once g w k vs s c : tour g w k vs -> In s vs -> path N s c s ->
  exists w' vs', tour g w' k vs' /\ incl vs vs' /\ Permutation w' (c ++ w).
Proof.
  intros Ht Hs Hc. induction Ht as [g|g a h w k vs He Ht IH].
  - destruct Hs as [->|[]]. destruct (tour_front _ _ _ _ _ _ Hc (tour_nil s)) as (vs' & Ht & Hi).
    exists (c ++ []), vs'. auto.
  - destruct Hs as [->|Hs].
    + destruct (tour_front _ _ _ _ _ _ Hc (tour_cons _ _ _ _ _ _ He Ht)) as (vs' & Ht' & Hi).
      exists (c ++ a :: w), vs'. auto.
    + destruct (IH Hs) as (w' & vs' & Ht' & Hi & HP). exists (a :: w'), (g :: vs'). split; [econstructor; eauto|].
      split.
      * intros v [<-|Hv]; [left; auto|right; auto].
      * rewrite HP. apply Permutation_middle.
Qed.

Lemma insert_times g w k vs s c n : tour g w k vs -> In s vs -> path N s c s ->
  exists w' vs', tour g w' k vs' /\ incl vs vs' /\ Permutation w' (concat (repeat c n) ++ w).
Proof.
  intros Ht Hs Hc. induction n as [|n (w' & vs' & Ht' & Hi & HP)]; simpl.
  - exists w, vs. repeat split; auto using incl_refl.
  - destruct (insert_once _ _ _ _ s c Ht' (Hi _ Hs) Hc) as (w2 & vs2 & Ht2 & Hi2 & HP2).
    exists w2, vs2. split; auto. split; [eapply incl_tran; eauto|]. rewrite HP2, HP. now rewrite app_assoc.
Qed.

(** Each cycle as often as [ks] says. *)
Fixpoint many_cycles (ks : list nat) (cycles : list (list answer)) : list answer :=
  match ks, cycles with k :: ks', c :: cs => concat (repeat c k) ++ many_cycles ks' cs | _, _ => [] end.

Theorem insert_all g k (at_ : list (G * list answer)) : forall ks w vs,
  tour g w k vs -> (forall s c, In (s, c) at_ -> In s vs /\ path N s c s) ->
  exists w', path N g w' k /\ Permutation w' (many_cycles ks (map snd at_) ++ w).
Proof.
  induction at_ as [|[s c] at_ IH]; intros ks w vs Ht H; simpl.
  - exists w. split; [exact (tour_path _ _ _ _ Ht)|]. destruct ks; auto.
  - destruct ks as [|n ks]; [exists w; split; [exact (tour_path _ _ _ _ Ht)|auto]|]. simpl.
    destruct (H s c (or_introl eq_refl)) as [Hs Hc].
    destruct (insert_times _ _ _ _ s c n Ht Hs Hc) as (w1 & vs1 & Ht1 & Hi1 & HP1).
    destruct (IH ks w1 vs1 Ht1) as (w2 & Hp2 & HP2).
    + intros s' c' Hin. destruct (H s' c' (or_intror Hin)). auto.
    + exists w2. split; auto. rewrite HP2, HP1. rewrite <- app_assoc. apply Permutation_app_swap_app.
Qed.

(** ** Executed *)

Fixpoint follows (table : list (Q * G * option (list (R * G)))) (g : G) (steps : list (answer * G)) : option G :=
  match steps with
  | [] => Some g
  | (a, h) :: rest =>
    match serial_ends X table (fst a) g with
    | Some es => if mem (eqb_pair (eqR X) (eqG X)) (snd a, h) es then follows table h rest else None
    | None => None
    end
  end.

Lemma follows_tour fuel wanted steps : forall g k, follows (serial_table X fuel wanted) g steps = Some k ->
  tour g (map fst steps) k (g :: map snd steps).
Proof.
  induction steps as [|[a h] steps IH]; simpl; intros g k H.
  - injection H as ->. constructor.
  - destruct (serial_ends X _ (fst a) g) as [es|] eqn:E; [|discriminate].
    destruct (mem _ _ es) eqn:M; [|discriminate].
    apply (mem_in _ (pair_decides _ _ (eqR_ok N X) (eqG_ok N X))) in M.
    apply (tour_cons g a h); auto. destruct a as [q r]. now apply (serial_ends_ok X _ _ _ _ _ E).
Qed.

(** ** Numbers of answers *)

Open Scope Z_scope.

Fixpoint number_of (a : answer) (w : list answer) : Z :=
  match w with [] => 0 | b :: r => (if eqA X a b then 1 else 0) + number_of a r end.

Lemma number_of_app a v w : number_of a (v ++ w) = number_of a v + number_of a w.
Proof. induction v as [|b v IH]; simpl; lia. Qed.
Lemma number_of_perm a v w : Permutation v w -> number_of a v = number_of a w.
Proof. induction 1; simpl; lia. Qed.
Lemma number_of_repeat a c n : number_of a (concat (repeat c n)) = Z.of_nat n * number_of a c.
Proof.
  induction n as [|n IH]; [reflexivity|]. change (concat (repeat c (S n))) with (c ++ concat (repeat c n)).
  rewrite number_of_app, IH. lia.
Qed.
Lemma number_of_absent a w : ~ In a w -> number_of a w = 0.
Proof.
  induction w as [|b w IH]; simpl; auto. intro H. rewrite IH by tauto. destruct (eqA X a b) eqn:E; auto.
  apply (eqA_ok X) in E. subst. tauto.
Qed.
Lemma number_of_count a w : number_of a w = Z.of_nat (count_occ (decided (eqA X) (eqA_ok X)) w a).
Proof.
  induction w as [|b w IH]; simpl; auto. rewrite IH.
  destruct (decided (eqA X) (eqA_ok X) b a) as [->|Hn].
  - rewrite (decides_refl _ (eqA_ok X)). lia.
  - destruct (eqA X a b) eqn:E; [|lia]. apply (eqA_ok X) in E. congruence.
Qed.
Lemma same_numbers v w : (forall a, number_of a v = number_of a w) -> Permutation v w.
Proof.
  intro H. apply (Permutation_count_occ (decided (eqA X) (eqA_ok X))). intro a. specialize (H a).
  rewrite !number_of_count in H. lia.
Qed.
End Insert.
