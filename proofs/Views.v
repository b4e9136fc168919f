(** * Views: what requests of a handler can be in the middle of, with the globals that it mentions

    Local states have numbers, handler by handler. A table lists, for each handler, parts of global states ("rooms"),
    who can be there, and what it can do next. [None] is a new request. The table is data; what it has to do with a
    program is the matter of [Reduction.v]. *)
From Coq Require Import List Bool Permutation Arith ZArith Lia.
From Seriatim Require Import Lists Program Exchange Parts.
Import ListNotations.
Open Scope Z_scope.

Definition entry := ((nat + Z) * store)%type.                 (** a local state or an answer, and the part after it *)
Definition room := (store * list (option nat * list entry))%type.
Definition table := list (list bool * list room).             (** by handler: what it mentions, its rooms *)
(** s · (x - its first value) is the sum of the weights of all who are in flight. *)
Record invariant := { variable : nat; sign : Z; weighing : list ((nat * nat) * Z) }.

Notation numbered_flight := (nat * nat)%type.                 (** handler, local state *)
Notation numbered_answer := (nat * Z)%type.

Definition eqb_mover : option nat -> option nat -> bool := eqb_option Nat.eqb.
Lemma nat_decides : decides Nat.eqb. Proof. intros x y. apply Nat.eqb_eq. Qed.
Lemma mover_decides : decides eqb_mover. Proof. apply option_decides, nat_decides. Qed.
Definition eqb_flight : numbered_flight -> numbered_flight -> bool := eqb_pair Nat.eqb Nat.eqb.
Lemma flight_decides : decides eqb_flight. Proof. apply pair_decides; apply nat_decides. Qed.
Definition eqb_target : nat + Z -> nat + Z -> bool := eqb_sum Nat.eqb Z.eqb.
Lemma target_decides : decides eqb_target. Proof. apply sum_decides; [apply nat_decides|apply Z_decides]. Qed.
Definition eqb_entry : entry -> entry -> bool := eqb_pair eqb_target eqb_store.
Lemma entry_decides : decides eqb_entry. Proof. apply pair_decides; [apply target_decides|apply store_decides]. Qed.

Definition mask (T : table) (q : nat) : list bool := match nth_error T q with Some s => fst s | None => [] end.
Definition row (T : table) (q : nat) (o : option nat) (p : store) : option (list entry) :=
  match nth_error T q with
  | Some s => match lookup eqb_store p (snd s) with Some ms => lookup eqb_mover o ms | None => None end
  | None => None
  end.
Definition entries (T : table) (q : nat) (o : option nat) (p : store) : list entry :=
  match row T q o p with Some xs => xs | None => [] end.
Definition is_there (T : table) (q : nat) (o : option nat) (p : store) : bool :=
  match row T q o p with Some _ => true | None => false end.

Definition who (q : nat) (o : option nat) : option numbered_flight := option_map (pair q) o.
Definition becomes (q : nat) (x : nat + Z) : numbered_flight + numbered_answer :=
  match x with inl a => inl (q, a) | inr v => inr (q, v) end.
(** The steps that a table describes: they change what their handler mentions. *)
Inductive moves_by (ns : nat -> list bool) (T : table) :
  option numbered_flight -> store -> numbered_flight + numbered_answer -> store -> Prop :=
| moves_by_entry q o g x p : In (x, p) (entries T q o (only (ns q) g)) ->
    moves_by ns T (who q o) g (becomes q x) (paste (ns q) g p).

(** All views of a table. *)
Definition all_views (T : table) (check : nat -> option nat -> store -> list entry -> bool) : bool :=
  all (fun qs => all (fun r => all (fun m => check (fst qs) (fst m) (fst r) (snd m)) (snd r)) (snd (snd qs)))
      (numbered T).

Lemma row_in T q o p xs : row T q o p = Some xs ->
  exists s ms, nth_error T q = Some s /\ In (p, ms) (snd s) /\ In (o, xs) ms.
