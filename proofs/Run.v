(** * Evidence of the kinds `run` and `folded-run`: a complete run whose outcome no serial run has

    The run is replayed. A move names the flight that takes it, not the request: requests of one name at one local
    state
    are interchangeable. Then all serial orders of the outcome are explored, layer by layer; or a proof by counting
    says
    that there are none. *)
From Coq Require Import List Bool Permutation NArith.
From Seriatim Require Import Semantics Lists Serial Exec Counted.
Import ListNotations.

Notation number := N.

Inductive act {G L Q R : Type} :=
| Spawn (q : Q) (l : L)
| Go (q : Q) (l m : L) (h : G)      (** a request at l moves to m and leaves the global state h *)
| Reply (q : Q) (l : L) (r : R)
| Again (times : nat) (acts : list act).
Arguments act : clear implicits.

Record run_evidence {G L Q R : Type} := {
  acts : list (act G L Q R);
  serial_from : list (Q * G);         (** from where requests run alone *)
  counted_out : option (counted_evidence G);
  fuel : nat
}.
Arguments run_evidence : clear implicits.

Section Run.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N) (E : run_evidence G L Q R).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.

(** ** The run exists *)

(** Repeated stretches written out. *)
Fixpoint unfolded (a : act G L Q R) : list (act G L Q R) :=
  match a with
  | Again n acts => concat (repeat (flat_map unfolded acts) n)
  | a => [a]
  end.

(** A list without the first occurrence of a member, before and after it. *)
Fixpoint take (f : flight) (fs : list flight) : option (list flight * list flight) :=
  match fs with
  | [] => None
  | x :: r => if eqF X f x then Some ([], r)
              else match take f r with Some (a, b) => Some (x :: a, b) | None => None end
  end.

