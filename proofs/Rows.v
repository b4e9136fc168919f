(** * Rows and cuts about counts of transitions

    The numbers of a proof are 1, how often each transition of a net occurs in a run, and whatever else the proof
    needs. *)
From Coq Require Import List Bool ZArith Lia.
From Seriatim Require Import Lists Net Arithmetic.
Import ListNotations.
Open Scope Z_scope.

Section Rows.
Context {Place Word : Type} (eqP : Place -> Place -> bool) (T : list (transition Place Word)).

Definition belongs (ps : list Place) (p : Place) : bool := mem eqP p ps.

(** Entry 0 is the constant. *)
Definition form (c : Z) (f : transition Place Word -> Z) : list Z := c :: map f T.
Definition counting (p : transition Place Word -> bool) : list Z := form 0 (fun t => if p t then 1 else 0).
Definition tokens_left (start : list Place) (S : Place -> bool) : list Z :=
  form (tokens S start) (fun t => tokens S (gives t) - tokens S (takes t)).

Definition takes_from (S : Place -> bool) (t : transition Place Word) : bool := touches S (takes t).
Definition gives_to (S : Place -> bool) (t : transition Place Word) : bool := touches S (gives t).
(** The possibilities that a cut leaves; [true] for a siphon, [false] for a trap. *)
Definition cut_rows (start : list Place) (cut : bool * list Place) : list row :=
  let S := belongs (snd cut) in
  if fst cut
  then [at_most 0 (counting (takes_from S));
        at_least 1 (counting (fun t => if takes_from S t then false else gives_to S t))]
  else (if touches S start then [] else [at_most 0 (counting (gives_to S))]) ++
       [at_least 1 (tokens_left start S);
        at_least 1 (counting (fun t => if gives_to S t then false else takes_from S t))].
(** Runs do not start in a siphon. *)
Definition siphon_ok (start : list Place) (cut : bool * list Place) : bool :=
  if fst cut then negb (touches (belongs (snd cut)) start) else true.

(** ** They hold for the counts of a run *)

Variables (start finish : list Place) (s : list nat) (more : list Z).
Hypothesis run_of_net : fires T start s finish.
Notation x := (1 :: counts T s ++ more).

Lemma form_value c f : dot (form c f) x = c + sum T f s.
Proof.
  unfold form. cbn [dot]. rewrite dot_app_right by (rewrite map_length, counts_length; lia).
  rewrite dot_counts. ring.
Qed.
Lemma tokens_left_value S : dot (tokens_left start S) x = tokens S finish.
Proof. unfold tokens_left. rewrite form_value. symmetry. exact (balance T S _ _ _ run_of_net). Qed.
Lemma counting_none p : (forall i t, In i s -> nth_error T i = Some t -> p t = false) ->
  satisfies x (at_most 0 (counting p)).
Proof. intro H. apply at_most_iff. unfold counting. rewrite form_value, sum_indicator_zero; auto. lia. Qed.
Lemma counting_some p i t : In i s -> nth_error T i = Some t -> p t = true -> satisfies x (at_least 1 (counting p)).
Proof.
  intros Hi Ht Hp. apply at_least_iff. unfold counting. rewrite form_value.
  pose proof (sum_indicator_one T p s i t Hi Ht Hp). lia.
Qed.

Theorem cut_holds cut : siphon_ok start cut = true -> exists r, In r (cut_rows start cut) /\ satisfies x r.
Proof.
  intro OK. unfold cut_rows, siphon_ok in *. set (S := belongs (snd cut)) in *. destruct (fst cut).
  - apply negb_true_iff in OK. apply untouched_tokens in OK.
    destruct (siphon T S _ _ _ run_of_net OK) as [H|(i & t & Hi & Ht & Hg & Hn)].
    + eexists. split; [left; reflexivity|]. now apply counting_none.
    + eexists. split; [right; left; reflexivity|]. apply (counting_some _ i t Hi Ht).
      unfold takes_from, gives_to. now rewrite Hn.
  - destruct (trap T S _ _ _ run_of_net) as [[H0 H]|[H|(i & t & Hi & Ht & Hg & Hn)]].
    + exists (at_most 0 (counting (gives_to S))). split; [|now apply counting_none].
      apply in_or_app. left. apply untouched_tokens in H0. rewrite H0. left. reflexivity.
    + eexists. split; [apply in_or_app; right; left; reflexivity|]. apply at_least_iff.
      now rewrite tokens_left_value.
    + eexists. split; [apply in_or_app; right; right; left; reflexivity|]. apply (counting_some _ i t Hi Ht).
      unfold takes_from, gives_to. now rewrite Hn.
Qed.
End Rows.