Proof.
  unfold row. destruct (nth_error T q) as [s|]; [|discriminate].
  destruct (lookup eqb_store p (snd s)) as [ms|] eqn:E; [|discriminate]. intro H. exists s, ms.
  split; auto. split; [exact (lookup_in _ store_decides _ _ _ E)|exact (lookup_in _ mover_decides _ _ _ H)].
Qed.
Lemma all_views_row T check q o p xs : all_views T check = true -> row T q o p = Some xs -> check q o p xs = true.
Proof.
  intros H Hr. apply row_in in Hr as (s & ms & Hs & Hp & Ho). unfold all_views in H. rewrite all_forall in H.
  apply numbered_in in Hs. specialize (H _ Hs). simpl in H. rewrite all_forall in H. specialize (H _ Hp).
  simpl in H. rewrite all_forall in H. exact (H _ Ho).
Qed.
Lemma all_views_entry T check q o p e :
  all_views T (fun q o p xs => all (check q o p) xs) = true -> In e (entries T q o p) -> check q o p e = true.
Proof.
  unfold entries. intros H He. destruct (row T q o p) as [xs|] eqn:E; [|destruct He].
  pose proof (all_views_row T _ q o p xs H E) as A. simpl in A. rewrite all_forall in A. auto.
Qed.

Section Views.
Variable T : table.                            (** all steps *)
Variable first : store.                        (** the initial global state *)
Variable invariants : list invariant.
Let ns := mask T.

(** ** What is consistent with the table *)

Definition weigh (i : invariant) (q : nat) (o : option nat) : Z :=
  match o with Some a => match lookup eqb_flight (q, a) (weighing i) with Some w => w | None => 0 end | None => 0 end.
Definition total (i : invariant) (fs : list numbered_flight) : Z :=
  fold_right (fun f n => weigh i (fst f) (Some (snd f)) + n) 0 fs.
Definition due (i : invariant) (g : store) : Z := sign i * (get (variable i) g - get (variable i) first).

Record consistent (g : store) (fs : list numbered_flight) : Prop := {
  consistent_length : length g = length first;
  consistent_new : forall q, (q < length T)%nat -> is_there T q None (only (ns q) g) = true;
  consistent_flights : forall q a, In (q, a) fs -> is_there T q (Some a) (only (ns q) g) = true;
  consistent_weights : forall i, In i invariants -> total i fs = due i g
}.

Let C := moves_by ns T.

Lemma total_perm i fs fs' : Permutation fs fs' -> total i fs = total i fs'.
Proof. induction 1; simpl; lia. Qed.
Lemma total_app i fs fs' : total i (fs ++ fs') = total i fs + total i fs'.
Proof. induction fs; simpl; lia. Qed.
Lemma total_who i q o : total i (listed (who q o)) = weigh i q o.
Proof. destruct o; simpl; lia. Qed.

Lemma consistent_perm g fs fs' : Permutation fs fs' -> consistent g fs -> consistent g fs'.
Proof.
  intros HP [H1 H2 H3 H4]. constructor; auto.
  - intros q a Hi. apply H3. now apply (Permutation_in _ (Permutation_sym HP)).
  - intros i Hi. rewrite <- (total_perm i _ _ HP). auto.
Qed.

(** Those of a configuration: a new request is always there. *)
Lemma consistent_there g q o fs : consistent g (listed (who q o) ++ fs) -> (q < length T)%nat ->
  is_there T q o (only (ns q) g) = true.
Proof.
  intros H Hq. destruct o as [a|]; [|now apply (consistent_new _ _ H)]. apply (consistent_flights _ _ H).
  left. reflexivity.
Qed.
Lemma there_handler q o p : is_there T q o p = true -> (q < length T)%nat.
Proof.
  unfold is_there, row. destruct (nth_error T q) eqn:E; [|discriminate]. intros _. apply nth_error_Some. congruence.
Qed.
Lemma entry_there q o p e : In e (entries T q o p) -> is_there T q o p = true.
Proof. unfold entries, is_there. destruct (row T q o p); [auto|intros []]. Qed.

