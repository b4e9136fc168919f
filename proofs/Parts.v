(** * Parts of a store: the values of some globals

    A part has the length of the store, and 0 for every global that is not in it. *)
From Coq Require Import List Bool Arith ZArith Lia.
From Seriatim Require Import Lists Program.
Import ListNotations.
Open Scope Z_scope.

(** Which globals: a mark for each, in the order of the store. *)
Definition has (ns : list bool) (x : nat) : bool := nth x ns false.
Fixpoint both (a b : list bool) : list bool :=
  match a, b with x :: a', y :: b' => (if x then y else false) :: both a' b' | _, _ => [] end.

(** The globals in [ns] as in [p], the others as in [g]. *)
Fixpoint paste (ns : list bool) (g p : store) : store :=
  match p with [] => [] | v :: p' => (if hd false ns then v else hd 0 g) :: paste (tl ns) (tl g) p' end.
Definition only (ns : list bool) (g : store) : store := paste ns [] g.

Lemma store_ext (g h : store) : length g = length h -> (forall x, get x g = get x h) -> g = h.
Proof. intros E H. apply (nth_ext g h 0 0 E). intros x _. exact (H x). Qed.

Lemma paste_length ns g p : length (paste ns g p) = length p.
Proof. revert ns g. induction p; simpl; intros; auto. Qed.

Lemma only_length ns g : length (only ns g) = length g. Proof. apply paste_length. Qed.

Lemma has_both a b x : has (both a b) x = if has a x then has b x else false.
Proof.
  unfold has. revert b x. induction a as [|y a IH]; intros [|z b] [|x]; simpl; auto.
  - now destruct y.
  - now destruct (nth x a false).
Qed.

Lemma both_comm a b : both a b = both b a.
Proof. revert b. induction a as [|x a IH]; intros [|y b]; simpl; auto. rewrite IH. now destruct x, y. Qed.

Lemma has_tail ns x : has (tl ns) x = has ns (S x).
Proof. destruct ns, x; reflexivity. Qed.

Lemma get_pasted ns g p x : has ns x = true -> get x (paste ns g p) = get x p.
Proof.
  unfold get. revert ns g x. induction p as [|v p IH]; intros ns g x H; [reflexivity|].
  destruct x as [|x]; simpl; [now destruct ns as [|[] ns]|]. apply IH. now rewrite has_tail.
Qed.

Lemma get_paste ns g p x : length g = length p -> get x (paste ns g p) = if has ns x then get x p else get x g.
Proof.
  unfold get. revert ns g x. induction p as [|v p IH]; intros ns [|a g] x E; try discriminate.
  - now destruct x, (has ns _).
  - destruct x as [|x]; simpl; [now destruct ns as [|[] ns]|]. rewrite IH, has_tail; auto.
Qed.

Lemma get_only ns g x : get x (only ns g) = if has ns x then get x g else 0.
Proof.
  unfold get, only. revert ns x. induction g as [|v g IH]; intros ns x; simpl.
  - now destruct x, (has ns _).
  - destruct x as [|x]; simpl; [now destruct ns as [|[] ns]|]. now rewrite IH, has_tail.
Qed.

Lemma put_paste ns x v g p : has ns x = true -> put x v (paste ns g p) = paste ns g (put x v p).
Proof.
  revert ns g x. induction p as [|w p IH]; intros ns g x H; [now destruct x|].
  destruct x as [|x]; simpl; [now destruct ns as [|[] ns]|]. f_equal. apply IH. now rewrite has_tail.
Qed.

(** ** A store and its parts *)

Lemma paste_only ns g : paste ns g (only ns g) = g.
Proof.
  apply store_ext; [rewrite paste_length; apply only_length|]. intro x.
  rewrite get_paste by (symmetry; apply only_length). rewrite get_only. now destruct (has ns x).
Qed.

Lemma only_paste ns g p : length g = length p -> only ns p = p -> only ns (paste ns g p) = p.
Proof.
  intros E Hp. transitivity (only ns p); auto. apply store_ext; [rewrite !only_length; apply paste_length|]. intro x.
  rewrite !get_only, get_paste by assumption. now destruct (has ns x).
Qed.

(** What a change through [m] does to the part [n]. *)
Lemma only_pasted m n g p : length g = length p -> only n (paste m g p) = paste (both m n) (only n g) p.
Proof.
  intro E. apply store_ext; [now rewrite only_length, !paste_length|]. intro x.
  rewrite get_only, !get_paste, get_only, has_both by (rewrite ?only_length; assumption).
  now destruct (has m x), (has n x).
Qed.

Lemma parts_agree m n g : only (both m n) (only m g) = only (both m n) (only n g).
Proof.
  apply store_ext; [now rewrite !only_length|]. intro x. rewrite !get_only, has_both.
  now destruct (has m x), (has n x).
Qed.

(** Two changes in the other order: what both concern is as in the end, the rest as each leaves it. *)
Lemma pasted_in_either_order m n g p q p' q' :
  length g = length p -> length g = length q -> length g = length p' -> length g = length q' ->
  p' = paste (both m n) p q -> paste (both m n) q' q = q ->
  paste m (paste n g q') p' = paste n (paste m g p) q.
Proof.
  intros Ep Eq Ep' Eq' Hp Hq. apply store_ext; [rewrite !paste_length; congruence|]. intro x.
  assert (Hp' : get x p' = if has (both m n) x then get x q else get x p)
    by (rewrite Hp; apply get_paste; congruence).
  assert (Hq' : get x q = if has (both m n) x then get x q else get x q')
    by (rewrite <- Hq at 1; apply get_paste; congruence).
  rewrite !get_paste, Hp' by (rewrite ?paste_length; congruence). rewrite has_both in *.
  destruct (has m x), (has n x); auto.
Qed.

(** ** Nothing in common *)
Definition disjoint (m n : list bool) : bool := negb (any (fun b => b) (both m n)).
Lemma disjoint_has m n x : disjoint m n = true -> has (both m n) x = false.
Proof.
  unfold disjoint. rewrite negb_true_iff. intro H. destruct (has (both m n) x) eqn:E; auto.
  assert (any (fun b => b) (both m n) = true); [|congruence]. apply any_exists. exists true. split; auto.
  unfold has in E. rewrite <- E. apply nth_In. destruct (le_lt_dec (length (both m n)) x) as [L|L]; auto.
  rewrite (nth_overflow _ _ L) in E. discriminate.
Qed.
Lemma paste_nothing ns g p : length g = length p -> (forall x, has ns x = false) -> paste ns g p = g.
Proof.
  intros E H. apply store_ext; [rewrite paste_length; auto|]. intro x. now rewrite get_paste, H.
Qed.
