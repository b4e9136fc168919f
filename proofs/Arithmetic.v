(** * Proofs by cases about natural numbers

    Vectors are lists; missing entries are 0. The numbers of a proof are x = 1 :: y, with y natural, so that entry
    0 of a
    form is its constant. A row says that a form is 0, or at least 0. A case is a list of rows; a tree closes it, or
    replaces it by cases with more rows. *)
From Coq Require Import List Bool ZArith Lia.
From Seriatim Require Import Lists Net.
Import ListNotations.
Open Scope Z_scope.

(** ** Forms *)

Fixpoint add (v w : list Z) : list Z :=
  match v, w with [], _ => w | _, [] => v | a :: v', b :: w' => (a + b) :: add v' w' end.
Definition scale (k : Z) (v : list Z) : list Z := map (Z.mul k) v.
Definition entry (i : nat) : list Z := repeat 0 i ++ [1].      (** the form that is entry i of x *)
Definition constant (c : Z) : list Z := [c].

Lemma dot_add v : forall w x, dot (add v w) x = dot v x + dot w x.
Proof. induction v as [|a v IH]; intros [|b w] [|c x]; simpl; rewrite ?IH; lia. Qed.
Lemma dot_scale k v : forall x, dot (scale k v) x = k * dot v x.
Proof. unfold scale. induction v as [|a v IH]; intros [|c x]; simpl; rewrite ?IH; lia. Qed.
Lemma dot_constant c y : dot (constant c) (1 :: y) = c.
Proof. simpl. lia. Qed.
Lemma dot_entry i : forall x, dot (entry i) x = nth i x 0.
Proof.
  unfold entry. induction i as [|i IH]; intros [|c x]; cbn [repeat app dot nth]; try reflexivity.
  - ring.
  - rewrite IH. ring.
Qed.
Lemma dot_entry_next i a x : dot (entry (S i)) (a :: x) = dot (entry i) x.
Proof. now rewrite !dot_entry. Qed.

(** ** Rows *)

Inductive relation := IsZero | AtLeastZero.
Definition row := (list Z * relation)%type.
Definition satisfies (x : list Z) (r : row) : Prop :=
  match snd r with IsZero => dot (fst r) x = 0 | AtLeastZero => 0 <= dot (fst r) x end.

Definition at_least (k : Z) (f : list Z) : row := (add f (constant (- k)), AtLeastZero).
Definition at_most (k : Z) (f : list Z) : row := (add (scale (-1) f) (constant k), AtLeastZero).

Lemma at_least_iff k f y : satisfies (1 :: y) (at_least k f) <-> k <= dot f (1 :: y).
Proof. unfold satisfies, at_least. cbn [fst snd]. rewrite dot_add, dot_constant. lia. Qed.
Lemma at_most_iff k f y : satisfies (1 :: y) (at_most k f) <-> dot f (1 :: y) <= k.
Proof. unfold satisfies, at_most. cbn [fst snd]. rewrite dot_add, dot_scale, dot_constant. lia. Qed.

(** Sums of rows: those that are at least 0 may not be taken a negative number of times. *)
Fixpoint combination (rows : list row) (s : list (nat * Z)) : option (list Z) :=
  match s with
  | [] => Some []
  | (i, k) :: r =>
    match nth_error rows i with
    | Some (f, rel) =>
      if match rel with IsZero => true | AtLeastZero => 0 <=? k end
      then match combination rows r with Some v => Some (add (scale k f) v) | None => None end
      else None
    | None => None
    end
  end.

Lemma combination_nonneg x rows : Forall (satisfies x) rows ->
  forall s v, combination rows s = Some v -> 0 <= dot v x.
Proof.
  intros H. induction s as [|[i k] s IH]; simpl; intros v E.
  - injection E as <-. simpl. lia.
  - destruct (nth_error rows i) as [[f rel]|] eqn:En; [|discriminate].
    destruct (match rel with IsZero => true | AtLeastZero => 0 <=? k end) eqn:Ek; [|discriminate].
    destruct (combination rows s) as [w|]; [|discriminate]. injection E as <-. specialize (IH _ eq_refl).
    rewrite dot_add, dot_scale. apply nth_error_In in En. rewrite Forall_forall in H. apply H in En.
    unfold satisfies in En. cbn [fst snd] in En. destruct rel; [rewrite En; lia|]. apply Z.leb_le in Ek. nia.
