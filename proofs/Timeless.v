(** * Evidence of the kind `timeless`: a serial order can be sorted by time

    In serial runs, neighbours can be exchanged, but for some pairs of completions: one of [firsts], then one of
    [seconds]. If no request begins after an answer of [seconds] and is then answered by [firsts], every serial order
    of the answers of a run becomes one that respects time, by exchanges of neighbours. *)
From Coq Require Import List Bool Permutation Arith Lia.
From Seriatim Require Import Semantics Lists Serial Time Prompt Exec Cover.
Import ListNotations.

Record timeless_evidence {G L Q R : Type} := {
  firsts : list (Q * R);
  seconds : list (Q * R);
  orders : list G;                                  (** the global states of serial runs *)
  order_fuel : nat;
  begun_late : cover G L Q (option (list (Q * L)))  (** after an answer of [seconds]: where those can be who began later *)
}.
Arguments timeless_evidence : clear implicits.

Section Timeless.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N) (E : timeless_evidence G L Q R).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.
Notation target := (flight + answer)%type.
Notation node := (node G L Q (option (list flight))).
Notation timed := (answer * interval)%type.

Definition first (a : answer) : bool := mem (eqA X) a (firsts E).
Definition second (a : answer) : bool := mem (eqA X) a (seconds E).

(** ** The check: neighbours can be exchanged *)

Fixpoint moves_by (g : G) (qs : list Q) : option (list (answer * G)) :=
  match qs with
  | [] => Some []
  | q :: r => match alone X (order_fuel E) q g, moves_by g r with
              | Some es, Some ms => Some (map (fun e => ((q, fst e), snd e)) es ++ ms)
              | _, _ => None
              end
  end.
Definition order_table : list (G * option (list (answer * G))) :=
  map (fun g => (g, moves_by g (map fst (fresh_list X)))) (orders E).
Definition moves (table : list (G * option (list (answer * G)))) (g : G) : option (list (answer * G)) :=
  match lookup (eqG X) g table with Some (Some ms) => Some ms | _ => None end.
(** a, then b, which leads to k: if the order is not fixed, b, then a, leads there, too. *)
Definition exchanged table (ms : list (answer * G)) (a b : answer) (k : G) : bool :=
  if (if first a then second b else false) then true
  else any (fun m => if eqA X b (fst m)
                     then match moves table (snd m) with
                          | Some ns => mem (eqb_pair (eqA X) (eqG X)) (a, k) ns
                          | None => false
                          end
                     else false) ms.
Definition exchanges_at table (g : G) : bool :=
  match moves table g with
  | None => false
  | Some ms => all (fun m => match moves table (snd m) with
                             | None => false
                             | Some ns => all (fun n => exchanged table ms (fst m) (fst n) (snd n)) ns
                             end) ms
  end.
Definition check_exchanges : bool :=
  let table := order_table in
  if mem (eqG X) (init N) (orders E) then all (exchanges_at table) (orders E) else false.

(** ** The check: nobody is late *)

