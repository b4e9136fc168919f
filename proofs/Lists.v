(** * Executable tests on lists, and what they decide

    [andb] and [existsb] evaluate both arguments when they are computed by value; [if] does not. *)
From Coq Require Import List Bool Permutation Arith.
Import ListNotations.

Definition decides {A} (eqb : A -> A -> bool) := forall x y, eqb x y = true <-> x = y.

Lemma decides_refl {A} (eqb : A -> A -> bool) : decides eqb -> forall x, eqb x x = true.
Proof. intros H x. now apply H. Qed.

Definition decided {A} (eqb : A -> A -> bool) (H : decides eqb) (x y : A) : {x = y} + {x <> y}.
Proof.
  destruct (eqb x y) eqn:E.
  - left. now apply H.
  - right. intro F. apply H in F. congruence.
Defined.

Lemma if_and (a b : bool) : (if a then b else false) = true <-> a = true /\ b = true.
Proof. destruct a, b; intuition discriminate. Qed.

Fixpoint mem {A} (eqb : A -> A -> bool) (x : A) (l : list A) : bool :=
  match l with [] => false | y :: r => if eqb x y then true else mem eqb x r end.

Lemma mem_in {A} (eqb : A -> A -> bool) : decides eqb -> forall x l, mem eqb x l = true <-> In x l.
Proof.
  intros H x l. induction l as [|y l IH]; simpl; [intuition discriminate|].
  destruct (eqb x y) eqn:E.
  - apply H in E. subst. tauto.
  - rewrite IH. split; [tauto|]. intros [->|?]; auto.
    rewrite (decides_refl eqb H) in E. discriminate.
Qed.