Qed.

(** Rounding (Gomory, Chvátal): divide, round multiples of numbers up and the constant down. *)
Definition round_up (d a : Z) : Z := - ((- a) / d).
Definition rounded (d : Z) (v : list Z) : list Z := match v with [] => [] | c :: r => c / d :: map (round_up d) r end.

Lemma round_up_le d a : 0 < d -> a <= d * round_up d a.
Proof.
  intro Hd. unfold round_up. pose proof (Z.div_mod (- a) d ltac:(lia)). pose proof (Z.mod_pos_bound (- a) d Hd).
  lia.
Qed.
Lemma dot_round_up d r : 0 < d -> forall y, Forall (fun a => 0 <= a) y -> dot r y <= d * dot (map (round_up d) r) y.
Proof.
  intro Hd. induction r as [|a r IH]; intros [|b y] Hy; simpl; try lia.
  inversion Hy as [|? ? Hb Hy']; subst. specialize (IH y Hy'). pose proof (round_up_le d a Hd). nia.
Qed.
Lemma rounded_nonneg d v y : 0 < d -> Forall (fun a => 0 <= a) y ->
  0 <= dot v (1 :: y) -> 0 <= dot (rounded d v) (1 :: y).
Proof.
  intros Hd Hy. destruct v as [|c r]; simpl; [lia|]. intro H. pose proof (dot_round_up d r Hd y Hy).
  pose proof (Z.div_mod c d ltac:(lia)). pose proof (Z.mod_pos_bound c d Hd). nia.
Qed.

Lemma dot_nonpos r : forall y, Forall (fun c => c <= 0) r -> Forall (fun a => 0 <= a) y -> dot r y <= 0.
Proof.
  induction r as [|c r IH]; intros [|b y] Hr Hy; simpl; try lia.
  inversion Hr; inversion Hy; subst. assert (dot r y <= 0) by (apply IH; auto). nia.
Qed.

(** ** Linear sets, and what is outside of them

    Outcomes are vectors z; [Z] has a form for each entry. A set b + Σ kⱼ·pⱼ is described by conditions on w = z −
    b:
    e·w = 0 for some vectors e, and "a·w is a natural multiple of d" for some (a, d). To say that a·w is none,
    there are
    two more numbers: entry q of x is the quotient by d, entry r the rest minus 1. *)
Record condition := { cond_a : list Z; cond_d : Z; cond_q : nat; cond_r : nat }.
Record linear_set := { base : list Z; equations : list (list Z); conditions : list condition }.

Section Outside.
Variable Z0 : list (list Z).

Fixpoint applied (a : list Z) (fs : list (list Z)) : list Z :=
  match a, fs with c :: a', f :: fs' => add (scale c f) (applied a' fs') | _, _ => [] end.
(** a·(z − b) *)
Definition offset (a b : list Z) : list Z := add (applied a Z0) (constant (- dot a b)).

Lemma dot_applied a x : forall fs, dot (applied a fs) x = dot a (map (fun f => dot f x) fs).
Proof.
  induction a as [|c a IH]; intros [|f fs]; simpl; auto. rewrite dot_add, dot_scale, IH. lia.
Qed.

(** Cases and the rows that hold if none of them does: for equations, *)
Fixpoint unequal (b : list Z) (es : list (list Z)) (held : list row) : list (list row) * list row :=
  match es with
  | [] => ([], held)
  | e :: r => let f := offset e b in
              let '(cases, h) := unequal b r (held ++ [(f, IsZero)]) in
              ((held ++ [at_least 1 f]) :: (held ++ [at_most (-1) f]) :: cases, h)
  end.
(** for signs, *)
Fixpoint negative (b : list Z) (cs : list condition) (held : list row) : list (list row) * list row :=
  match cs with
  | [] => ([], held)
  | c :: r => let f := offset (cond_a c) b in
              let '(cases, h) := negative b r (held ++ [(f, AtLeastZero)]) in
              ((held ++ [at_most (-1) f]) :: cases, h)
  end.
