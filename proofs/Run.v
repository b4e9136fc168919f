(** * Evidence of the kinds `run` and `folded-run`: a complete run whose outcome no serial run has

    The run is replayed. A move names the flight that takes it and when this began, not the request: requests of one
    name at one local state are interchangeable. Then all serial orders of the outcome that respect time are explored,
    layer by layer; or a proof by counting says that there are none, whatever the time. *)
From Coq Require Import List Bool Permutation Arith NArith Lia.
From Seriatim Require Import Semantics Lists Serial Time Exec Counted.
Import ListNotations.

Notation number := N.

Inductive act {G L Q R : Type} :=
| Tick                                       (** a barrier *)
| Spawn (q : Q) (l : L)
| Go (q : Q) (l : L) (began : nat) (m : L) (h : G)
                                             (** a request at l moves to m and leaves the global state h *)
| Reply (q : Q) (l : L) (began : nat) (r : R)
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
Notation timed_flight := (flight * nat)%type.
Notation timed_answer := (answer * interval)%type.

(** ** The run exists *)

(** Repeated stretches written out. *)
Fixpoint unfolded (a : act G L Q R) : list (act G L Q R) :=
  match a with
  | Again n acts => concat (repeat (flat_map unfolded acts) n)
  | a => [a]
  end.

Definition eqTF : timed_flight -> timed_flight -> bool := eqb_pair (eqF X) Nat.eqb.
Lemma eqTF_ok : decides eqTF. Proof. apply pair_decides; [apply eqF_ok|exact Nat.eqb_eq]. Qed.

(** A list without the first occurrence of a member, before and after it. *)
Fixpoint take (f : timed_flight) (fs : list timed_flight) : option (list timed_flight * list timed_flight) :=
  match fs with
  | [] => None
  | x :: r => if eqTF f x then Some ([], r)
              else match take f r with Some (a, b) => Some (x :: a, b) | None => None end
  end.

(** Where the moves lead, and the answers on the way. *)
Fixpoint replay (i : nat) (g : G) (fs : list timed_flight) (s : list (act G L Q R)) :
    option (nat * G * list timed_flight * list timed_answer) :=
  match s with
  | [] => Some (i, g, fs, [])
  | Tick :: s' => replay (S i) g fs s'
  | Spawn q l :: s' => if mem (eqF X) (q, l) (fresh_list X) then replay i g (((q, l), i) :: fs) s' else None
  | Go q l began m h :: s' =>
    match take ((q, l), began) fs, succ X l g with
    | Some (a, b), Some xs => if mem (eqS X) (m, h) xs then replay i h (a ++ ((q, m), began) :: b) s' else None
    | _, _ => None
    end
  | Reply q l began r :: s' =>
    match take ((q, l), began) fs with
    | Some (a, b) =>
      if mem (eqR X) r (answers X l)
      then match replay i g (a ++ b) s' with
           | Some (end_, w) => Some (end_, ((q, r), (began, i)) :: w)
           | None => None
           end
      else None
    | None => None
    end
  | Again _ _ :: _ => None
  end.

Lemma take_split f fs a b : take f fs = Some (a, b) -> fs = a ++ f :: b.
Proof.
  revert a b. induction fs as [|x fs IH]; simpl; intros a b; [discriminate|].
  destruct (eqTF f x) eqn:Ef.
  - apply eqTF_ok in Ef. intros [= <- <-]. subst. auto.
  - destruct (take f fs) as [[a' b']|]; [|discriminate]. intros [= <- <-]. simpl. f_equal. auto.
Qed.

