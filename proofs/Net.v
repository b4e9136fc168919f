(** * Counting: how often the transitions of a net occur in a run

    A transition takes tokens from places and gives tokens to places. Markings are lists of places, in any order.
    For
    counts of transitions in a run three things hold: the balance of tokens, siphons and traps. *)
From Coq Require Import List Bool Permutation ZArith Lia.
From Seriatim Require Import Lists.
Import ListNotations.
Open Scope Z_scope.

(** ** Linear forms *)

(** Missing entries are 0. *)
Fixpoint dot (v x : list Z) : Z := match v, x with a :: v', b :: x' => a * b + dot v' x' | _, _ => 0 end.

Lemma dot_app_right v a b : (length v <= length a)%nat -> dot v (a ++ b) = dot v a.
Proof.
  revert a. induction v as [|c v IH]; intros [|d a] H; simpl in *; try lia.
  rewrite IH; lia.
Qed.

Section Net.
Context {Place Word : Type}.

Record transition := { takes : list Place; gives : list Place; said : Word }.
Variable T : list transition.

(** ** Runs of a net, as lists of numbers of transitions *)

Inductive fires : list Place -> list nat -> list Place -> Prop :=
| fires_nil m m' : Permutation m m' -> fires m [] m'
| fires_cons m t rest i s m' : nth_error T i = Some t -> Permutation m (takes t ++ rest) ->
    fires (gives t ++ rest) s m' -> fires m (i :: s) m'.

Fixpoint sum (c : transition -> Z) (s : list nat) : Z :=
  match s with [] => 0 | i :: r => match nth_error T i with Some t => c t | None => 0 end + sum c r end.

Definition occurrences (i : nat) (s : list nat) : Z := Z.of_nat (count_occ Nat.eq_dec s i).
Definition counts (s : list nat) : list Z := map (fun i => occurrences i s) (seq 0 (length T)).

Lemma dot_one_more (c : transition -> Z) (i : nat) s l : forall k,
  dot (map c l) (map (fun j => occurrences j (i :: s)) (seq k (length l))) =
  (if (k <=? i)%nat then match nth_error l (i - k) with Some t => c t | None => 0 end else 0) +
  dot (map c l) (map (fun j => occurrences j s) (seq k (length l))).
Proof.
  induction l as [|t l IH]; intro k; simpl.
  - destruct (k <=? i)%nat; auto. destruct (i - k)%nat; auto.
  - rewrite IH. clear IH.
    replace (occurrences k (i :: s)) with ((if Nat.eq_dec i k then 1 else 0) + occurrences k s)
      by (unfold occurrences; simpl; destruct (Nat.eq_dec i k); lia).
    destruct (Nat.eq_dec i k) as [->|Hn].
    + replace (S k <=? k)%nat with false by (symmetry; apply Nat.leb_gt; lia).
      rewrite Nat.leb_refl, Nat.sub_diag. cbn [nth_error]. ring.
    + destruct (k <=? i)%nat eqn:E1.
      * apply Nat.leb_le in E1. replace (S k <=? i)%nat with true by (symmetry; apply Nat.leb_le; lia).
        replace (i - k)%nat with (S (i - S k)) by lia. cbn [nth_error]. ring.
      * apply Nat.leb_gt in E1. replace (S k <=? i)%nat with false by (symmetry; apply Nat.leb_gt; lia). ring.
Qed.

(** A form on counts adds up what single transitions contribute. *)
Lemma dot_counts (c : transition -> Z) s : dot (map c T) (counts s) = sum c s.
Proof.
  induction s as [|i s IH]; simpl.
  - unfold counts. generalize 0%nat. induction T as [|t l IHl]; intro k; simpl; auto. rewrite IHl.
    unfold occurrences. simpl. lia.
  - unfold counts. rewrite dot_one_more. fold (counts s). rewrite IH, Nat.sub_0_r. simpl. reflexivity.
Qed.