(** Where the moves lead, and the answers on the way. *)
Fixpoint replay (g : G) (fs : list flight) (s : list (act G L Q R)) : option (G * list flight * list answer) :=
  match s with
  | [] => Some (g, fs, [])
  | Spawn q l :: s' => if mem (eqF X) (q, l) (fresh_list X) then replay g ((q, l) :: fs) s' else None
  | Go q l m h :: s' =>
    match take (q, l) fs, succ X l g with
    | Some (a, b), Some xs => if mem (eqS X) (m, h) xs then replay h (a ++ (q, m) :: b) s' else None
    | _, _ => None
    end
  | Reply q l r :: s' =>
    match take (q, l) fs with
    | Some (a, b) =>
      if mem (eqR X) r (answers X l)
      then match replay g (a ++ b) s' with Some (h, fs', w) => Some (h, fs', (q, r) :: w) | None => None end
      else None
    | None => None
    end
  | Again _ _ :: _ => None
  end.

Lemma take_split f fs a b : take f fs = Some (a, b) -> fs = a ++ f :: b.
Proof.
  revert a b. induction fs as [|x fs IH]; simpl; intros a b; [discriminate|].
  destruct (eqF X f x) eqn:Ef.
  - apply (eqF_ok X) in Ef. intros [= <- <-]. subst. auto.
  - destruct (take f fs) as [[a' b']|]; [|discriminate]. intros [= <- <-]. simpl. f_equal. auto.
Qed.

Lemma replay_run s : forall g fs h fs' w, replay g fs s = Some (h, fs', w) -> run N (g, fs) w (h, fs').
Proof.
  induction s as [|[q l|q l m k|q l r|n s'] s IH]; simpl; intros g fs h fs' w H.
  - injection H as <- <- <-. constructor.
  - destruct (mem _ _ _) eqn:M; [|discriminate]. apply (mem_in _ (eqF_ok X)) in M. apply (fresh_ok N X) in M.
    apply (run_cons N _ [] (g, (q, l) :: fs)); auto. now constructor.
  - destruct (take (q, l) fs) as [[a b]|] eqn:Et; [|discriminate]. apply take_split in Et. subst.
    destruct (succ X l g) as [xs|] eqn:Es; [|discriminate]. destruct (mem _ _ _) eqn:M; [|discriminate].
    apply (mem_in _ (eqS_ok X)) in M. apply (succ_ok N X l g xs Es) in M.
    apply (run_cons N _ [] (k, a ++ (q, m) :: b)); auto. now constructor.
  - destruct (take (q, l) fs) as [[a b]|] eqn:Et; [|discriminate]. apply take_split in Et. subst.
    destruct (mem _ _ _) eqn:M; [|discriminate]. apply (mem_in _ (eqR_ok N X)) in M. apply (answers_ok N X) in M.
    destruct (replay g (a ++ b) s) as [[[h0 fs0] w0]|] eqn:Ev; [|discriminate]. injection H as <- <- <-.
    apply (run_cons N _ [(q, r)] (g, a ++ b)); auto. now constructor.
  - discriminate.
Qed.

(** ** No serial run has its outcome *)

(** An outcome by numbers: how often each answer is still to be given. *)
Definition tally := list (answer * number).
Definition answers_in (t : tally) : list answer := flat_map (fun an => repeat (fst an) (N.to_nat (snd an))) t.

Fixpoint counted (a : answer) (t : tally) : tally :=
  match t with
  | [] => [(a, 1%N)]
  | (b, n) :: r => if eqA X a b then (b, N.succ n) :: r else (b, n) :: counted a r
  end.
Definition tally_of (w : list answer) : tally := fold_right counted [] w.
Fixpoint without (a : answer) (t : tally) : tally :=
  match t with
  | [] => []
  | (b, n) :: r => if N.eqb n 0 then (b, n) :: without a r
                   else if eqA X a b then (b, N.pred n) :: r else (b, n) :: without a r
  end.
Definition choices (t : tally) : list answer := flat_map (fun an => if N.eqb (snd an) 0 then [] else [fst an]) t.

Lemma counted_perm a t : Permutation (a :: answers_in t) (answers_in (counted a t)).
Proof.
  induction t as [|[b n] t IH]; simpl; auto. destruct (eqA X a b) eqn:Eab; simpl.
  - apply (eqA_ok X) in Eab. subst. rewrite N2Nat.inj_succ. simpl. auto.
  - rewrite <- IH. apply Permutation_middle.
Qed.
Lemma tally_perm w : Permutation w (answers_in (tally_of w)).
Proof. induction w as [|a w IH]; simpl; auto. rewrite <- counted_perm. now constructor. Qed.

Lemma repeat_pred {A} (a : A) n : N.eqb n 0 = false -> repeat a (N.to_nat n) = a :: repeat a (N.to_nat (N.pred n)).
Proof.
  intro H. apply N.eqb_neq in H. rewrite <- (N.succ_pred n H) at 1. now rewrite N2Nat.inj_succ.
Qed.
Lemma choices_complete a t : In a (answers_in t) -> In a (choices t).
Proof.
  unfold answers_in, choices. rewrite !in_flat_map. intros ([b n] & Hi & Ha). exists (b, n). split; auto.
  simpl in *.
  pose proof (repeat_spec _ _ _ Ha). subst. destruct (N.eqb n 0) eqn:En; [|left; auto].
  apply N.eqb_eq in En. subst. destruct Ha.
Qed.
Lemma without_perm a t : In a (answers_in t) -> Permutation (answers_in t) (a :: answers_in (without a t)).
Proof.
  induction t as [|[b n] t IH]; simpl; [tauto|]. intro H. apply in_app_or in H.
  destruct (N.eqb n 0) eqn:En; simpl.
  - assert (n = 0%N) by now apply N.eqb_eq. subst. simpl in *. destruct H as [[]|H]. auto.
  - destruct (eqA X a b) eqn:Eab; simpl.
    + apply (eqA_ok X) in Eab. subst. rewrite (repeat_pred b n En). auto.
    + destruct H as [H|H].
      * apply repeat_spec in H. subst. rewrite (decides_refl _ (eqA_ok X)) in Eab. discriminate.
      * rewrite (IH H). symmetry. apply Permutation_middle.
Qed.

Definition state := (G * tally)%type.     (** a global state, and what is still to be answered *)
Definition eqState : state -> state -> bool := eqb_pair (eqG X) (eqb_list (eqb_pair (eqA X) N.eqb)).
Lemma eqState_ok : decides eqState.
Proof.
  apply pair_decides; [apply eqG_ok|]. apply list_decides, pair_decides; [apply eqA_ok|]. intros x y.
  apply N.eqb_eq.
Qed.

Definition serial_after table (g : G) (a : answer) : option (list G) :=
  match serial_ends X table (fst a) g with
  | Some es => Some (flat_map (fun rh => if eqR X (snd a) (fst rh) then [snd rh] else []) es)
  | None => None
  end.
(** All states after one more answer; [None] if a table has no entry. *)
Fixpoint by_answers table (g : G) (owed : tally) (next : list answer) : option (list state) :=
  match next with
  | [] => Some []
  | a :: r =>
    match serial_after table g a, by_answers table g owed r with
    | Some hs, Some rest => Some (map (fun h => (h, without a owed)) hs ++ rest)
    | _, _ => None
    end
  end.
Fixpoint next_layer table (layer : list state) : option (list state) :=
  match layer with
  | [] => Some []
  | (g, owed) :: r =>
    match by_answers table g owed (choices owed), next_layer table r with
    | Some s, Some t => Some (s ++ t)
    | _, _ => None
    end
  end.
(** Whether n answers can be given one after the other; [None] if it cannot tell. *)
Fixpoint explained table (n : nat) (layer : list state) : option bool :=
  match n with
  | O => Some (match layer with [] => false | _ => true end)
  | S k => match next_layer table layer with
           | None => None
           | Some next => explained table k (dedup eqState next)
           end
  end.

Definition check_run : bool :=
  let table := serial_table X (fuel E) (serial_from E) in
  match replay (init N) [] (flat_map unfolded (acts E)) with
  | None | Some (_, _ :: _, _) => false
  | Some (_, [], w) =>
    match counted_out E with
    | Some c => check_counted X c w table
    | None => match explained table (length w) [(init N, tally_of w)] with Some false => true | _ => false end
    end
  end.

Section Search.
Variables (fl : nat) (wanted : list (Q * G)).
Let table := serial_table X fl wanted.

Lemma serial_after_complete g a hs h : serial_after table g a = Some hs -> edge N g a h -> In h hs.
Proof.
  unfold serial_after. destruct (serial_ends X table (fst a) g) as [es|] eqn:Es; [|discriminate]. intros [= <-] He.
  destruct a as [q r]. apply in_flat_map. exists (r, h). split.
  - now apply (serial_ends_ok X _ _ _ _ _ Es).
  - simpl. rewrite (decides_refl _ (eqR_ok N X)). simpl. auto.
Qed.
Lemma by_answers_complete g owed h a : edge N g a h ->
  forall next res, In a next -> by_answers table g owed next = Some res -> In (h, without a owed) res.
Proof.
  intros He. induction next as [|b r IH]; simpl; intros res Hi H; [destruct Hi|].
  destruct (serial_after table g b) as [hs|] eqn:E1; [|discriminate].
  destruct (by_answers table g owed r) as [t|] eqn:E2; [|discriminate]. injection H as <-.
  apply in_or_app. destruct Hi as [->|Hi]; [left|right; eauto].
  apply in_map_iff. exists h. split; auto. apply (serial_after_complete _ _ _ _ E1 He).
Qed.
Lemma next_layer_complete g owed h a : edge N g a h -> In a (answers_in owed) ->
  forall layer res, In (g, owed) layer -> next_layer table layer = Some res -> In (h, without a owed) res.
Proof.
  intros He Ha. induction layer as [|[g' owed'] r IH]; simpl; intros res Hi H; [destruct Hi|].
  destruct (by_answers table g' owed' _) as [s|] eqn:E1; [|discriminate].
  destruct (next_layer table r) as [t|] eqn:E2; [|discriminate]. injection H as <-.
  apply in_or_app. destruct Hi as [Ei|Hi]; [left|right; eauto]. injection Ei as -> ->.
  apply (by_answers_complete _ _ _ _ He _ _ (choices_complete _ _ Ha) E1).
Qed.
Lemma explained_complete w : forall g k owed layer,
  path N g w k -> Permutation (answers_in owed) w -> In (g, owed) layer ->
    explained table (length w) layer <> Some false.
Proof.
  induction w as [|a w IH]; intros g k owed layer Hp HP Hi; simpl.
  - destruct layer; [destruct Hi|discriminate].
  - inversion Hp as [|g' a' h w' k' He Hp']; subst.
    destruct (next_layer table layer) as [next|] eqn:En; [|discriminate].
    assert (Ha : In a (answers_in owed)) by (apply (Permutation_in a (Permutation_sym HP)); left; auto).
    apply (IH h k (without a owed)); auto.
    + apply Permutation_cons_inv with a. rewrite <- HP. symmetry. now apply without_perm.
    + apply dedup_in; [apply eqState_ok|]. apply (next_layer_complete _ _ _ _ He Ha _ _ Hi En).
Qed.
End Search.

Theorem run_sound : check_run = true -> ~ serializable N.
Proof.
  unfold check_run. destruct (replay (init N) [] _) as [[[h [|f fs]] w]|] eqn:Er; try discriminate. intros H HS.
  apply replay_run in Er as Hr. rewrite serializable_by_paths in HS.
  destruct (HS _ _ Hr) as (w' & k & Hp & HP).
  destruct (counted_out E) as [c|].
  - destruct (serial_edges X c w (serial_table X (fuel E) (serial_from E))) as [es|] eqn:Ees.
    + exact (counted_sound X c w _ _ es Ees H w' k Hp HP).
    + unfold check_counted in H. rewrite Ees in H. discriminate.
  - unfold Semantics.answer in *. rewrite (Permutation_length HP) in H.
    assert (HP' : Permutation (answers_in (tally_of w)) w') by now rewrite <- tally_perm.
    destruct (explained _ (length w') _) as [[|]|] eqn:Ee; try discriminate H.
    exact (explained_complete _ _ w' _ _ (tally_of w) [(init N, tally_of w)] Hp HP' (or_introl eq_refl) Ee).
Qed.
End Run.