(** and for multiples. *)
Fixpoint indivisible (b : list Z) (cs : list condition) (held : list row) : list (list row) :=
  match cs with
  | [] => []
  | c :: r =>
    let f := offset (cond_a c) b in
    if cond_d c =? 1 then indivisible b r held
    else
      let rest := add f (scale (- cond_d c) (entry (cond_q c))) in
      (held ++ [(add rest (add (scale (-1) (entry (cond_r c))) (constant (-1))), IsZero);
                at_most (cond_d c - 2) (entry (cond_r c))])
      :: indivisible b r (held ++ [(rest, IsZero)])
  end.
Definition outside (s : linear_set) : list (list row) :=
  let '(k1, h1) := unequal (base s) (equations s) [] in
  let '(k2, h2) := negative (base s) (conditions s) h1 in
  k1 ++ k2 ++ indivisible (base s) (conditions s) h2.

Variable y : list Z.
Let x := 1 :: y.
Notation at_x f := (dot f x).
Notation all_rows := (Forall (satisfies x)).

(** x has the quotients and rests that belong to its outcome. *)
Definition has_quotients (s : linear_set) : Prop := forall c, In c (conditions s) ->
  let v := at_x (offset (cond_a c) (base s)) in
  0 < cond_d c /\
  (0 <= v -> at_x (entry (cond_q c)) = v / cond_d c /\
             (v mod cond_d c <> 0 -> at_x (entry (cond_r c)) = v mod cond_d c - 1)).
(** The outcome of x meets the conditions of the set. *)
Definition meets (s : linear_set) : Prop :=
  (forall e, In e (equations s) -> at_x (offset e (base s)) = 0) /\
  (forall c, In c (conditions s) -> let v := at_x (offset (cond_a c) (base s)) in 0 <= v /\ v mod cond_d c = 0).

Lemma rows_snoc held r : all_rows held -> satisfies x r -> all_rows (held ++ [r]).
Proof. intros. apply Forall_app. auto. Qed.

Lemma unequal_sound b : forall es held cases h, all_rows held -> unequal b es held = (cases, h) ->
  Exists all_rows cases \/ (all_rows h /\ forall e, In e es -> at_x (offset e b) = 0).
Proof.
  induction es as [|e es IH]; simpl; intros held cases h Hh E.
  - injection E as <- <-. right. split; auto. intros e [].
  - destruct (unequal b es _) as [cases' h'] eqn:E'. injection E as <- <-. set (f := offset e b) in *.
    destruct (Z.eq_dec (at_x f) 0) as [Ez|En].
    + destruct (IH _ _ _ (rows_snoc _ (f, IsZero) Hh Ez) E') as [H|[H1 H2]]; [left; now do 2 right|right;
        split; auto].
      intros e' [<-|He]; auto.
    + left. destruct (Z_lt_le_dec (at_x f) 0).
      * right. left. apply rows_snoc; auto. apply at_most_iff. unfold x in *. lia.
      * left. apply rows_snoc; auto. apply at_least_iff. unfold x in *. lia.
Qed.
Lemma negative_sound b : forall cs held cases h, all_rows held -> negative b cs held = (cases, h) ->
  Exists all_rows cases \/ (all_rows h /\ forall c, In c cs -> 0 <= at_x (offset (cond_a c) b)).
Proof.
  induction cs as [|c cs IH]; simpl; intros held cases h Hh E.
  - injection E as <- <-. right. split; auto. intros c [].
  - destruct (negative b cs _) as [cases' h'] eqn:E'. injection E as <- <-. set (f := offset (cond_a c) b) in *.
    destruct (Z_lt_le_dec (at_x f) 0) as [Hl|Hg].
    + left. left. apply rows_snoc; auto. apply at_most_iff. unfold x in *. lia.
    + destruct (IH _ _ _ (rows_snoc _ (f, AtLeastZero) Hh Hg) E') as [H|[H1 H2]]; [left; now right|right;
        split; auto].
      intros c' [<-|Hc]; auto.