Lemma counts_nonneg s : Forall (fun a => 0 <= a) (counts s).
Proof. apply Forall_forall. intros a Ha. apply in_map_iff in Ha as (i & <- & _). unfold occurrences. lia. Qed.
Lemma counts_length s : length (counts s) = length T.
Proof. unfold counts. now rewrite map_length, seq_length. Qed.

Lemma sum_ext c c' s : (forall t, c t = c' t) -> sum c s = sum c' s.
Proof. intro H. induction s as [|i s IH]; simpl; auto. rewrite IH. destruct (nth_error T i); rewrite ?H; auto. Qed.
Lemma sum_indicator_zero (p : transition -> bool) s :
  (forall i t, In i s -> nth_error T i = Some t -> p t = false) -> sum (fun t => if p t then 1 else 0) s = 0.
Proof.
  induction s as [|i s IH]; simpl; intro H; auto. rewrite IH by eauto.
  destruct (nth_error T i) as [t|] eqn:E; auto. rewrite (H i t); auto.
Qed.
Lemma sum_indicator_nonneg (p : transition -> bool) s : 0 <= sum (fun t => if p t then 1 else 0) s.
Proof. induction s as [|i s IH]; simpl; [lia|]. destruct (nth_error T i) as [t|]; [destruct (p t)|]; lia. Qed.
Lemma sum_indicator_one (p : transition -> bool) s i t :
  In i s -> nth_error T i = Some t -> p t = true -> 1 <= sum (fun t => if p t then 1 else 0) s.
Proof.
  intros Hi Ht Hp. induction s as [|j s IH]; simpl; [destruct Hi|]. pose proof (sum_indicator_nonneg p s) as N.
  destruct Hi as [->|Hi].
  - rewrite Ht, Hp. lia.
  - specialize (IH Hi). destruct (nth_error T j) as [t'|]; [destruct (p t')|]; lia.
Qed.

(** ** Tokens on a set of places *)

Variable S : Place -> bool.

Fixpoint tokens (m : list Place) : Z := match m with [] => 0 | p :: r => (if S p then 1 else 0) + tokens r end.
Definition touches (m : list Place) : bool := any S m.

Lemma tokens_app m m' : tokens (m ++ m') = tokens m + tokens m'.
Proof. induction m as [|p m IH]; simpl; [lia|]. destruct (S p); lia. Qed.
Lemma tokens_perm m m' : Permutation m m' -> tokens m = tokens m'.
Proof. induction 1; simpl; lia. Qed.
Lemma tokens_nonneg m : 0 <= tokens m.
Proof. induction m as [|p m IH]; simpl; [lia|]. destruct (S p); lia. Qed.
Lemma touches_tokens m : touches m = true <-> 1 <= tokens m.
Proof.
  unfold touches. induction m as [|p m IH]; simpl; [split; [discriminate|lia]|].
  pose proof (tokens_nonneg m). destruct (S p); [split; [lia|auto]|]. rewrite IH. lia.
Qed.
Lemma untouched_tokens m : touches m = false <-> tokens m = 0.
Proof.
  pose proof (tokens_nonneg m) as H. pose proof (touches_tokens m) as I. destruct (touches m).
  - split; [discriminate|]. assert (1 <= tokens m) by tauto. lia.
  - split; auto. intros _. destruct (Z_lt_le_dec (tokens m) 1) as [?|L]; [lia|]. apply I in L. discriminate.
Qed.

Theorem balance m s m' : fires m s m' -> tokens m' = tokens m + sum (fun t => tokens (gives t) - tokens (takes t)) s.
Proof.
  induction 1 as [m m' HP|m t rest i s m' Ht HP _ IH]; simpl.
  - rewrite (tokens_perm _ _ HP). lia.
  - rewrite IH, Ht, (tokens_perm _ _ HP), !tokens_app. lia.
Qed.

