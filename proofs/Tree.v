(** * Evidence of the kind `tree`: counting is enough to see that every outcome is serial

    Runs are walks on a cover, and walks are runs of a net: its places are the nodes of the cover, of which one has
    a token,
    and the flights. A tree of cases proves that all counts of transitions which satisfy balances and cuts have an
    outcome
    in a linear set, and each of these sets consists of outcomes of a serial run with cycles. *)
From Coq Require Import List Bool Permutation ZArith Lia.
From Seriatim Require Import Semantics Lists Serial Prompt Exec Cover Net Arithmetic Rows Insert.
Import ListNotations.
Open Scope Z_scope.

(** A serial run, cycles at states on its way, and conditions that describe the outcomes: vectors e, pairs (a, d),
    and
    numbers that show that the conditions are exact (see [exact]). *)
Record serial_set {G Q R : Type} := {
  run_steps : list ((Q * R) * G);
  run_cycles : list (G * list ((Q * R) * G));
  set_equations : list (list Z);
  set_conditions : list (list Z * Z);
  multiple : Z;
  remainders : list (list Z)
}.
Arguments serial_set : clear implicits.

Record tree_evidence {G L Q R : Type} := {
  tree_prunes : list (prune G L Q);
  tree_cover : cover G L Q nat;                   (** nodes with their numbers *)
  balances : list (list (nat + Q * L));           (** sets of places *)
  tree_cuts : list (bool * list (nat + Q * L));   (** [true] for a siphon, [false] for a trap *)
  completions : list (Q * R);                     (** the entries of outcomes *)
  sets : list (serial_set G Q R);
  proof : tree;
  tree_states : list (Q * G);
  tree_fuel : nat
}.
Arguments tree_evidence : clear implicits.

Section Tree.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N) (E : tree_evidence G L Q R).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.
Notation place := (nat + flight)%type.

(** ** The net of a cover *)

Definition tree_nobody : flight -> bool := fun _ => false.
Definition lost : flight -> bool := all_pruned X tree_nobody (tree_prunes E).
Definition anything (_ : node G L Q nat) (_ : option flight) (_ : flight + answer)
  (_ : node G L Q nat) : bool := true.