Qed.
Lemma indivisible_sound b : forall cs held, all_rows held ->
  (forall c, In c cs -> let v := at_x (offset (cond_a c) b) in
     0 < cond_d c /\ 0 <= v /\ at_x (entry (cond_q c)) = v / cond_d c /\
     (v mod cond_d c <> 0 -> at_x (entry (cond_r c)) = v mod cond_d c - 1)) ->
  Exists all_rows (indivisible b cs held) \/ forall c, In c cs -> at_x (offset (cond_a c) b) mod cond_d c = 0.
Proof.
  induction cs as [|c cs IH]; simpl; intros held Hh Hc; [right; intros c []|].
  destruct (Hc c (or_introl eq_refl)) as (Hd & Hp & Hq & Hr). set (f := offset (cond_a c) b) in *.
  assert (Hc' := fun c' Hi => Hc c' (or_intror Hi)). destruct (cond_d c =? 1) eqn:E1.
  - apply Z.eqb_eq in E1. destruct (IH _ Hh Hc') as [H|H]; auto. right. intros c' [<-|Hi]; auto.
    fold f. rewrite E1. apply Z.mod_1_r.
  - pose proof (Z.div_mod (at_x f) (cond_d c) ltac:(lia)) as DM.
    pose proof (Z.mod_pos_bound (at_x f) (cond_d c) Hd) as MB.
    set (rest := add f (scale (- cond_d c) (entry (cond_q c)))).
    assert (Er : at_x rest = at_x f mod cond_d c) by (unfold rest; rewrite dot_add, dot_scale, Hq; lia).
    destruct (Z.eq_dec (at_x f mod cond_d c) 0) as [Ez|En].
    + destruct (IH (held ++ [(rest, IsZero)])) as [H|H]; auto.
      * apply rows_snoc; auto. unfold satisfies. cbn [fst snd]. lia.
      * right. intros c' [<-|Hi]; auto.
    + left. left. specialize (Hr En). apply Forall_app. split; [exact Hh|].
      constructor; [|constructor; [|constructor]].
      * unfold satisfies, x in *. cbn [fst snd]. rewrite !dot_add, dot_scale, dot_constant, Er, Hr. lia.
      * apply at_most_iff. unfold x in *. rewrite Hr. lia.
Qed.

Theorem outside_sound s : has_quotients s -> Exists all_rows (outside s) \/ meets s.
Proof.
  intro He. unfold outside. destruct (unequal _ _ _) as [k1 h1] eqn:E1. destruct (negative _ _ _) as [k2 h2] eqn:E2.
  rewrite !Exists_app. destruct (unequal_sound _ _ _ _ _ (Forall_nil _) E1) as [H|[H1 Q1]]; auto.
  destruct (negative_sound _ _ _ _ _ H1 E2) as [H|[H2 Q2]]; auto.
  assert (Q3 : forall c, In c (conditions s) -> let v := at_x (offset (cond_a c) (base s)) in
     0 < cond_d c /\ 0 <= v /\ at_x (entry (cond_q c)) = v / cond_d c /\
     (v mod cond_d c <> 0 -> at_x (entry (cond_r c)) = v mod cond_d c - 1)).
  { intros c Hc. destruct (He c Hc) as [Hd Hx]. specialize (Q2 c Hc). destruct (Hx Q2). simpl. auto. }
  destruct (indivisible_sound (base s) (conditions s) h2 H2 Q3) as [H|H]; auto.
  right. split; auto. intros c Hc. simpl. auto.
Qed.
End Outside.

(** ** The tree *)

Inductive tree :=
| ByCover (n : nat) (ts : list tree)
| ByCut (n : nat) (ts : list tree)
| Round (s : list (nat * Z)) (d : Z) (t : tree)
| Absurd (s : list (nat * Z)).

Section Tree.
Variables (Z0 : list (list Z)) (sets : list linear_set) (cuts : list (list row)).

Fixpoint closes (rows : list row) (t : tree) {struct t} : bool :=
  let each := fix each (cases : list (list row)) (ts : list tree) {struct ts} : bool :=
    match cases, ts with
    | [], [] => true
    | c :: cs, t :: ts' => if closes (rows ++ c) t then each cs ts' else false
    | _, _ => false
    end in
  match t with
  | ByCover n ts => match nth_error sets n with Some s => each (outside Z0 s) ts | None => false end
  | ByCut n ts => match nth_error cuts n with Some k => each (map (fun r => [r]) k) ts | None => false end
  | Round s d t =>
    match combination rows s with
    | Some v => if 0 <? d then closes (rows ++ [(rounded d v, AtLeastZero)]) t else false
    | None => false
    end
  | Absurd s =>
    match combination rows s with Some (c :: r) => if c <? 0 then all (fun a => a <=? 0) r else false | _ => false end
  end.

Variable y : list Z.
Let x := 1 :: y.
Hypothesis naturals : Forall (fun a => 0 <= a) y.
Hypothesis cuts_hold : forall k, In k cuts -> exists r, In r k /\ satisfies x r.
Hypothesis quotients : forall s, In s sets -> has_quotients Z0 y s.

Definition in_some_set : Prop := exists s, In s sets /\ meets Z0 y s.
Definition right_tree (t : tree) : Prop :=
  forall rows, Forall (satisfies x) rows -> closes rows t = true -> in_some_set.

Lemma each_right rows ts : Forall right_tree ts -> Forall (satisfies x) rows ->
  forall cases, Exists (Forall (satisfies x)) cases ->
  (fix each (cases : list (list row)) (ts : list tree) {struct ts} : bool :=
     match cases, ts with
     | [], [] => true
     | c :: cs, t :: ts' => if closes (rows ++ c) t then each cs ts' else false
     | _, _ => false
     end) cases ts = true -> in_some_set.
Proof.
  intros HF Hr. induction HF as [|t ts Ht _ IH]; intros [|k ks] Hk E; try discriminate; [inversion Hk|].
  apply if_and in E as [E1 E2]. inversion Hk as [? ? Hh|? ? Hh]; subst.
  - apply (Ht (rows ++ k)); auto. apply Forall_app. auto.
  - apply (IH ks); auto.
Qed.

(** If the tree closes all cases, the outcome is in one of the sets. *)
Fixpoint closes_sound (t : tree) : right_tree t.
Proof.
  assert (Each : forall ts, Forall right_tree ts)
    by (clear - closes_sound; induction ts as [|t ts IH]; constructor; [apply closes_sound|exact IH]).
  destruct t as [n ts|n ts|s d t|s]; intros rows Hr E; simpl in E.
  - destruct (nth_error sets n) as [s|] eqn:En; [|discriminate]. apply nth_error_In in En.
    destruct (outside_sound Z0 y s (quotients s En)) as [H|H]; [|exists s; auto].
    exact (each_right rows ts (Each ts) Hr _ H E).
  - destruct (nth_error cuts n) as [k|] eqn:En; [|discriminate]. apply nth_error_In in En.
    destruct (cuts_hold k En) as (r & Hi & Hh). apply (each_right rows ts (Each ts) Hr _) in E; auto.
    apply Exists_exists. exists [r]. split; [apply in_map_iff; eauto|auto].
  - destruct (combination rows s) as [v|] eqn:Ev; [|discriminate]. apply if_and in E as [E1 E2].
    apply Z.ltb_lt in E1.
    apply (closes_sound t (rows ++ [(rounded d v, AtLeastZero)])); auto. apply rows_snoc; auto.
    apply rounded_nonneg; auto. exact (combination_nonneg _ _ Hr _ _ Ev).
  - exfalso. destruct (combination rows s) as [[|c r]|] eqn:Ev; try discriminate. apply if_and in E as [E1 E2].
    apply Z.ltb_lt in E1. pose proof (combination_nonneg _ _ Hr _ _ Ev) as H. unfold x in H. simpl in H.
    assert (dot r y <= 0); [|lia]. apply dot_nonpos; auto. apply Forall_forall. rewrite all_forall in E2.
    intros a Ha. apply Z.leb_le. auto.
Qed.
End Tree.