(** Nothing is taken from an empty set before something is given to it. *)
Theorem siphon m s m' : fires m s m' -> tokens m = 0 ->
  (forall i t, In i s -> nth_error T i = Some t -> touches (takes t) = false) \/
  (exists i t, In i s /\ nth_error T i = Some t /\ touches (gives t) = true /\ touches (takes t) = false).
Proof.
  induction 1 as [m m' HP|m t rest i s m' Ht HP _ IH]; intro H0; [left; intros ? ? []|].
  rewrite (tokens_perm _ _ HP), tokens_app in H0.
  pose proof (tokens_nonneg (takes t)). pose proof (tokens_nonneg rest).
  assert (E : touches (takes t) = false) by (apply untouched_tokens; lia).
  destruct (touches (gives t)) eqn:Eg.
  - right. exists i, t. simpl. auto.
  - apply untouched_tokens in Eg. rewrite tokens_app in IH. destruct (IH ltac:(lia)) as [H2|(j & u & Hj & Hu & H2)].
    + left. intros j u [<-|Hj] Hu; [congruence|]. exact (H2 j u Hj Hu).
    + right. exists j, u. simpl. auto.
Qed.

(** A set that has a token keeps one, unless a transition takes from it and gives nothing back. *)
Lemma trap_marked m s m' : fires m s m' -> 1 <= tokens m ->
  1 <= tokens m' \/
  (exists i t, In i s /\ nth_error T i = Some t /\ touches (takes t) = true /\ touches (gives t) = false).
Proof.
  induction 1 as [m m' HP|m t rest i s m' Ht HP _ IH]; intro H1.
  - left. now rewrite <- (tokens_perm _ _ HP).
  - rewrite (tokens_perm _ _ HP), tokens_app in H1. rewrite tokens_app in IH.
    pose proof (tokens_nonneg (gives t)). pose proof (tokens_nonneg rest).
    destruct (touches (gives t)) eqn:Eg.
    + apply touches_tokens in Eg. destruct (IH ltac:(lia)) as [?|(j & u & Hj & ?)]; auto.
      right. exists j, u. simpl. tauto.
    + destruct (touches (takes t)) eqn:Et.
      * right. exists i, t. simpl. auto.
      * apply untouched_tokens in Et. destruct (IH ltac:(lia)) as [?|(j & u & Hj & ?)]; auto.
        right. exists j, u. simpl. tauto.
Qed.
Theorem trap m s m' : fires m s m' ->
  (tokens m = 0 /\ forall i t, In i s -> nth_error T i = Some t -> touches (gives t) = false) \/
  1 <= tokens m' \/
  (exists i t, In i s /\ nth_error T i = Some t /\ touches (takes t) = true /\ touches (gives t) = false).
Proof.
  intro H. pose proof (tokens_nonneg m) as N. destruct (Z.eq_dec (tokens m) 0) as [H0|H0].
  2: { right. apply (trap_marked _ _ _ H). lia. }
  induction H as [m m' HP|m t rest i s m' Ht HP Hr IH]; [left; split; auto; intros ? ? []|].
  rewrite (tokens_perm _ _ HP), tokens_app in H0.
  pose proof (tokens_nonneg (takes t)). pose proof (tokens_nonneg rest). pose proof (tokens_nonneg (gives t)).
  destruct (touches (gives t)) eqn:Eg.
  - apply touches_tokens in Eg. right.
    destruct (trap_marked _ _ _ Hr ltac:(rewrite tokens_app; lia)) as [?|(j & u & Hj & ?)]; auto.
    right. exists j, u. simpl. tauto.
  - assert (Et := proj1 (untouched_tokens _) Eg). rewrite tokens_app in IH.
    destruct IH as [[_ IH]|[?|(j & u & Hj & ?)]]; auto; try lia.
    + left. split; [rewrite (tokens_perm _ _ HP), tokens_app; lia|].
      intros j u [<-|Hj] Hu; [congruence|]. exact (IH j u Hj Hu).
    + right. right. exists j, u. simpl. tauto.
Qed.
End Net.
Arguments transition : clear implicits.