Lemma replay_run s : forall i g fs d w, replay i g fs s = Some (d, w) -> timed_run N (i, g, fs) w d.
Proof.
  induction s as [|[|q l|q l t m k|q l t r|n s'] s IH]; simpl; intros i g fs d w H.
  - injection H as <- <-. constructor.
  - refine (timed_cons N _ [] _ _ _ _ (IH _ _ _ _ _ H)). constructor.
  - destruct (mem _ _ _) eqn:M; [|discriminate]. apply (mem_in _ (eqF_ok X)) in M. apply (fresh_ok N X) in M.
    refine (timed_cons N _ [] _ _ _ _ (IH _ _ _ _ _ H)). now constructor.
  - destruct (take _ fs) as [[a b]|] eqn:Et; [|discriminate]. apply take_split in Et. subst.
    destruct (succ X l g) as [xs|] eqn:Es; [|discriminate]. destruct (mem _ _ _) eqn:M; [|discriminate].
    apply (mem_in _ (eqS_ok X)) in M. apply (succ_ok N X l g xs Es) in M.
    refine (timed_cons N _ [] _ _ _ _ (IH _ _ _ _ _ H)). now constructor.
  - destruct (take _ fs) as [[a b]|] eqn:Et; [|discriminate]. apply take_split in Et. subst.
    destruct (mem _ _ _) eqn:M; [|discriminate]. apply (mem_in _ (eqR_ok N X)) in M. apply (answers_ok N X) in M.
    destruct (replay i g (a ++ b) s) as [[d0 w0]|] eqn:Ev; [|discriminate]. injection H as <- <-.
    refine (timed_cons N _ [((q, r), (t, i))] _ _ _ _ (IH _ _ _ _ _ Ev)). now constructor.
  - discriminate.
Qed.

(** ** No serial run has its outcome *)

Definition eqTA : timed_answer -> timed_answer -> bool := eqb_pair (eqA X) (eqb_pair Nat.eqb Nat.eqb).
Lemma eqTA_ok : decides eqTA.
Proof. apply pair_decides; [apply eqA_ok|]. apply pair_decides; exact Nat.eqb_eq. Qed.

(** An outcome by numbers: how often each answer is still to be given. *)
Definition tally := list (timed_answer * number).
Definition answers_in (t : tally) : list timed_answer := flat_map (fun an => repeat (fst an) (N.to_nat (snd an))) t.

Fixpoint counted (a : timed_answer) (t : tally) : tally :=
  match t with
  | [] => [(a, 1%N)]
  | (b, n) :: r => if eqTA a b then (b, N.succ n) :: r else (b, n) :: counted a r
  end.
Definition tally_of (w : list timed_answer) : tally := fold_right counted [] w.
Fixpoint without (a : timed_answer) (t : tally) : tally :=
  match t with
  | [] => []
  | (b, n) :: r => if N.eqb n 0 then (b, n) :: without a r
                   else if eqTA a b then (b, N.pred n) :: r else (b, n) :: without a r
  end.
Definition choices (t : tally) : list timed_answer := flat_map (fun an => if N.eqb (snd an) 0 then [] else [fst an]) t.

Lemma counted_perm a t : Permutation (a :: answers_in t) (answers_in (counted a t)).
Proof.
  induction t as [|[b n] t IH]; simpl; auto. destruct (eqTA a b) eqn:Eab; simpl.
  - apply eqTA_ok in Eab. subst. rewrite N2Nat.inj_succ. simpl. auto.
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
  - destruct (eqTA a b) eqn:Eab; simpl.
    + apply eqTA_ok in Eab. subst. rewrite (repeat_pred b n En). auto.
    + destruct H as [H|H].
      * apply repeat_spec in H. subst. rewrite (decides_refl _ eqTA_ok) in Eab. discriminate.
      * rewrite (IH H). symmetry. apply Permutation_middle.
Qed.

(** A global state, the latest beginning so far, and what is still to be answered. *)
Definition state := (G * nat * tally)%type.
Definition eqState : state -> state -> bool :=
  eqb_pair (eqb_pair (eqG X) Nat.eqb) (eqb_list (eqb_pair eqTA N.eqb)).
Lemma eqState_ok : decides eqState.
Proof.
  apply pair_decides; [apply pair_decides; [apply eqG_ok|exact Nat.eqb_eq]|].
  apply list_decides, pair_decides; [apply eqTA_ok|exact N.eqb_eq].
Qed.

Definition serial_after table (g : G) (a : answer) : option (list G) :=
  match serial_ends X table (fst a) g with
  | Some es => Some (flat_map (fun rh => if eqR X (snd a) (fst rh) then [snd rh] else []) es)
  | None => None
  end.
(** All states after one more answer that did not end before the latest beginning; [None] if a table has no entry. *)
Fixpoint by_answers table (g : G) (latest : nat) (owed : tally) (next : list timed_answer) : option (list state) :=
  match next with
  | [] => Some []
  | (a, (began, ended)) :: r =>
    if Nat.leb latest ended
    then match serial_after table g a, by_answers table g latest owed r with
         | Some hs, Some rest =>
           Some (map (fun h => (h, Nat.max latest began, without (a, (began, ended)) owed)) hs ++ rest)
         | _, _ => None
         end
    else by_answers table g latest owed r
  end.
Fixpoint next_layer table (layer : list state) : option (list state) :=
  match layer with
  | [] => Some []
  | (g, latest, owed) :: r =>
    match by_answers table g latest owed (choices owed), next_layer table r with
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

(** With up to K barriers. *)
Definition check_run (K : nat) : bool :=
  let table := serial_table X (fuel E) (serial_from E) in
  match replay 0 (init N) [] (flat_map unfolded (acts E)) with
  | None | Some (_, _ :: _, _) => false
  | Some (i, _, [], w) =>
    if Nat.leb i K
    then match counted_out E with
         | Some c => check_counted X c (map fst w) table
         | None => match explained table (length w) [(init N, 0, tally_of w)] with Some false => true | _ => false end
         end
    else false
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
Lemma by_answers_complete g latest owed h a x : edge N g a h -> latest <= snd x ->
  forall next res, In (a, x) next -> by_answers table g latest owed next = Some res ->
  In (h, Nat.max latest (fst x), without (a, x) owed) res.
Proof.
  intros He Hx. induction next as [|[b [began ended]] r IH]; simpl; intros res Hi H; [destruct Hi|].
  destruct (Nat.leb latest ended) eqn:El.
  - destruct (serial_after table g b) as [hs|] eqn:E1; [|discriminate].
    destruct (by_answers table g latest owed r) as [t|] eqn:E2; [|discriminate]. injection H as <-.
    apply in_or_app. destruct Hi as [Hi|Hi]; [left|right; eauto]. injection Hi as <- <-.
    apply in_map_iff. exists h. split; auto. apply (serial_after_complete _ _ _ _ E1 He).
  - destruct Hi as [Hi|Hi]; [|eauto]. injection Hi as <- <-. simpl in Hx. apply Nat.leb_gt in El. lia.
Qed.
Lemma next_layer_complete g latest owed h a x : edge N g a h -> latest <= snd x -> In (a, x) (answers_in owed) ->
  forall layer res, In (g, latest, owed) layer -> next_layer table layer = Some res ->
  In (h, Nat.max latest (fst x), without (a, x) owed) res.
Proof.
  intros He Hx Ha. induction layer as [|[[g' latest'] owed'] r IH]; simpl; intros res Hi H; [destruct Hi|].
  destruct (by_answers table g' latest' owed' _) as [s|] eqn:E1; [|discriminate].
  destruct (next_layer table r) as [t|] eqn:E2; [|discriminate]. injection H as <-.
  apply in_or_app. destruct Hi as [Ei|Hi]; [left|right; eauto]. injection Ei as -> -> ->.
  apply (by_answers_complete _ _ _ _ _ _ He Hx _ _ (choices_complete _ _ Ha) E1).
Qed.
Lemma explained_complete w : forall g k latest owed layer,
  path N g (map fst w) k -> in_time w -> Forall (fun a => latest <= snd (snd a)) w ->
  Permutation (answers_in owed) w -> In (g, latest, owed) layer ->
  explained table (length w) layer <> Some false.
Proof.
  induction w as [|[a x] w IH]; intros g k latest owed layer Hp Ht Hl HP Hi; simpl.
  - destruct layer; [destruct Hi|discriminate].
  - inversion Hp as [|g' a' h w' k' He Hp']; subst. inversion Ht as [|? ? Hx Ht']; subst.
    inversion Hl as [|? ? Hlx Hl']; subst. simpl in *.
    destruct (next_layer table layer) as [next|] eqn:En; [|discriminate].
    assert (Ha : In (a, x) (answers_in owed)) by (apply (Permutation_in _ (Permutation_sym HP)); left; auto).
    apply (IH h k (Nat.max latest (fst x)) (without (a, x) owed)); auto.
    + rewrite Forall_forall in *. intros y Hy. specialize (Hx y Hy). specialize (Hl' y Hy). simpl in *. lia.
    + apply Permutation_cons_inv with (a, x). rewrite <- HP. symmetry. now apply without_perm.
    + apply dedup_in; [apply eqState_ok|]. apply (next_layer_complete _ _ _ _ _ _ He Hlx Ha _ _ Hi En).
Qed.
End Search.

Theorem run_sound K : check_run K = true -> ~ strictly_serializable K N.
Proof.
  unfold check_run. destruct (replay 0 (init N) [] _) as [[[[i h] [|f fs]] w]|] eqn:Er; try discriminate.
  rewrite if_and. intros [Hi H] HS. apply Nat.leb_le in Hi. apply replay_run in Er as Hr.
  destruct (HS _ _ _ Hr Hi) as (w' & k & Hs & HP & Ht). apply serial_is_path in Hs.
  destruct (counted_out E) as [c|].
  - destruct (serial_edges X c (map fst w) (serial_table X (fuel E) (serial_from E))) as [es|] eqn:Ees.
    + exact (counted_sound X c _ _ _ es Ees H _ k Hs (Permutation_map fst HP)).
    + unfold check_counted in H. rewrite Ees in H. discriminate.
  - unfold Time.timed_answer in *. rewrite (Permutation_length HP) in H.
    assert (HP' : Permutation (answers_in (tally_of w)) w') by now rewrite <- tally_perm.
    apply (explained_complete (fuel E) (serial_from E) w' (init N) k 0 (tally_of w) [(init N, 0, tally_of w)]); auto.
    + apply Forall_forall. intros. lia.
    + left. auto.
    + now destruct (explained _ _ _) as [[|]|].
Qed.
End Run.