Definition as_transition (e : node G L Q nat * option flight * (flight + answer) * node G L Q nat) :
    transition place (list answer) :=
  let '(n, f, t, n') := e in
  {| takes := inl (payload n) :: map inr (listed f);
     gives := inl (payload n') :: map inr (flights_of t);
     said := answers_of t |}.
Definition net : list (transition place (list answer)) :=
  map as_transition (edges X (tree_cover E) lost anything).

Definition eqP : place -> place -> bool := eqb_sum Nat.eqb (eqF X).

(** ** Balances *)

Definition can_end (n : node G L Q nat) : bool :=
  all (fun kw => match value n (fst kw) with Some v => v =? 0 | None => true end) (weights (tree_cover E)).
Definition may_hold_the_end (S : place -> bool) : bool :=
  any (fun n => if can_end n then S (inl (payload n)) else false) (nodes (tree_cover E)).
Definition balance_row (start : list place) (ps : list place) : row :=
  (tokens_left net start (belongs eqP ps), if may_hold_the_end (belongs eqP ps) then AtLeastZero else IsZero).

Definition outcome_forms : list (list Z) :=
  map (fun a => form net 0 (fun t => number_of X a (said t))) (completions E).

(** ** Outcomes of serial runs with cycles as linear sets *)

Definition image (w : list answer) : list Z := map (fun a => number_of X a w) (completions E).
Definition run_word (s : serial_set G Q R) : list answer := map fst (run_steps s).
Definition cycle_words (s : serial_set G Q R) : list (list answer) := map (fun c => map fst (snd c)) (run_cycles s).

(** Numbers for quotients and rests: each condition has two of its own. *)
Fixpoint with_entries (off : nat) (cs : list (list Z * Z)) : list condition :=
  match cs with
  | [] => []
  | (a, d) :: r => {| cond_a := a; cond_d := d; cond_q := off; cond_r := S off |} :: with_entries (2 + off) r
  end.
Fixpoint linear_sets (off : nat) (ss : list (serial_set G Q R)) : list linear_set :=
  match ss with
  | [] => []
  | s :: r =>
    {| base := image (run_word s); equations := set_equations s; conditions := with_entries off (set_conditions s) |}
    :: linear_sets (2 * length (set_conditions s) + off) r
  end.

(** For each completion i, multiple · (entry i of w) = Σ (multiple / d) · (entry i of p) · (a·w) + Σ (entry i of c)
    · (e·w),
    where p are the images of cycles and c the remainders. So if w meets the conditions, it is a sum of images of
    cycles. *)
Fixpoint linear_combination (l : list (Z * list Z)) : list Z :=
  match l with [] => [] | (k, v) :: r => add (scale k v) (linear_combination r) end.
Definition recovered (s : serial_set G Q R) (i : nat) : list (Z * list Z) :=
  map (fun cp => (multiple s / snd (fst cp) * nth i (snd cp) 0, fst (fst cp)))
      (combine (set_conditions s) (map image (cycle_words s))) ++
  map (fun ec => (nth i (snd ec) 0, fst ec)) (combine (set_equations s) (remainders s)).
Definition exact (s : serial_set G Q R) : bool :=
  if 0 <? multiple s
  then if (length (set_conditions s) =? length (run_cycles s))%nat
  then if all (fun c => if 0 <? snd c then multiple s mod snd c =? 0 else false) (set_conditions s)
  then all (fun i => all (fun z => z =? 0)
                         (add (linear_combination (recovered s i)) (scale (- multiple s) (entry i))))
           (seq 0 (length (completions E)))
  else false else false else false.

(** ** The check *)

Definition listed_answers (w : list answer) : bool := all (fun a => mem (eqA X) a (completions E)) w.
Definition replayed table (s : serial_set G Q R) : bool :=
  if listed_answers (run_word s)
  then if all listed_answers (cycle_words s)
  then match follows X table (init N) (run_steps s) with
       | None => false
       | Some _ =>
         all (fun c => if mem (eqG X) (fst c) (init N :: map snd (run_steps s))
                       then match follows X table (fst c) (snd c) with Some h => eqG X h (fst c) | None => false end
                       else false) (run_cycles s)
       end
  else false else false.

Definition check_tree : bool :=
  let table := serial_table X (tree_fuel E) (tree_states E) in
  if check_prunes X tree_nobody (tree_prunes E)
  then if check_cover X (tree_cover E) lost anything
  then if all (fun t => listed_answers (said t)) net
  then if all (replayed table) (sets E)
  then if all exact (sets E)
  then match nodes (tree_cover E) with
       | [] => false
       | n0 :: _ =>
         let start := [inl (payload n0)] in
         if all (siphon_ok eqP start) (tree_cuts E)
         then closes outcome_forms (linear_sets (1 + length net) (sets E)) (map (cut_rows eqP net start)
           (tree_cuts E))
                     (map (balance_row start) (balances E)) (proof E)
         else false
       end
  else false else false else false else false else false.

(** ** Walks are runs of the net *)

Lemma eqP_ok : decides eqP.
Proof. apply sum_decides; [intros x y; apply Nat.eqb_eq|apply eqF_ok]. Qed.

Lemma walk_fires n fs w m : walk X (tree_cover E) lost anything n fs w m ->
  exists s, fires net (inl (payload n) :: map inr fs) s [inl (payload m)] /\
            (forall a, number_of X a w = sum net (fun t => number_of X a (said t)) s) /\
            In m (nodes (tree_cover E)) /\ can_end m = true.
Proof.
  induction 1 as [n Hn H|n fs f os t n' w m Hn HP Hs _ He Hw (s & Hf & Hw' & Hm)].
  - exists []. repeat split; auto; [now constructor|]. unfold can_end. apply all_forall. intros [k ws] Hk. simpl.
    destruct (value n k) as [v|] eqn:Ev; auto. pose proof (holds_weights _ _ _ _ H k ws v Hk Ev) as Hv.
    simpl in Hv. lia.
  - destruct (In_nth_error (edges X (tree_cover E) lost anything) _ He) as (i & Hi).
    assert (Ht : nth_error net i = Some (as_transition (n, f, t, n'))) by (unfold net; apply map_nth_error; auto).
    exists (i :: s). split; [|split; auto].
    + apply (fires_cons net _ (as_transition (n, f, t, n')) (map inr os)); auto.
      * simpl. constructor. rewrite <- map_app. now apply Permutation_map.
      * simpl. rewrite <- map_app. exact Hf.
    + intro a. simpl. rewrite Ht, number_of_app, Hw'. reflexivity.
Qed.

(** ** Counts of a run satisfy the rows *)

Section Counts.
Variables (n0 m : node G L Q nat) (s : list nat) (more : list Z).
Let start : list place := [inl (payload n0)].
Hypothesis run_of_net : fires net start s [inl (payload m)].
Hypothesis ends_there : In m (nodes (tree_cover E)) /\ can_end m = true.
Let y := counts net s ++ more.

Lemma balance_row_holds ps : satisfies (1 :: y) (balance_row start ps).
Proof.
  unfold satisfies, balance_row, y. cbn [fst snd]. rewrite (tokens_left_value net start _ s more run_of_net).
  pose proof (tokens_nonneg (belongs eqP ps) [inl (payload m)]).
  destruct (may_hold_the_end (belongs eqP ps)) eqn:Em; [lia|].
  apply untouched_tokens. unfold touches. cbn [any]. destruct (belongs eqP ps (inl (payload m))) eqn:Eb; auto.
  assert (F : may_hold_the_end (belongs eqP ps) = true); [|congruence].
  apply any_exists. exists m. destruct ends_there as [Hm Hc]. rewrite Hc. auto.
Qed.

(** The outcome. *)
Definition numbers : list Z := map (fun a => sum net (fun t => number_of X a (said t)) s) (completions E).

Lemma outcome_value : map (fun f => dot f (1 :: y)) outcome_forms = numbers.
Proof.
  unfold outcome_forms, numbers. rewrite map_map. apply map_ext. intro a. unfold y. rewrite form_value. lia.
Qed.
Lemma offset_value a b : dot (offset outcome_forms a b) (1 :: y) = dot a numbers - dot a b.
Proof. unfold offset. rewrite dot_add, dot_applied, outcome_value, dot_constant. lia. Qed.
End Counts.

(** ** Quotients and rests *)

Section Quotients.
Variable z : list Z.

Definition quotient (b a : list Z) (d : Z) : Z := Z.max 0 ((dot a z - dot a b) / d).
Definition rest (b a : list Z) (d : Z) : Z := Z.max 0 ((dot a z - dot a b) mod d - 1).
Definition extras_of (s : serial_set G Q R) : list Z :=
  flat_map (fun c => [quotient (image (run_word s)) (fst c) (snd c); rest (image (run_word s)) (fst c) (snd c)])
           (set_conditions s).
Definition extras (ss : list (serial_set G Q R)) : list Z := flat_map extras_of ss.

Lemma extras_nonneg ss : Forall (fun a => 0 <= a) (extras ss).
Proof.
  apply Forall_forall. intros a Ha. apply in_flat_map in Ha as (s & _ & Ha).
  apply in_flat_map in Ha as (c & _ & Ha).
  destruct Ha as [<-|[<-|[]]]; [unfold quotient|unfold rest]; lia.
Qed.

Lemma nth_here {A} (pre : list A) a r d : nth (length pre) (pre ++ a :: r) d = a.
Proof. rewrite app_nth2, Nat.sub_diag; auto. Qed.

Lemma nth_next {A} (pre : list A) a b r d : nth (S (length pre)) (pre ++ a :: b :: r) d = b.
Proof. rewrite app_nth2 by lia. replace (S (length pre) - length pre)%nat with 1%nat by lia. reflexivity. Qed.

Lemma entries_right s cs : forall pre post c, In c (with_entries (length pre) cs) ->
  let x := pre ++ flat_map (fun c => [quotient (image (run_word s)) (fst c) (snd c);
                                      rest (image (run_word s)) (fst c) (snd c)]) cs ++ post in
  dot (entry (cond_q c)) x = quotient (image (run_word s)) (cond_a c) (cond_d c) /\
  dot (entry (cond_r c)) x = rest (image (run_word s)) (cond_a c) (cond_d c) /\
  exists a d, In (a, d) cs /\ cond_a c = a /\ cond_d c = d.
Proof.
  induction cs as [|[a d] cs IH]; intros pre post c Hc; [destruct Hc|]. simpl in Hc. destruct Hc as [<-|Hc].
  - cbv zeta. cbn [cond_q cond_r cond_a cond_d flat_map fst snd app]. rewrite !dot_entry. split; [apply nth_here|].
    split; [apply nth_next|exists a, d; simpl; auto].
  - set (q := quotient (image (run_word s)) a d). set (r := rest (image (run_word s)) a d).
    destruct (IH (pre ++ [q; r]) post c) as (H1 & H2 & a' & d' & Hin & H3).
    { rewrite app_length. simpl. replace (length pre + 2)%nat with (S (S (length pre))) by lia. exact Hc. }
    rewrite <- app_assoc in H1, H2. simpl in *. split; [exact H1|split; [exact H2|]]. exists a', d'. auto.
Qed.
Lemma extras_of_length s : length (extras_of s) = (2 * length (set_conditions s))%nat.
Proof. unfold extras_of. induction (set_conditions s) as [|c cs IH]; simpl in *; lia. Qed.

(** Entries of all sets, one set after the other. *)
Lemma sets_right ss : forall pre l, In l (linear_sets (length pre) ss) ->
  exists s, In s ss /\ base l = image (run_word s) /\ equations l = set_equations s /\
    map (fun c => (cond_a c, cond_d c)) (conditions l) = set_conditions s /\
    forall c, In c (conditions l) ->
      dot (entry (cond_q c)) (pre ++ extras ss) = quotient (base l) (cond_a c) (cond_d c) /\
      dot (entry (cond_r c)) (pre ++ extras ss) = rest (base l) (cond_a c) (cond_d c).
Proof.
  induction ss as [|s ss IH]; intros pre l Hl; [destruct Hl|]. simpl in Hl. destruct Hl as [<-|Hl].
  - exists s. simpl. repeat split; auto.
    + clear. generalize (length pre). induction (set_conditions s) as [|[a d] cs IH]; intro k; simpl; auto.
      f_equal. apply IH.
    + apply (entries_right s (set_conditions s) pre (extras ss) c H).
    + apply (entries_right s (set_conditions s) pre (extras ss) c H).
  - destruct (IH (pre ++ extras_of s) l) as (s' & Hs & H1 & H2 & H3 & H4).
    { rewrite app_length, extras_of_length. rewrite Nat.add_comm. exact Hl. }
    exists s'. split; [right; auto|]. repeat split; auto; intros; rewrite <- ?app_assoc in H4; apply H4; auto.
Qed.
End Quotients.

(** ** From conditions to a serial run *)

Section Recover.
Variables (z b : list Z).
Definition difference (v : list Z) : Z := dot v z - dot v b.

Lemma difference_combination l :
  difference (linear_combination l) = fold_right (fun kv acc => fst kv * difference (snd kv) + acc) 0 l.
Proof.
  unfold difference. induction l as [|[k v] l IH]; [reflexivity|]. simpl.
  rewrite !dot_add, !dot_scale, <- IH. ring.
Qed.
Lemma zero_dot v : all (fun a => a =? 0) v = true -> forall x, dot v x = 0.
Proof.
  induction v as [|a v IH]; intros H [|c x]; simpl; auto. simpl in H. apply if_and in H as [H1 H2].
  apply Z.eqb_eq in H1. subst. rewrite IH; auto.
Qed.

Fixpoint sum_cycles (ks : list nat) (ps : list (list Z)) (i : nat) : Z :=
  match ks, ps with k :: ks', p :: ps' => Z.of_nat k * nth i p 0 + sum_cycles ks' ps' i | _, _ => 0 end.

Definition times_taken (s : serial_set G Q R) : list nat :=
  map (fun c => Z.to_nat (difference (fst c) / snd c)) (set_conditions s).

Lemma recovered_value s i : exact s = true -> In i (seq 0 (length (completions E))) ->
  (forall e, In e (set_equations s) -> difference e = 0) ->
  (forall c, In c (set_conditions s) -> 0 <= difference (fst c) /\ difference (fst c) mod snd c = 0) ->
  nth i z 0 - nth i b 0 = sum_cycles (times_taken s) (map image (cycle_words s)) i.
Proof.
  intros Hx Hi He Hc. unfold exact in Hx. rewrite !if_and in Hx. destruct Hx as (Hm & _ & Hd & Hr).
  apply Z.ltb_lt in Hm. rewrite all_forall in Hd. rewrite all_forall in Hr. specialize (Hr i Hi).
  assert (Ez := zero_dot _ Hr z). assert (Eb := zero_dot _ Hr b).
  rewrite dot_add, dot_scale, dot_entry in Ez, Eb.
  assert (M : multiple s * (nth i z 0 - nth i b 0) = difference (linear_combination (recovered s i)))
    by (unfold difference; lia).
  rewrite difference_combination in M. unfold recovered in M. rewrite fold_right_app in M.
  assert (Z1 : forall es cs, (forall e, In e es -> difference e = 0) ->
    fold_right (fun kv acc => fst kv * difference (snd kv) + acc) 0
      (map (fun ec : list Z * list Z => (nth i (snd ec) 0, fst ec)) (combine es cs)) = 0).
  { clear. induction es as [|e es IH]; intros [|c cs] H; simpl; auto. rewrite IH by (intros; apply H; right; auto).
    rewrite (H e (or_introl eq_refl)). ring. }
  rewrite Z1 in M by exact He. clear Z1 Ez Eb Hr Hi He.
  assert (Z2 : forall cs ps,
    (forall c, In c cs -> 0 <= difference (fst c) /\ difference (fst c) mod snd c = 0) ->
    (forall c, In c cs -> (if 0 <? snd c then multiple s mod snd c =? 0 else false) = true) ->
    fold_right (fun kv acc => fst kv * difference (snd kv) + acc) 0
      (map (fun cp : (list Z * Z) * list Z => (multiple s / snd (fst cp) * nth i (snd cp) 0, fst (fst cp)))
        (combine cs ps))
    = multiple s * sum_cycles (map (fun c => Z.to_nat (difference (fst c) / snd c)) cs) ps i).
  { clear - Hm. induction cs as [|[a d] cs IH]; intros [|p ps] Hc Hd; simpl; try ring.
    rewrite IH; [|intros c Hi; apply Hc; right; auto|intros c Hi; apply Hd; right; auto].
    destruct (Hc (a, d) (or_introl eq_refl)) as [H1 H2]. specialize (Hd (a, d) (or_introl eq_refl)). simpl in *.
    apply if_and in Hd as [D1 D2]. apply Z.ltb_lt in D1. apply Z.eqb_eq in D2.
    rewrite Z2Nat.id by (apply Z.div_pos; lia).
    pose proof (Z.div_mod (difference a) d ltac:(lia)) as A. pose proof (Z.div_mod (multiple s) d ltac:(lia)) as B.
    rewrite H2 in A. rewrite D2 in B.
    set (k := difference a / d) in *. set (c := multiple s / d) in *. rewrite B, A. ring. }
  rewrite Z2 in M; auto. clear Z2. fold (times_taken s) in M.
  apply Z.mul_reg_l in M; auto. lia.
Qed.
End Recover.

Lemma number_of_cycles a i : nth_error (completions E) i = Some a -> forall ks cs,
  number_of X a (many_cycles ks cs) = sum_cycles ks (map image cs) i.
Proof.
  intros Hi. induction ks as [|k ks IH]; intros [|c cs]; simpl; auto.
  rewrite number_of_app, number_of_repeat, IH. f_equal. f_equal. unfold image.
  symmetry. apply nth_error_nth. exact (map_nth_error (fun a => number_of X a c) i (completions E) Hi).
Qed.

Lemma listed_in w a : listed_answers w = true -> In a w -> In a (completions E).
Proof.
  unfold listed_answers. rewrite all_forall. intros H Ha. apply H in Ha. now apply (mem_in _ (eqA_ok X)) in Ha.
Qed.
Lemma many_cycles_in ks : forall (cs : list (list answer)) a, In a (many_cycles ks cs) -> exists c, In c cs /\ In a c.
Proof.
  induction ks as [|k ks IH]; intros [|c cs] a H; simpl in *; try contradiction. apply in_app_or in H as [H|H].
  - apply in_concat in H as (c' & Hc & Ha). apply repeat_spec in Hc. subst. eauto.
  - destruct (IH _ _ H) as (c' & Hc & Ha). eauto.
Qed.

Theorem tree_sound : check_tree = true -> serializable N.
Proof.
  intro H. unfold check_tree in H. rewrite !if_and in H. destruct H as (Hp & Hc & Ha & Hs & Hx & H).
  rewrite all_forall in Ha. rewrite all_forall in Hs. rewrite all_forall in Hx.
  apply (serializable_by_prompt_runs N (skips X) (stays X) (skips_ok X) (stays_ok N X)). intros timed g Hr.
  apply (prunes_sound X _ _ _ _ Hp), prompt_of_timed in Hr. simpl in Hr. fold lost in Hr.
  set (v := map fst timed) in *.
  destruct (runs_are_walks X _ _ _ Hc _ _ Hr) as (n0 & ns & m & En & _ & Hw). rewrite En in H.
  apply if_and in H as [Hcut Hclose]. rewrite all_forall in Hcut.
  destruct (walk_fires _ _ _ _ Hw) as (s & Hf & Hv & Hm). simpl in Hf.
  set (z := numbers s). set (more := extras z (sets E)). set (y := counts net s ++ more).
  assert (naturals : Forall (fun a => 0 <= a) y)
    by (apply Forall_app; split; [apply counts_nonneg|apply extras_nonneg]).
  assert (Hsets : forall l, In l (linear_sets (1 + length net) (sets E)) ->
    exists s', In s' (sets E) /\ base l = image (run_word s') /\ equations l = set_equations s' /\
      map (fun c => (cond_a c, cond_d c)) (conditions l) = set_conditions s' /\
      forall c, In c (conditions l) -> dot (entry (cond_q c)) (1 :: y) = quotient z (base l) (cond_a c) (cond_d c) /\
                                       dot (entry (cond_r c)) (1 :: y) = rest z (base l) (cond_a c) (cond_d c)).
  { intros l Hl. apply (sets_right z (sets E) (1 :: counts net s)). simpl. now rewrite counts_length. }
  assert (Meets : in_some_set outcome_forms (linear_sets (1 + length net) (sets E)) y).
  { apply (closes_sound outcome_forms _ (map (cut_rows eqP net [inl (payload n0)])
      (tree_cuts E)) y naturals) with (4 := Hclose).
    - intros k Hk. apply in_map_iff in Hk as (cut & <- & Hk).
      exact (cut_holds eqP net _ _ s more Hf cut (Hcut _ Hk)).
    - intros l Hl c Hcond. destruct (Hsets l Hl) as (s' & Hs' & _ & _ & Econd & Hq).
      destruct (Hq c Hcond) as [Q1 Q2].
      assert (D : 0 < cond_d c).
      { assert (Hin : In (cond_a c, cond_d c) (set_conditions s'))
          by (rewrite <- Econd; apply in_map_iff; eauto).
        specialize (Hx _ Hs'). unfold exact in Hx. rewrite !if_and in Hx. destruct Hx as (_ & _ & Hd & _).
        rewrite all_forall in Hd. specialize (Hd _ Hin). apply if_and in Hd as [Hd _]. simpl in Hd. lia. }
      unfold y, more. rewrite (offset_value s (extras z (sets E))). fold more y. fold z. split; auto. intro Hpos.
      split.
      + rewrite Q1. unfold quotient. apply Z.max_r. apply Z.div_pos; lia.
      + intro Hne. rewrite Q2. unfold rest. apply Z.max_r.
        pose proof (Z.mod_pos_bound (dot (cond_a c) z - dot (cond_a c) (base l)) (cond_d c) D). lia.
    - apply Forall_forall. intros r Hrow. apply in_map_iff in Hrow as (ps & <- & _).
      exact (balance_row_holds n0 m s more Hf Hm ps). }
  destruct Meets as (l & Hl & Heq & Hcond). destruct (Hsets l Hl) as (s' & Hs' & Eb & Ee & Ec & _).
  specialize (Hs _ Hs'). specialize (Hx _ Hs').
  unfold replayed in Hs. rewrite !if_and in Hs. destruct Hs as (Lrun & Lcyc & Hs). rewrite all_forall in Lcyc.
  destruct (follows X _ (init N) (run_steps s')) as [h|] eqn:Ef; [|discriminate]. rewrite all_forall in Hs.
  apply follows_tour in Ef.
  destruct (insert_all (init N) h (map (fun c => (fst c, map fst (snd c))) (run_cycles s'))
    (times_taken z (base l) s')
              _ _ Ef) as (w' & Hpath & HP).
  { intros st c Hin. apply in_map_iff in Hin as ([st' steps] & Eq & Hin). simpl in Eq. injection Eq as <- <-.
    specialize (Hs _ Hin). apply if_and in Hs as [Hmem Hfol]. cbn [fst snd] in Hmem, Hfol.
    split; [exact (proj1 (mem_in _ (eqG_ok N X) _ _) Hmem)|].
    destruct (follows X _ st' steps) as [k|] eqn:Ek; [|discriminate]. apply (eqG_ok N X) in Hfol. subst.
    apply follows_tour, tour_path in Ek. exact Ek. }
  rewrite map_map in HP. simpl in HP. fold (cycle_words s') in HP. fold (run_word s') in HP.
  exists w', h. split; auto. apply (same_numbers X). intro a.
  rewrite (number_of_perm X a _ _ HP), number_of_app, Hv.
  destruct (In_dec (decided (eqA X) (eqA_ok X)) a (completions E)) as [Hin|Hout].
  - apply In_nth_error in Hin as (i & Hi).
    assert (Hlt : (i < length (completions E))%nat) by (apply nth_error_Some; congruence).
    rewrite (number_of_cycles a i Hi).
    assert (V := recovered_value z (base l) s' i Hx).
    rewrite <- V; clear V.
    + rewrite Eb. unfold z, numbers, image.
      rewrite (nth_error_nth _ _ _ (map_nth_error _ _ _ Hi)), (nth_error_nth _ _ _ (map_nth_error _ _ _ Hi)). lia.
    + apply in_seq. lia.
    + intros e He'. rewrite <- Ee in He'. specialize (Heq e He'). unfold y, more in Heq.
      rewrite (offset_value s (extras z (sets E))) in Heq. exact Heq.
    + intros c Hc'. rewrite <- Ec in Hc'. apply in_map_iff in Hc' as (c0 & <- & Hc0). specialize (Hcond c0 Hc0).
      simpl in Hcond. unfold y, more in Hcond. rewrite (offset_value s (extras z (sets E))) in Hcond. exact Hcond.
  - rewrite (number_of_absent X a (run_word s')) by (intro Hin; apply Hout; exact (listed_in _ _ Lrun Hin)).
    rewrite (number_of_absent X a (many_cycles _ _)).
    + clear - Ha Hout. induction s as [|i s IH]; simpl; auto. rewrite IH.
      destruct (nth_error net i) as [t|] eqn:Et; auto. rewrite number_of_absent; auto.
      intro Hin. apply Hout. apply (listed_in (said t)); auto. apply Ha. exact (nth_error_In _ _ Et).
    + intro Hin. apply many_cycles_in in Hin as (c & Hc' & Hin). apply Hout. apply (listed_in c); auto.
Qed.
End Tree.
