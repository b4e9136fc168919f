(** * Network systems as data *)
From Coq Require Import List Bool NArith.
From Seriatim Require Import Semantics Lists Prompt Exec.
Import ListNotations.

Record system := {
  initial : N;
  requests : list (N * N);                       (** name, fresh local state *)
  responses : list (N * N);                      (** local state, response *)
  delta : list ((N * N) * list (N * N))          (** (ℓ, g), and all (ℓ', g') to which a step leads *)
}.

Definition system_ns (s : system) : ns N N N N := {|
  init := initial s;
  fresh := fun q l => In (q, l) (requests s);
  step := fun l g m h => exists xs, In ((l, g), xs) (delta s) /\ In (m, h) xs;
  resp := fun l r => In (l, r) (responses s)
|}.

(** ** Executed *)

Definition eqNN : N * N -> N * N -> bool := eqb_pair N.eqb N.eqb.
Lemma N_decides : decides N.eqb. Proof. intros x y. apply N.eqb_eq. Qed.
Lemma NN_decides : decides eqNN. Proof. apply pair_decides; apply N_decides. Qed.

(** All values that a table gives to a key. *)
Definition values_at {A B} (eqb : A -> A -> bool) (x : A) (table : list (A * B)) : list B :=
  flat_map (fun e => if eqb x (fst e) then [snd e] else []) table.
Lemma values_at_in {A B} (eqb : A -> A -> bool) : decides eqb ->
  forall x (table : list (A * B)) b, In b (values_at eqb x table) <-> In (x, b) table.
Proof.
  intros H x table b. unfold values_at. rewrite in_flat_map. split.
  - intros ([y c] & Hi & Hb). simpl in Hb. destruct (eqb x y) eqn:E; [|destruct Hb].
    apply H in E. destruct Hb as [->|[]]. now subst.
  - intro Hi. exists (x, b). split; auto. simpl. rewrite (decides_refl _ H). left. auto.
Qed.

Definition exec_system (s : system) : exec (system_ns s).
Proof.
  refine {|
    eqG := N.eqb; eqG_ok := N_decides; eqL := N.eqb; eqL_ok := N_decides;
    eqQ := N.eqb; eqQ_ok := N_decides; eqR := N.eqb; eqR_ok := N_decides;
    fresh_list := requests s;
    succ := fun l g => Some (concat (values_at eqNN (l, g) (delta s)));
    answers := fun l => values_at N.eqb l (responses s);
    stays := moving (system_ns s); stays_ok := moving_moves (system_ns s);
    final := fun l => negb (any (fun e => N.eqb l (fst (fst e))) (delta s))
  |}.
  - intros q l. reflexivity.
  - intros l g xs [= <-] m h. simpl. rewrite in_concat. split; intros (xs & H1 & H2); exists xs; split; auto;
      now apply (values_at_in eqNN NN_decides).
  - intros l r. symmetry. apply (values_at_in N.eqb N_decides).
  - intros l Hf (g & m & h & xs & Hi & _). apply negb_true_iff in Hf.
    assert (F : any (fun e => N.eqb l (fst (fst e))) (delta s) = true).
    { apply any_exists. exists ((l, g), xs). split; auto. apply N.eqb_refl. }
    congruence.
Defined.