Definition subset_flights (a b : list flight) : bool := all (fun f => mem (eqF X) f b) a.
(** What is known when a step leads from [n] to [n']. *)
Definition remembers (n : node) (f : option flight) (t : target) (n' : node) : bool :=
  match payload n, payload n' with
  | None, None => match t with inl _ => true | inr a => negb (second a) end
  | None, Some _ => true
  | Some _, None => false
  | Some ls, Some ls' =>
    if subset_flights ls ls'
    then if match f with None => true | Some x => mem (eqF X) x ls end
         then match t with inl y => mem (eqF X) y ls' | inr a => negb (first a) end
         else true
    else false
  end.
Definition check_timeless : bool :=
  if check_exchanges then check_cover X (begun_late E) nobody_dead remembers else false.

(** ** Exchanges in serial runs *)

Lemma moves_by_ok g qs ms : moves_by g qs = Some ms ->
  forall a h, In (a, h) ms <-> In (fst a) qs /\ edge N g a h.
Proof.
  revert ms. induction qs as [|q qs IH]; intros ms H [p r] h; simpl in *.
  - injection H as <-. simpl. tauto.
  - destruct (alone X (order_fuel E) q g) as [es|] eqn:Ea; [|discriminate].
    destruct (moves_by g qs) as [ns|]; [|discriminate]. injection H as <-.
    rewrite in_app_iff, (IH ns eq_refl), in_map_iff. simpl. split.
    + intros [([r' h'] & Eq & Hi)|[Hq He]]; [|auto]. simpl in Eq. injection Eq as <- <- <-.
      split; auto. now apply (alone_ok X _ _ _ _ Ea).
    + intros [[->|Hq] He]; [|auto]. left. exists (r, h). split; auto. now apply (alone_ok X _ _ _ _ Ea).
Qed.

Lemma moves_ok g ms : moves order_table g = Some ms -> forall a h, In (a, h) ms <-> edge N g a h.
Proof.
  unfold moves. destruct (lookup (eqG X) g order_table) as [[ns|]|] eqn:El; try discriminate. intros [= ->] a h.
  apply (lookup_in _ (eqG_ok N X)) in El. apply in_map_iff in El as (g' & Eq & _). injection Eq as -> Em.
  rewrite (moves_by_ok _ _ _ Em). split; [tauto|]. intro He. split; auto.
  destruct He as (l0 & l & Hf & _). apply (fresh_ok N X) in Hf. exact (in_map fst _ _ Hf).
Qed.
Lemma moves_in g ms : moves order_table g = Some ms -> In g (orders E).
Proof.
  unfold moves. destruct (lookup (eqG X) g order_table) as [o|] eqn:El; [|discriminate]. intros _.
  apply (lookup_in _ (eqG_ok N X)) in El. apply in_map_iff in El as (g' & Eq & Hi). now injection Eq as -> _.
Qed.

Section Exchanges.
Hypothesis OK : check_exchanges = true.

Lemma exchanges_known g : In g (orders E) -> exchanges_at order_table g = true.
Proof.
  unfold check_exchanges in OK. apply if_and in OK as [_ H]. rewrite all_forall in H. auto.
Qed.
Lemma edge_known g a h : In g (orders E) -> edge N g a h -> In h (orders E).
Proof.
  intros Hg He. apply exchanges_known in Hg. unfold exchanges_at in Hg.
  destruct (moves order_table g) as [ms|] eqn:Em; [|discriminate]. rewrite all_forall in Hg.
  apply (moves_ok _ _ Em) in He. apply Hg in He. simpl in He.
  destruct (moves order_table h) as [ns|] eqn:En; [|discriminate]. exact (moves_in _ _ En).
Qed.

Lemma edges_exchanged g a h b k : In g (orders E) -> edge N g a h -> edge N h b k ->
  (first a = true -> second b = false) -> exists h', edge N g b h' /\ edge N h' a k.
Proof.
  intros Hg Ha Hb Hfix. apply exchanges_known in Hg. unfold exchanges_at in Hg.
  destruct (moves order_table g) as [ms|] eqn:Em; [|discriminate]. rewrite all_forall in Hg.
  apply (moves_ok _ _ Em) in Ha. apply Hg in Ha. simpl in Ha.
  destruct (moves order_table h) as [ns|] eqn:En; [|discriminate]. rewrite all_forall in Ha.
  apply (moves_ok _ _ En) in Hb. apply Ha in Hb. simpl in Hb. unfold exchanged in Hb.
  destruct (first a) eqn:Fa; [rewrite (Hfix eq_refl) in Hb|]; apply any_exists in Hb as ([b' h'] & Hi & Hm);
    apply if_and in Hm as [Eb Hm]; apply (eqA_ok X) in Eb; simpl in *; subst b';
    (destruct (moves order_table h') as [ks|] eqn:Ek; [|discriminate]);
    apply (mem_in _ (pair_decides _ _ (eqA_ok X) (eqG_ok N X))) in Hm;
    exists h'; (split; [now apply (moves_ok _ _ Em)|now apply (moves_ok _ _ Ek)]).
Qed.

(** One completion moves behind others. *)
Lemma moved_back a us vs : forall g k, In g (orders E) -> path N g (a :: us ++ vs) k ->
  (forall b, In b us -> first a = true -> second b = false) -> path N g (us ++ a :: vs) k.
Proof.
  induction us as [|b us IH]; intros g k Hg Hp Hfix; [exact Hp|]. simpl in *.
  inversion Hp as [|? ? h ? ? Ha Hp']; subst. inversion Hp' as [|? ? j ? ? Hb Hp'']; subst.
  destruct (edges_exchanged g a h b j Hg Ha Hb) as (h' & Hb' & Ha'); [apply Hfix; auto|].
  apply path_cons with (h := h'); auto. apply (IH h' k).
  - exact (edge_known _ _ _ Hg Hb').
  - apply path_cons with (h := j); auto.
  - intros c Hc. apply Hfix. auto.
Qed.

(** ** Sorting *)

Definition well_timed (w : list timed) : Prop := Forall (fun x => fst (snd x) <= snd (snd x)) w.
(** Nobody who is answered by [firsts] began after an answer of [seconds]. *)
Definition nobody_late (w : list timed) : Prop :=
  forall x y, In x w -> In y w -> first (fst x) = true -> second (fst y) = true -> fst (snd x) <= snd (snd y).

Lemma in_time_app {A} (u v : list (A * interval)) : in_time u -> in_time v ->
  (forall x y, In x u -> In y v -> fst (snd x) <= snd (snd y)) -> in_time (u ++ v).
Proof.
  intros Hu Hv H. induction Hu as [|x u Hx _ IH]; simpl; auto. constructor.
  - apply Forall_app. split; auto. apply Forall_forall. intros y Hy. apply H; simpl; auto.
  - apply IH. intros. apply H; simpl; auto.
Qed.
Lemma in_time_filter {A} (p : A * interval -> bool) w : in_time w -> in_time (filter p w).
Proof.
  induction 1 as [|x w Hx _ IH]; simpl; [constructor|]. destruct (p x); auto. constructor; auto.
  rewrite Forall_forall in *. intros y Hy. apply filter_In in Hy as [Hy _]. auto.
Qed.
Lemma filter_split {A} (p : A -> bool) w : Permutation w (filter p w ++ filter (fun x => negb (p x)) w).
Proof.
  induction w as [|x w IH]; simpl; auto. destruct (p x); simpl; [now constructor|].
  now apply Permutation_cons_app.
Qed.

(** y has ended before x began. *)
Definition ends_before (x y : timed) : bool := snd (snd y) <? fst (snd x).
Lemma ended x y : ends_before x y = true <-> snd (snd y) < fst (snd x). Proof. apply Nat.ltb_lt. Qed.

(** If x is one of [firsts], those who ended before it move in front. *)
Lemma chosen_to_front (p : timed -> bool) w : (forall y, In y w -> p y = true -> second (fst y) = false) ->
  forall g k, In g (orders E) -> path N g (map fst w) k ->
  path N g (map fst (filter p w ++ filter (fun x => negb (p x)) w)) k.
Proof.
  induction w as [|z w IH]; intros Hp g k Hg H; [exact H|]. simpl in H.
  inversion H as [|? ? h ? ? Hz Hw]; subst.
  assert (Hrest : path N h (map fst (filter p w ++ filter (fun x => negb (p x)) w)) k).
  { apply IH; auto; [|exact (edge_known _ _ _ Hg Hz)]. intros y Hy. apply Hp. simpl. auto. }
  simpl. destruct (p z); simpl; [now apply path_cons with (h := h)|].
  rewrite map_app in *. simpl. apply moved_back; auto; [now apply path_cons with (h := h)|].
  intros b Hb _. apply in_map_iff in Hb as (y & <- & Hy). apply filter_In in Hy as [Hy Hpy]. apply Hp; simpl; auto.
Qed.

Lemma first_inserted x w g k : In g (orders E) -> well_timed (x :: w) -> nobody_late (x :: w) -> first (fst x) = true ->
  in_time w -> path N g (map fst (x :: w)) k ->
  exists w', Permutation (x :: w) w' /\ in_time w' /\ path N g (map fst w') k.
Proof.
  intros Hg HW HL Hx Ht Hp.
  assert (HW' : forall y, In y (x :: w) -> fst (snd y) <= snd (snd y)) by (apply Forall_forall; exact HW).
  set (ys := filter (ends_before x) w). set (zs := filter (fun y => negb (ends_before x y)) w).
  assert (Hys : forall y, In y ys -> In y w /\ snd (snd y) < fst (snd x)).
  { intros y Hy. apply filter_In in Hy as [Hy He]. apply ended in He. auto. }
  assert (Hzs : forall z, In z zs -> In z w /\ fst (snd x) <= snd (snd z)).
  { intros z Hz. apply filter_In in Hz as [Hz He]. apply negb_true_iff, Nat.ltb_ge in He. auto. }
  assert (Hsec : forall y, In y w -> ends_before x y = true -> second (fst y) = false).
  { intros y Hy He. apply ended in He. destruct (second (fst y)) eqn:Es; auto.
    specialize (HL x y (or_introl eq_refl) (or_intror Hy) Hx Es). lia. }
  exists (ys ++ x :: zs). split; [|split].
  - apply Permutation_cons_app, filter_split.
  - apply in_time_app; [now apply in_time_filter| |].
    + constructor; [|now apply in_time_filter]. apply Forall_forall. intros z Hz. apply Hzs in Hz. tauto.
    + intros y z Hy Hz. apply Hys in Hy as [Hy Hlt]. pose proof (HW' y (or_intror Hy)).
      destruct Hz as [<-|Hz]; [pose proof (HW' x (or_introl eq_refl)); lia|]. apply Hzs in Hz. lia.
  - simpl in Hp. inversion Hp as [|? ? h ? ? He Hw]; subst. rewrite map_app. simpl. apply moved_back; auto.
    + apply path_cons with (h := h); auto. rewrite <- map_app.
      apply chosen_to_front; auto. exact (edge_known _ _ _ Hg He).
    + intros b Hb _. apply in_map_iff in Hb as (y & <- & Hy). apply filter_In in Hy as [Hy Hb]. auto.
Qed.

(** If it is not, it moves behind them. *)
Lemma other_inserted x w : first (fst x) = false -> forall g k, In g (orders E) -> well_timed (x :: w) ->
  in_time w -> path N g (map fst (x :: w)) k ->
  exists w', Permutation (x :: w) w' /\ in_time w' /\ path N g (map fst w') k.
Proof.
  intro Hx. induction w as [|y w IH]; intros g k Hg HW Ht Hp.
  - exists [x]. repeat split; auto. constructor; constructor.
  - inversion HW as [|? ? Wx' HW1]; subst. inversion HW1 as [|? ? Wy' HW2]; subst.
    assert (Wx : fst (snd x) <= snd (snd x)) by exact Wx'. assert (Wy : fst (snd y) <= snd (snd y)) by exact Wy'.
    destruct (any (ends_before x) (y :: w)) eqn:Ea.
    + assert (Hyx : fst (snd y) <= snd (snd x)).
      { apply any_exists in Ea as (y' & Hy' & He). apply ended in He. destruct Hy' as [<-|Hy']; [lia|].
        inversion Ht as [|? ? Hy _]; subst. rewrite Forall_forall in Hy.
        assert (fst (snd y) <= snd (snd y')) by exact (Hy y' Hy'). lia. }
      assert (Hs : path N g (map fst (y :: x :: w)) k).
      { apply (moved_back (fst x) [fst y]); auto. intros b _ Hf. congruence. }
      simpl in Hs. inversion Hs as [|? ? h ? ? He Hw]; subst. inversion Ht as [|? ? Hy Ht']; subst.
      destruct (IH h k) as (w' & HP & Hin & Hp'); auto.
      * exact (edge_known _ _ _ Hg He).
      * constructor; auto.
      * exists (y :: w'). split; [|split].
        -- rewrite perm_swap. now constructor.
        -- constructor; auto. rewrite <- HP. constructor; auto.
        -- simpl. now apply path_cons with (h := h).
    + exists (x :: y :: w). split; auto. split; auto. constructor; auto. apply Forall_forall. intros z Hz.
      assert (Hn : ends_before x z <> true) by (intro F; rewrite (proj2 (any_exists _ _)) in Ea; [discriminate|eauto]).
      rewrite ended in Hn.
      change (fst (snd x) <= snd (snd z)). lia.
Qed.

Theorem sorted_by_time w : forall g k, In g (orders E) -> well_timed w -> nobody_late w -> path N g (map fst w) k ->
  exists w', Permutation w w' /\ in_time w' /\ path N g (map fst w') k.
Proof.
  induction w as [|x w IH]; intros g k Hg HW HL Hp; [exists []; repeat split; auto; constructor|].
  simpl in Hp. inversion Hp as [|? ? h ? ? He Hw]; subst. inversion HW as [|? ? Wx HW']; subst.
  destruct (IH h k) as (v & HP & Ht & Hv); auto.
  { exact (edge_known _ _ _ Hg He). }
  { intros a b Ha Hb. apply HL; simpl; auto. }
  assert (HWv : well_timed (x :: v)) by (constructor; auto; unfold well_timed in *; now rewrite <- HP).
  assert (HLv : nobody_late (x :: v)).
  { intros a b Ha Hb. apply HL; [destruct Ha as [<-|Ha]|destruct Hb as [<-|Hb]]; simpl; auto;
      right; apply (Permutation_in _ (Permutation_sym HP)); auto. }
  assert (Hpv : path N g (map fst (x :: v)) k) by (simpl; now apply path_cons with (h := h)).
  assert (Goal : exists w', Permutation (x :: v) w' /\ in_time w' /\ path N g (map fst w') k).
  { destruct (first (fst x)) eqn:Fx; [now apply first_inserted|now apply other_inserted]. }
  destruct Goal as (w' & HP' & Hr). exists w'. split; auto. rewrite <- HP'. now constructor.
Qed.
End Exchanges.

(** ** Nobody is late *)

(** What a node says of the answers so far and of those in flight. *)
Definition since (n : node) (out : list timed) (fs : list (flight * interval)) : Prop :=
  match payload n with
  | None => forall y, In y out -> second (fst y) = false
  | Some ls => forall f y, In f fs -> In y out -> second (fst y) = true -> snd (snd y) < fst (snd f) -> In (fst f) ls
  end.

Lemma since_perm n out fs fs' : Permutation fs fs' -> since n out fs -> since n out fs'.
Proof.
  unfold since. destruct (payload n) as [ls|]; auto. intros HP H f y Hf. apply H.
  exact (Permutation_in _ (Permutation_sym HP) Hf).
Qed.

(** A step at time i of a request with the interval x; [os] are the others. All have begun by then. *)
Lemma since_step n n' i x f t (os : list (flight * interval)) (out : list timed) : within x i -> remembers n f t n' = true ->
  (forall o, In o os -> fst (snd o) <= i) -> (forall y, In y out -> fst (snd y) <= i) -> nobody_late out ->
  since n out (stamped x (listed f) ++ os) ->
  since n' (out ++ stamped x (answers_of t)) (stamped x (flights_of t) ++ os) /\
  nobody_late (out ++ stamped x (answers_of t)).
Proof.
  intros [Hb He] Hr Hos Hout HL HS. unfold since, remembers in *.
  assert (New : forall a, t = inr a -> (first a = true -> forall y, In y out -> second (fst y) = true ->
            fst x <= snd (snd y)) -> nobody_late (out ++ stamped x (answers_of t))).
  { intros a -> Hlate u v Hu Hv Fu Sv. apply in_app_or in Hu as [Hu|[<-|[]]]; apply in_app_or in Hv as [Hv|[<-|[]]].
    - now apply HL.
    - pose proof (Hout u Hu). change (fst (snd u) <= snd x). lia.
    - change (fst x <= snd (snd v)). now apply Hlate.
    - change (fst x <= snd x). lia. }
  assert (Same : forall g, t = inl g -> nobody_late (out ++ stamped x (answers_of t)))
    by (intros g ->; simpl; now rewrite app_nil_r).
  destruct (payload n) as [ls|], (payload n') as [ls'|]; try discriminate.
  - apply if_and in Hr as [Hsub Hr]. unfold subset_flights in Hsub. rewrite all_forall in Hsub.
    assert (Kept : forall o y, In o os -> In y (out ++ stamped x (answers_of t)) -> second (fst y) = true ->
              snd (snd y) < fst (snd o) -> In (fst o) ls').
    { intros o y Ho Hy Sy Hlt. apply (mem_in _ (eqF_ok X)), Hsub. apply in_app_or in Hy as [Hy|Hy].
      - apply (HS o y); auto. apply in_or_app. auto.
      - pose proof (Hos o Ho). destruct t; [destruct Hy|]. destruct Hy as [<-|[]]. change (snd x < fst (snd o)) in Hlt.
        lia. }
    assert (Late : forall y, In y out -> second (fst y) = true -> snd (snd y) < fst x ->
              match f with None => true | Some z => mem (eqF X) z ls end = true).
    { intros y Hy Sy Hlt. destruct f as [z|]; auto. apply (mem_in _ (eqF_ok X)). apply (HS (z, x) y); auto.
      simpl. auto. }
    split.
    + intros o y Ho Hy Sy Hlt. apply in_app_or in Ho as [Ho|Ho]; [|now apply (Kept o y)].
      destruct t as [z|a]; simpl in Ho; [|destruct Ho]. destruct Ho as [<-|[]]. simpl in *. rewrite app_nil_r in Hy.
      rewrite (Late y Hy Sy Hlt) in Hr. now apply (mem_in _ (eqF_ok X)) in Hr.
    + destruct t as [z|a]; [now apply (Same z)|]. apply (New a eq_refl). intros Fa y Hy Sy.
      destruct (le_lt_dec (fst x) (snd (snd y))) as [Hle|Hlt]; auto.
      rewrite (Late y Hy Sy Hlt), Fa in Hr. discriminate.
  - split.
    + intros o y Ho Hy Sy Hlt. exfalso. apply in_app_or in Hy as [Hy|Hy]; [rewrite (HS y Hy) in Sy; discriminate|].
      destruct t as [z|a]; [destruct Hy|]. destruct Hy as [<-|[]]. change (snd x < fst (snd o)) in Hlt.
      pose proof (Hos o Ho). lia.
    + destruct t as [z|a]; [now apply (Same z)|]. apply (New a eq_refl). intros _ y Hy Sy.
      rewrite (HS y Hy) in Sy. discriminate.
  - split.
    + intros y Hy. apply in_app_or in Hy as [Hy|Hy]; auto. destruct t as [z|a]; simpl in Hy; [destruct Hy|].
      destruct Hy as [<-|[]]. simpl. now apply negb_true_iff in Hr.
    + destruct t as [z|a]; [now apply (Same z)|]. apply (New a eq_refl). intros _ y Hy Sy.
      rewrite (HS y Hy) in Sy. discriminate.
Qed.

Lemma nobody_late_from i c w d : check_cover X (begun_late E) nobody_dead remembers = true ->
  timed_prompt_run N (skips X) (stays X) nobody_dead i c w d ->
  forall n (out : list timed), In n (nodes (begun_late E)) -> place n = fst c -> holds X (begun_late E) n (map fst (snd c)) ->
  since n out (snd c) -> (forall f, In f (snd c) -> fst (snd f) <= i) -> (forall y, In y out -> fst (snd y) <= i) ->
  nobody_late out -> well_timed out -> nobody_late (out ++ w) /\ well_timed (out ++ w).
Proof.
  intros OK Hr. induction Hr as [i c|i c w d Hr IH|i x g a f b t h w d Hx Hs Ha Hr IH];
    intros n out Hn Hg H HS Hfs Hout HL HW.
  { now rewrite app_nil_r. }
  { apply (IH n out); auto. }
  simpl in *. subst g. rewrite !map_app, stamped_fst in H.
  assert (HP : forall (l : list flight), Permutation (map fst a ++ l ++ map fst b) (l ++ map fst a ++ map fst b))
    by (intro; apply Permutation_app_swap_app).
  assert (HT : forall (l : list (flight * interval)), Permutation (a ++ l ++ b) (l ++ a ++ b))
    by (intro; apply Permutation_app_swap_app).
  apply (holds_perm X (begun_late E) n _ _ (HP _)) in H. apply (since_perm n out _ _ (HT _)) in HS.
  assert (Hab : forall o, In o (a ++ b) -> fst (snd o) <= i).
  { intros o Ho. apply Hfs. apply in_app_or in Ho as [Ho|Ho]; apply in_or_app; auto. right. apply in_or_app. auto. }
  assert (Next : forall n', In n' (nodes (begun_late E)) -> place n' = h ->
            holds X (begun_late E) n' (flights_of t ++ map fst a ++ map fst b) ->
            since n' (out ++ stamped x (answers_of t)) (stamped x (flights_of t) ++ a ++ b) ->
            nobody_late (out ++ stamped x (answers_of t)) ->
            nobody_late (out ++ stamped x (answers_of t) ++ w) /\ well_timed (out ++ stamped x (answers_of t) ++ w)).
  { intros n' Hn' Hp' H' HS' HL'. destruct Hx as [Hb He]. rewrite app_assoc. apply (IH n'); auto.
    - rewrite !map_app, stamped_fst. exact (holds_perm X (begun_late E) n' _ _ (Permutation_sym (HP _)) H').
    - exact (since_perm n' _ _ _ (Permutation_sym (HT _)) HS').
    - intros o Ho. apply (Permutation_in _ (HT _)) in Ho. apply in_app_or in Ho as [Ho|Ho]; auto.
      apply in_map_iff in Ho as (z & <- & _). exact Hb.
    - intros y Hy. apply in_app_or in Hy as [Hy|Hy]; auto. apply in_map_iff in Hy as (z & <- & _). exact Hb.
    - apply Forall_app. split; auto. apply Forall_forall. intros y Hy. apply in_map_iff in Hy as (z & <- & _).
      simpl. lia. }
  destruct (cover_step X (begun_late E) _ _ OK n f _ t h Hn H Hs Ha)
    as [(y & -> & -> & ->)|(n' & Hn' & Hp' & He & _ & H')].
  - apply (Next n); simpl; auto; now rewrite app_nil_r.
  - destruct (since_step n n' i x f t (a ++ b) out Hx He Hab Hout HL HS) as [HS' HL']. now apply (Next n').
Qed.

(** With any number of barriers. *)
Theorem timeless_sound : check_timeless = true -> serializable N -> forall K, strictly_serializable K N.
Proof.
  intros H HN K w i g Ht _. unfold check_timeless in H. apply if_and in H as [Hx Hc].
  destruct (timed_prompt_by_runs N (skips X) (stays X) w i g (skips_ok X) (stays_ok N X) Ht) as (v & Hv & HP).
  destruct (start_holds X _ _ _ Hc) as (n0 & ns & En & Hp0 & Hh).
  destruct (fun Hn HS => nobody_late_from _ _ _ _ Hc Hv n0 [] Hn Hp0 Hh HS) as [HL HW]; auto.
  - rewrite En. left. auto.
  - unfold since. destruct (payload n0); [intros f y []|intros y []].
  - intros f [].
  - intros y [].
  - intros x y [].
  - constructor.
  - simpl in *. apply run_of_timed in Ht. simpl in Ht.
    destruct (proj1 (serializable_by_paths N) HN _ _ Ht) as (u & k & Hu & HPu).
    apply Permutation_sym, Permutation_map_inv in HPu as (w1 & -> & HP1).
    assert (HP2 : Permutation v w1) by (rewrite <- HP; exact HP1).
    destruct (sorted_by_time Hx w1 (init N) k) as (w2 & HPw & Hin & Hp2); auto.
    + unfold check_exchanges in Hx. apply if_and in Hx as [Hi _]. now apply (mem_in _ (eqG_ok N X)) in Hi.
    + unfold well_timed in *. now rewrite <- HP2.
    + intros x y Hx1 Hy1. apply HL; apply (Permutation_in _ (Permutation_sym HP2)); auto.
    + exists w2, k. split; [now apply path_is_serial|]. split; auto. now rewrite HP1.
Qed.
End Timeless.