(** ** Two requests at a time *)

(** Whether two may be in flight at once, as far as the weights tell. *)
Definition may_meet (q : nat) (o : option nat) (p : store) (q' : nat) (o' : option nat) : bool :=
  all (fun i => if has (both (ns q) (ns q')) (variable i) then weigh i q o + weigh i q' o' <=? due i p else true)
      invariants.
(** All pairs of views whose handlers mention something in common, and agree about it. *)
Definition all_pairs (check : nat -> option nat -> store -> nat -> option nat -> store -> bool) : bool :=
  all (fun qs =>
    all (fun qs' =>
      let shared := both (fst (snd qs)) (fst (snd qs')) in
      if any (fun b => b) shared then
        all (fun r =>
          let here := only shared (fst r) in
          all (fun r' =>
            if eqb_store here (only shared (fst r')) then
              all (fun m =>
                all (fun m' =>
                  if may_meet (fst qs) (fst m) (fst r) (fst qs') (fst m')
                  then check (fst qs) (fst m) (fst r) (fst qs') (fst m') (fst r') else true) (snd r')) (snd r)
            else true) (snd (snd qs'))) (snd (snd qs))
      else true) (numbered T)) (numbered T).

Definition weights_positive : bool := all (fun i => all (fun e => 0 <=? snd e) (weighing i)) invariants.
Hypothesis positive : weights_positive = true.

Lemma weigh_positive i q o : In i invariants -> 0 <= weigh i q o.
Proof.
  intro Hi. unfold weights_positive in positive. rewrite all_forall in positive. specialize (positive i Hi).
  rewrite all_forall in positive. unfold weigh. destruct o as [a|]; [|lia].
  destruct (lookup eqb_flight (q, a) (weighing i)) as [w|] eqn:E; [|lia].
  apply lookup_in in E; [|apply flight_decides]. apply positive in E. simpl in E. lia.
Qed.
Lemma total_positive i fs : In i invariants -> 0 <= total i fs.
Proof.
  intro Hi. induction fs as [|f fs IH]; [simpl; lia|]. pose proof (weigh_positive i (fst f) (Some (snd f)) Hi).
  simpl in *. lia.
Qed.

Lemma due_part i q g : has (ns q) (variable i) = true -> due i (only (ns q) g) = due i g.
Proof. intro H. unfold due. now rewrite get_only, H. Qed.

Lemma they_may_meet g q o q' o' os : consistent g (listed (who q o) ++ listed (who q' o') ++ os) ->
  may_meet q o (only (ns q) g) q' o' = true.
Proof.
  intro H. apply all_forall. intros i Hi. rewrite has_both. destruct (has (ns q) (variable i)) eqn:E; auto.
  destruct (has (ns q') (variable i)); auto. rewrite (due_part i q g E), <- (consistent_weights _ _ H i Hi).
  rewrite !total_app, !total_who. pose proof (total_positive i os Hi). apply Z.leb_le. lia.
Qed.

Lemma all_pairs_consistent check g q o q' o' os : all_pairs check = true ->
  consistent g (listed (who q o) ++ listed (who q' o') ++ os) -> (q < length T)%nat -> (q' < length T)%nat ->
  disjoint (ns q) (ns q') = true \/ check q o (only (ns q) g) q' o' (only (ns q') g) = true.
Proof.
  intros H Hk Hq Hq'. destruct (disjoint (ns q) (ns q')) eqn:D; [now left|right].
  assert (Hk' : consistent g (listed (who q' o') ++ listed (who q o) ++ os))
    by (revert Hk; apply consistent_perm; apply Permutation_app_swap_app).
  pose proof (consistent_there g q o _ Hk Hq) as H1. pose proof (consistent_there g q' o' _ Hk' Hq') as H2.
  unfold is_there in H1, H2. destruct (row T q o _) as [xs|] eqn:E1; [|discriminate].
  destruct (row T q' o' _) as [xs'|] eqn:E2; [|discriminate].
  apply row_in in E1 as (s & ms & Hs & Hp & Ho). apply row_in in E2 as (s' & ms' & Hs' & Hp' & Ho').
  assert (Em : ns q = fst s) by (unfold ns, mask; now rewrite Hs).
  assert (Em' : ns q' = fst s') by (unfold ns, mask; now rewrite Hs').
  destruct s as [m rooms], s' as [m' rooms']. cbn [fst snd] in *. subst m m'.
  apply numbered_in in Hs, Hs'. unfold all_pairs in H. rewrite all_forall in H. specialize (H _ Hs). simpl in H.
  rewrite all_forall in H. specialize (H _ Hs'). simpl in H. unfold disjoint in D. apply negb_false_iff in D.
  rewrite D in H. rewrite all_forall in H. specialize (H _ Hp). simpl in H.
  rewrite all_forall in H. specialize (H _ Hp'). simpl in H.
  rewrite (parts_agree (ns q) (ns q') g), (decides_refl _ store_decides) in H.
  rewrite all_forall in H. specialize (H _ Ho). simpl in H. rewrite all_forall in H. specialize (H _ Ho').
  simpl in H. rewrite (they_may_meet g q o q' o' os Hk) in H. exact H.
Qed.

(** ** The table is closed under steps *)

Definition ok_part (q : nat) (p : store) : bool :=
  if Nat.eqb (length p) (length first) then eqb_store (only (ns q) p) p else false.
Definition weights_follow (q : nat) (o : option nat) (p : store) (e : entry) : bool :=
  all (fun i =>
         let before := weigh i q o in
         let after := match fst e with inl a => weigh i q (Some a) | inr _ => 0 end in
         let change := if has (ns q) (variable i) then due i (snd e) - due i p else 0 in
         after - before =? change) invariants.
Definition closed_entry (q : nat) (o : option nat) (p : store) (e : entry) : bool :=
  if ok_part q (snd e) then
    if is_there T q None (snd e) then
      if (match fst e with inl a => is_there T q (Some a) (snd e) | inr _ => true end)
      then weights_follow q o p e else false
    else false
  else false.
(** Others see what they mention. *)
Definition others_stay (q : nat) (o : option nat) (p : store) (q' : nat) (o' : option nat) (p' : store) : bool :=
  let shared := both (ns q) (ns q') in
  all (fun e => is_there T q' o' (paste shared p' (snd e))) (entries T q o p).
Definition check_views : bool :=
  if weights_positive then
    if all (fun qs => is_there T (fst qs) None (only (fst (snd qs)) first)) (numbered T) then
      if all_views T (fun q o p xs => all (closed_entry q o p) xs) then all_pairs others_stay else false
    else false
  else false.

Hypothesis closed : check_views = true.

Lemma consistent_first : consistent first [].
Proof.
  pose proof closed as H. unfold check_views in H. rewrite !if_and in H. destruct H as (_ & H & _).
  rewrite all_forall in H. constructor.
  - reflexivity.
  - intros q Hq. destruct (nth_error T q) as [s|] eqn:E; [|apply nth_error_None in E; lia].
    pose proof E as E'. apply numbered_in in E'. specialize (H _ E'). simpl in H. unfold ns, mask. now rewrite E.
  - intros q a [].
  - intros i _. unfold due. simpl. lia.
Qed.

Lemma entry_closed q o p e : In e (entries T q o p) -> closed_entry q o p e = true.
Proof.
  pose proof closed as H. unfold check_views in H. rewrite !if_and in H. destruct H as (_ & _ & H & _).
  exact (all_views_entry T closed_entry q o p e H).
Qed.
Lemma entry_part q o p x p' : In (x, p') (entries T q o p) ->
  length p' = length first /\ only (ns q) p' = p'.
Proof.
  intro He. apply entry_closed in He. unfold closed_entry in He. apply if_and in He as [He _].
  unfold ok_part in He. apply if_and in He as [E1 E2]. simpl in *.
  split; [now apply Nat.eqb_eq|now apply store_decides].
Qed.

(** Whoever else can be there can be there afterwards. *)
Lemma other_there g q o q' o' x p os : consistent g (listed (who q o) ++ listed (who q' o') ++ os) ->
  In (x, p) (entries T q o (only (ns q) g)) -> (q' < length T)%nat ->
  is_there T q' o' (only (ns q') (paste (ns q) g p)) = true.
Proof.
  intros Hk He Hq'. destruct (entry_part _ _ _ _ _ He) as [El _]. pose proof (consistent_length _ _ Hk) as Eg.
  rewrite only_pasted by congruence.
  pose proof closed as H. unfold check_views in H. rewrite !if_and in H. destruct H as (_ & _ & _ & H).
  assert (Hk' : consistent g (listed (who q' o') ++ listed (who q o) ++ os))
    by (revert Hk; apply consistent_perm; apply Permutation_app_swap_app).
  destruct (all_pairs_consistent others_stay g q o q' o' os H Hk (there_handler _ _ _ (entry_there _ _ _ _ He)) Hq')
    as [D|A].
  - rewrite paste_nothing; [exact (consistent_there g q' o' _ Hk' Hq')|rewrite only_length; congruence|].
    intro y. now apply disjoint_has.
  - unfold others_stay in A. rewrite all_forall in A. exact (A _ He).
Qed.

Theorem consistent_step g f os t h : consistent g (listed f ++ os) -> C f g t h -> consistent h (stays_as t ++ os).
Proof.
  intros Hk Hc. destruct Hc as [q o g x p He]. destruct (entry_part _ _ _ _ _ He) as [El Ep].
  pose proof (consistent_length _ _ Hk) as Eg. pose proof (there_handler _ _ _ (entry_there _ _ _ _ He)) as Hq.
  assert (Own : only (ns q) (paste (ns q) g p) = p) by (apply only_paste; congruence).
  pose proof (entry_closed _ _ _ _ He) as Hc. unfold closed_entry in Hc. rewrite !if_and in Hc.
  destruct Hc as (_ & Hnew & Ht & Hb). simpl in Hnew, Ht. constructor.
  - rewrite paste_length. exact El.
  - intros q' Hq'. apply (other_there g q o q' None x p os); auto.
  - intros q' a Hi. apply in_app_or in Hi as [Hi|Hi].
    + destruct x as [b|v]; simpl in Hi; [|destruct Hi]. destruct Hi as [E|[]]. injection E as <- <-. now rewrite Own.
    + apply in_split in Hi as (l1 & l2 & ->).
      assert (Hk' : consistent g (listed (who q o) ++ listed (who q' (Some a)) ++ l1 ++ l2)).
      { revert Hk. apply consistent_perm. apply Permutation_app_head. simpl. symmetry. apply Permutation_middle. }
      apply (other_there g q o q' (Some a) x p (l1 ++ l2)); auto.
      apply (there_handler q' (Some a) (only (ns q') g)). apply (consistent_flights _ _ Hk).
      apply in_or_app. right. apply in_or_app. right. left. auto.
  - intros i Hi. unfold weights_follow in Hb. rewrite all_forall in Hb. specialize (Hb i Hi). cbn [fst snd] in Hb.
    apply Z.eqb_eq in Hb. pose proof (consistent_weights _ _ Hk i Hi) as W. rewrite total_app, total_who in W.
    rewrite total_app.
    assert (Et : total i (stays_as (becomes q x)) = match x with inl a => weigh i q (Some a) | inr _ => 0 end)
      by (destruct x; simpl; lia).
    rewrite Et. destruct (has (ns q) (variable i)) eqn:E.
    + rewrite (due_part i q g E) in Hb.
      assert (Ed : due i (paste (ns q) g p) = due i p) by (unfold due; now rewrite (get_pasted (ns q) g p _ E)).
      lia.
    + assert (Ed : due i (paste (ns q) g p) = due i g).
      { unfold due. rewrite get_paste by congruence. now rewrite E. }
      lia.
Qed.
End Views.