Fixpoint any {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => false | x :: r => if f x then true else any f r end.

Lemma any_exists {A} (f : A -> bool) l : any f l = true <-> exists x, In x l /\ f x = true.
Proof. rewrite <- existsb_exists. induction l; simpl; [tauto|]. destruct (f a); simpl; tauto. Qed.

Fixpoint all {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => true | x :: r => if f x then all f r else false end.

Lemma all_forall {A} (f : A -> bool) l : all f l = true <-> forall x, In x l -> f x = true.
Proof.
  rewrite <- forallb_forall. induction l; simpl; [tauto|]. destruct (f a); simpl; [tauto|]. intuition discriminate.
Qed.

Fixpoint lookup {A B} (eqb : A -> A -> bool) (x : A) (l : list (A * B)) : option B :=
  match l with [] => None | (y, b) :: r => if eqb x y then Some b else lookup eqb x r end.

Lemma lookup_in {A B} (eqb : A -> A -> bool) : decides eqb ->
  forall x (l : list (A * B)) b, lookup eqb x l = Some b -> In (x, b) l.
Proof.
  intros H x l b. induction l as [|[y c] l IH]; simpl; [discriminate|].
  destruct (eqb x y) eqn:E; auto. intros [= ->]. apply H in E. subst. auto.
Qed.

(** ** Equality of composite values *)

Definition eqb_pair {A B} (ea : A -> A -> bool) (eb : B -> B -> bool) (x y : A * B) : bool :=
  if ea (fst x) (fst y) then eb (snd x) (snd y) else false.
Lemma pair_decides {A B} (ea : A -> A -> bool) (eb : B -> B -> bool) :
  decides ea -> decides eb -> decides (eqb_pair ea eb).
Proof.
  intros Ha Hb [a b] [c d]. unfold eqb_pair. simpl. rewrite if_and, (Ha a c), (Hb b d).
  split; [intros [-> ->]|intros [= -> ->]]; auto.
Qed.

Definition eqb_sum {A B} (ea : A -> A -> bool) (eb : B -> B -> bool) (x y : A + B) : bool :=
  match x, y with inl a, inl c => ea a c | inr b, inr d => eb b d | _, _ => false end.
Lemma sum_decides {A B} (ea : A -> A -> bool) (eb : B -> B -> bool) :
  decides ea -> decides eb -> decides (eqb_sum ea eb).
Proof.
  intros Ha Hb [a|b] [c|d]; simpl; try (split; discriminate).
  - rewrite (Ha a c). split; congruence.
  - rewrite (Hb b d). split; congruence.
Qed.

Definition eqb_option {A} (eqb : A -> A -> bool) (x y : option A) : bool :=
  match x, y with Some a, Some b => eqb a b | None, None => true | _, _ => false end.
Lemma option_decides {A} (eqb : A -> A -> bool) : decides eqb -> decides (eqb_option eqb).
Proof.
  intros H [a|] [b|]; simpl; try (split; congruence). rewrite (H a b). split; congruence.
Qed.

Fixpoint eqb_list {A} (eqb : A -> A -> bool) (l m : list A) : bool :=
  match l, m with
  | [], [] => true
  | x :: l', y :: m' => if eqb x y then eqb_list eqb l' m' else false
  | _, _ => false
  end.
Lemma list_decides {A} (eqb : A -> A -> bool) : decides eqb -> decides (eqb_list eqb).
Proof.
  intros H l. induction l as [|x l IH]; intros [|y m]; simpl; try (split; discriminate).
  - tauto.
  - rewrite if_and, (H x y), (IH m). split; [intros [-> ->]|intros [= -> ->]]; auto.
Qed.

(** ** Lists without repetition *)

Fixpoint dedup {A} (eqb : A -> A -> bool) (l : list A) : list A :=
  match l with [] => [] | x :: r => let d := dedup eqb r in if mem eqb x d then d else x :: d end.

Lemma dedup_in {A} (eqb : A -> A -> bool) : decides eqb -> forall x l, In x l -> In x (dedup eqb l).
Proof.
  intros H x l. induction l as [|y l IH]; simpl; auto. intros [->|Hx].
  - destruct (mem eqb x (dedup eqb l)) eqn:M; [now apply (mem_in _ H) in M|left; auto].
  - destruct (mem eqb y _); [|right]; auto.
Qed.

(** ** Properties of all pairs of members *)

Fixpoint pairs {A} (P : A -> A -> Prop) (l : list A) : Prop :=
  match l with [] => True | x :: r => (forall y, In y r -> P x y) /\ pairs P r end.

Lemma pairs_perm {A} (P : A -> A -> Prop) : (forall x y, P x y -> P y x) ->
  forall l l', Permutation l l' -> pairs P l -> pairs P l'.
Proof.
  intro sym. induction 1 as [|x l l' HP IH|x y l|l l' l'' _ IH1 _ IH2]; simpl; auto.
  - intros [H1 H2]. split; auto. intros y Hy. apply H1. now apply (Permutation_in y (Permutation_sym HP)).
  - intros (H1 & H2 & H3). repeat split; auto. intros z [<-|Hz]; auto.
Qed.

Lemma pairs_impl {A} (P P' : A -> A -> Prop) l :
  (forall x y, In x l -> In y l -> P x y -> P' x y) -> pairs P l -> pairs P' l.
Proof.
  induction l as [|a l IH]; simpl; auto. intros H [H1 H2]. split.
  - intros y Hy. apply H; auto.
  - apply IH; auto.
Qed.

Lemma pairs_and {A} (P P' : A -> A -> Prop) l : pairs P l -> pairs P' l -> pairs (fun x y => P x y /\ P' x y) l.
Proof. induction l; simpl; auto. intros [] []. split; auto. Qed.

Lemma pairs_true {A} (P : A -> A -> Prop) l : (forall x y, P x y) -> pairs P l.
Proof. induction l; simpl; auto. Qed.

(** ** Members by number *)

Definition numbered {A} (l : list A) : list (nat * A) := combine (seq 0 (length l)) l.

Lemma numbered_in {A} (l : list A) i x : In (i, x) (numbered l) <-> nth_error l i = Some x.
Proof.
  unfold numbered.
  assert (shifted : forall k, In (i, x) (combine (seq k (length l)) l) <-> k <= i /\ nth_error l (i - k) = Some x).
  { induction l as [|y l IH]; intro k; simpl.
    - split; [tauto|]. intros [_ H]. destruct (i - k); discriminate.
    - rewrite IH. split.
      + intros [H|[H1 H2]].
        * injection H as <- <-. now rewrite Nat.sub_diag.
        * split; [now apply Nat.lt_le_incl|]. replace (i - k) with (S (i - S k)); auto.
          rewrite <- Nat.sub_succ_l; auto.
      + intros [H1 H2]. destruct (Nat.eq_dec i k) as [->|Hn].
        * rewrite Nat.sub_diag in H2. injection H2 as ->. auto.
        * assert (H3 : S k <= i) by (apply Nat.le_neq; auto).
          right. split; auto. replace (i - k) with (S (i - S k)) in H2; auto. rewrite <- Nat.sub_succ_l; auto. }
  rewrite shifted, Nat.sub_0_r. split; [tauto|]. split; auto using Nat.le_0_l.
Qed.

Definition listed {A} (x : option A) : list A := match x with Some a => [a] | None => [] end.
