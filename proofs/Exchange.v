(** * Exchanging steps: until each request runs without interruption

    Lipton's reduction, for any number of requests. Flights [F], answers [A] and steps are arbitrary: [S f g t h]
    says that the flight [f], or a new request if it is [None], goes from [g] to [h] and becomes the flight or the
    answer [t]. All of them have the intervals in which their requests are in flight. *)
From Coq Require Import List Bool Permutation Arith Lia.
From Seriatim Require Import Lists Time.
Import ListNotations.

Definition at_time {A} (x : interval) (f : option A) : option (A * interval) := option_map (fun a => (a, x)) f.
Lemma at_time_fst {A} x (f : option A) : map fst (listed (at_time x f)) = listed f.
Proof. destruct f; reflexivity. Qed.
Lemma at_time_fst_app {A} x (f : option A) os os' : Permutation os (listed (at_time x f) ++ os') ->
  Permutation (map fst os) (listed f ++ map fst os').
Proof. intro H. apply (Permutation_map fst) in H. now rewrite map_app, at_time_fst in H. Qed.

Section Runs.
Context {G F A : Type} (S : option F -> G -> F + A -> G -> Prop).

Definition stays_as (t : F + A) : list F := match t with inl f => [f] | inr _ => [] end.
Definition answered (t : F + A) : list A := match t with inl _ => [] | inr a => [a] end.

(** A run to the end, when nobody is in flight, from clock i on. *)
Inductive runs : nat -> G -> list (F * interval) -> list (A * interval) -> G -> Prop :=
| runs_nil i g : runs i g [] [] g
| runs_tick i g fs w k : runs (1 + i) g fs w k -> runs i g fs w k
| runs_cons i x g fs f os t h w k : within x i -> Permutation fs (listed (at_time x f) ++ os) -> S f g t h ->
    runs i h (stamped x (stays_as t) ++ os) w k -> runs i g fs (stamped x (answered t) ++ w) k.

(** A request goes on to its answer without interruption. *)
Inductive whole : option F -> G -> A -> G -> Prop :=
| whole_answer f g a h : S f g (inr a) h -> whole f g a h
| whole_step f g y h a k : S f g (inl y) h -> whole (Some y) h a k -> whole f g a k.

Lemma runs_perm i g fs w k : runs i g fs w k -> forall fs', Permutation fs fs' -> runs i g fs' w k.
Proof.
  induction 1 as [i g|i g fs w k _ IH|i x g fs f os t h w k Hx HP0 Hs Hr _]; intros fs' HP.
  - apply Permutation_nil in HP. subst. constructor.
  - apply runs_tick. auto.
  - apply (runs_cons i x g fs' f os t h w k); auto. now rewrite <- HP.
Qed.
End Runs.

(** ** One kind of run follows another

    A flight of the first run has a partner in the second, or none as long as it is hidden there. *)
Section Follow.
Context {G F1 F2 A : Type} (S1 : option F1 -> G -> F1 + A -> G -> Prop) (S2 : option F2 -> G -> F2 + A -> G -> Prop).
Notation pair := (option F2 * F1)%type.
Variable Rel : G -> list pair -> Prop.
Definition with_partner (o : option F2) (f : option F1) : list pair :=
  match f with Some x => [(o, x)] | None => [] end.
Definition partners (ps : list pair) : list F2 := flat_map (fun p => listed (fst p)) ps.

Hypothesis Rel_perm : forall g ps ps', Permutation ps ps' -> Rel g ps -> Rel g ps'.
Hypothesis Rel_step : forall g o f ps t h, (f = None -> o = None) -> Rel g (with_partner o f ++ ps) -> S1 f g t h ->
  (exists y, t = inl y /\ h = g /\ Rel g ((o, y) :: ps)) \/
  (exists t', S2 o g t' h /\
     match t, t' with
     | inl y, inl y' => Rel h ((Some y', y) :: ps)
     | inr a, inr a' => a = a' /\ Rel h ps
     | _, _ => False
     end).

Lemma partners_perm ps ps' : Permutation ps ps' -> Permutation (partners ps) (partners ps').
Proof. apply Permutation_flat_map. Qed.

(** The same with their intervals. *)
Definition first_of (p : pair * interval) : F1 * interval := (snd (fst p), snd p).
Definition timed_partners (ps : list (pair * interval)) : list (F2 * interval) :=
  flat_map (fun p => listed (at_time (snd p) (fst (fst p)))) ps.
Lemma timed_partners_perm ps ps' : Permutation ps ps' -> Permutation (timed_partners ps) (timed_partners ps').
Proof. apply Permutation_flat_map. Qed.

Theorem runs_follow i g fs w k : runs S1 i g fs w k ->
  forall ps, map first_of ps = fs -> Rel g (map fst ps) -> runs S2 i g (timed_partners ps) w k.
Proof.
  induction 1 as [i g|i g fs w k _ IH|i x g fs f os t h w k Hx HP Hs _ IH]; intros ps E H.
  - apply map_eq_nil in E. subst. constructor.
  - apply runs_tick. auto.
  - subst fs.
    assert (exists o qs, (f = None -> o = None) /\ Permutation ps (stamped x (with_partner o f) ++ qs) /\
              map first_of qs = os) as (o & qs & Hn & HP' & Eq).
    { apply Permutation_sym, Permutation_map_inv in HP as (ps' & E' & HP').
      destruct f as [y|]; simpl in E'.
      - destruct ps' as [|[[o y'] x'] qs]; [discriminate|]. injection E' as -> -> E'. exists o, qs.
        split; [discriminate|]. auto.
      - exists None, ps'. auto. }
    apply (Rel_perm g _ _ (Permutation_map fst HP')) in H. rewrite map_app, stamped_fst in H.
    apply (runs_perm S2 i g (timed_partners (stamped x (with_partner o f) ++ qs)));
      [|apply Permutation_sym; now apply timed_partners_perm].
    assert (Eo : timed_partners (stamped x (with_partner o f) ++ qs) = listed (at_time x o) ++ timed_partners qs).
    { destruct f as [y|]; simpl; [reflexivity|]. rewrite Hn; auto. }
    destruct (Rel_step g o f (map fst qs) t h Hn H Hs) as [(y & -> & -> & H')|(t' & Hs' & H')].
    + rewrite Eo. apply (IH (((o, y), x) :: qs)); simpl; auto. now rewrite Eq.
    + rewrite Eo. destruct t as [y|a], t' as [y'|a']; try contradiction.
      * apply (runs_cons S2 i x g _ o (timed_partners qs) (inl y') h w k); auto.
        apply (IH (((Some y', y), x) :: qs)); simpl; auto. now rewrite Eq.
      * destruct H' as [-> H']. apply (runs_cons S2 i x g _ o (timed_partners qs) (inr a') h w k); auto.
        apply (IH qs); auto.
Qed.
End Follow.

(** ** The exchange argument *)
Section Exchange.
Context {G F A : Type} (K : option F -> G -> F + A -> G -> Prop).
Variable late : F -> bool.                   (** flights that have taken effect *)
Variable Inv : G -> list F -> Prop.          (** what is known of configurations *)
Definition is_late (f : option F) : Prop := match f with Some x => late x = true | None => False end.
Definition still_early (t : F + A) : Prop := match t with inl y => late y = false | inr _ => False end.
Definition early (x : F) : Prop := late x = false.

Hypothesis Inv_perm : forall g fs fs', Permutation fs fs' -> Inv g fs -> Inv g fs'.
Hypothesis Inv_step : forall g f os t h, Inv g (listed f ++ os) -> K f g t h -> Inv h (stays_as t ++ os).
Hypothesis late_stays : forall x g y h, K (Some x) g (inl y) h -> late x = true -> late y = true.
(** A step before the effect, or one before a step after the effect, can be exchanged with the next one. *)
Hypothesis swap : forall g f t h f2 t2 k os, Inv g (listed f ++ listed f2 ++ os) -> K f g t h -> K f2 h t2 k ->
  still_early t \/ is_late f2 -> exists h', K f2 g t2 h' /\ K f h' t k.

(** Requests run one after the other; those that are late come first. *)
Inductive in_turn : G -> list (F * interval) -> list (A * interval) -> G -> Prop :=
| turn_nil g : in_turn g [] [] g
| turn_cons g x fs f os a h w k : Permutation fs (listed (at_time x f) ++ os) ->
    is_late f \/ Forall early (map fst os) -> whole K f g a h -> in_turn h os w k -> in_turn g fs ((a, x) :: w) k.

Lemma in_turn_perm g fs w k : in_turn g fs w k -> forall fs', Permutation fs fs' -> in_turn g fs' w k.
Proof.
  intros H fs' HP. inversion H; subst.
  - apply Permutation_nil in HP. subst. constructor.
  - econstructor; eauto. now rewrite <- HP.
Qed.

Lemma Inv_whole f g a h : whole K f g a h -> forall os, Inv g (listed f ++ os) -> Inv h os.
Proof.
  induction 1 as [f g a h Hs|f g y h a k Hs _ IH]; intros os H.
  - exact (Inv_step g f os (inr a) h H Hs).
  - apply IH. exact (Inv_step g f os (inl y) h H Hs).
Qed.

(** What one request does to its end can be done before a step of another one. *)
Lemma whole_before_step f2 h a k : whole K f2 h a k -> forall g f t os,
  Inv g (listed f ++ listed f2 ++ os) -> K f g t h -> still_early t \/ is_late f2 ->
  exists h', whole K f2 g a h' /\ K f h' t k.
Proof.
  induction 1 as [f2 h a k Hs|f2 h y j a k Hs _ IH]; intros g f t os H Hf Hc.
  - destruct (swap g f t h f2 (inr a) k os H Hf Hs Hc) as (h' & H1 & H2). exists h'. split; auto.
    now constructor.
  - destruct (swap g f t h f2 (inl y) j os H Hf Hs Hc) as (h1 & H1 & H2).
    destruct (IH h1 f t os) as (h' & W & Kf).
    + assert (HP : Permutation (listed f ++ listed f2 ++ os) (listed f2 ++ listed f ++ os))
        by apply Permutation_app_swap_app.
      apply (Inv_perm _ _ _ HP) in H. pose proof (Inv_step g f2 _ (inl y) h1 H H1) as H'. simpl in H'.
      revert H'. apply Inv_perm. apply (Permutation_middle (listed f) os y).
    + exact H2.
    + destruct Hc as [Hc|Hc]; [now left|right]. destruct f2 as [x|]; [|destruct Hc]. exact (late_stays x g y h1 H1 Hc).
    + exists h'. split; auto. now apply whole_step with (y := y) (h := h1).
Qed.

(** What a late request does to its end can be done before all that another one does. *)
Lemma late_whole_first f g a h : whole K f g a h -> forall x b k os,
  Inv g (listed f ++ x :: os) -> late x = true -> whole K (Some x) h b k ->
  exists h', whole K (Some x) g b h' /\ whole K f h' a k.
Proof.
  induction 1 as [f g a h Hs|f g y h a k0 Hs _ IH]; intros x b k os H Hx Wx.
  - destruct (whole_before_step (Some x) h b k Wx g f (inr a) os H Hs (or_intror Hx)) as (h' & W & Kf).
    exists h'. split; auto. now constructor.
  - destruct (IH x b k os) as (h1 & W1 & Wy); auto.
    { exact (Inv_step g f (x :: os) (inl y) h H Hs). }
    destruct (whole_before_step (Some x) h b h1 W1 g f (inl y) os H Hs (or_intror Hx)) as (h' & W & Kf).
    exists h'. split; auto. now apply whole_step with (y := y) (h := h1).
Qed.

(** Of somebody who is in flight, and somebody who goes next: they are the same, or the first waits. *)
Lemma next_or_waiting {B} (y : B) os f os1 : Permutation (y :: os) (listed f ++ os1) ->
  (f = Some y /\ Permutation os os1) \/
  (exists os2, Permutation os (listed f ++ os2) /\ Permutation os1 (y :: os2)).
Proof.
  destruct f as [x|]; simpl; intro HP.
  - assert (Hi : In x (y :: os)) by (apply (Permutation_in x (Permutation_sym HP)); left; auto).
    destruct Hi as [->|Hi].
    + left. split; auto. now apply Permutation_cons_inv in HP.
    + right. apply in_split in Hi as (l1 & l2 & ->). exists (l1 ++ l2). split.
      * symmetry. apply Permutation_middle.
      * apply (Permutation_cons_inv (a := x)). rewrite <- HP, perm_swap. constructor. symmetry.
        apply Permutation_middle.
  - right. exists os. split; auto. now symmetry.
Qed.

(** A step before the effect can wait until the request is next. *)
Lemma early_step_waits h fs' w k : in_turn h fs' w k -> forall g f y x os,
  Permutation fs' ((y, x) :: os) -> late y = false -> Inv g (listed f ++ map fst os) -> K f g (inl y) h ->
  in_turn g (listed (at_time x f) ++ os) w k.
Proof.
  induction 1 as [h|h x1 fs' f1 os1 a h1 w k HP Hl Hw Ht IH]; intros g f y x os Hy Ey H Hf.
  { now apply Permutation_nil_cons in Hy. }
  assert (Ef : Forall early (listed f)).
  { destruct f as [z|]; simpl; auto. constructor; auto. unfold early. destruct (late z) eqn:E; auto.
    rewrite (late_stays z g y h Hf E) in Ey. discriminate. }
  rewrite Hy in HP. destruct (next_or_waiting (y, x) os _ os1 HP) as [[E1 Ho]|(os2 & Ho & Ho1)].
  - destruct f1 as [y1|]; [|discriminate]. injection E1 as -> ->.
    apply turn_cons with (f := f) (os := os) (h := h1); auto.
    + right. destruct Hl as [Hl|Hl]; [simpl in Hl; congruence|]. now rewrite Ho.
    + now apply whole_step with (y := y) (h := h).
    + apply (in_turn_perm _ _ _ _ Ht). now symmetry.
  - apply at_time_fst_app in Ho as Ho'.
    assert (HP2 : Permutation (listed (at_time x f) ++ os) (listed (at_time x1 f1) ++ listed (at_time x f) ++ os2))
      by (rewrite Ho; apply Permutation_app_swap_app).
    assert (H2 : Inv g (listed f ++ listed f1 ++ map fst os2)).
    { revert H. apply Inv_perm. now rewrite Ho'. }
    destruct (whole_before_step f1 h a h1 Hw g f (inl y) _ H2 Hf (or_introl Ey)) as (h' & W & Kf).
    apply turn_cons with (f := f1) (os := listed (at_time x f) ++ os2) (h := h'); auto.
    + destruct Hl as [Hl|Hl]; [now left|right]. rewrite map_app, at_time_fst. apply Forall_app. split; auto.
      rewrite Ho1 in Hl. now inversion Hl.
    + apply (IH h' f y x os2); auto. apply (Inv_whole f1 g a h' W). revert H2. apply Inv_perm.
      apply Permutation_app_swap_app.
Qed.

(** A late request can be next. *)
Lemma late_is_next h fs w k : in_turn h fs w k -> forall y x os,
  Permutation fs ((y, x) :: os) -> late y = true -> Inv h (map fst fs) ->
  exists a h1 u v, whole K (Some y) h a h1 /\ in_turn h1 os (u ++ v) k /\ w = u ++ (a, x) :: v.
Proof.
  induction 1 as [h|h x1 fs f1 os1 a h1 w k HP Hl Hw Ht IH]; intros y x os Hy Ey H.
  { now apply Permutation_nil_cons in Hy. }
  assert (HP' : Permutation ((y, x) :: os) (listed (at_time x1 f1) ++ os1)) by now rewrite <- Hy.
  destruct (next_or_waiting (y, x) os _ os1 HP') as [[E1 Ho]|(os2 & Ho & Ho1)].
  - destruct f1 as [y1|]; [|discriminate]. injection E1 as -> ->. exists a, h1, [], w. repeat split; auto.
    apply (in_turn_perm _ _ _ _ Ht). now symmetry.
  - apply at_time_fst_app in HP. apply (Inv_perm _ _ _ HP) in H.
    destruct (IH y x os2 Ho1 Ey (Inv_whole f1 h a h1 Hw _ H)) as (b & h2 & u & v & Wy & Ht' & Ew).
    assert (H2 : Inv h (listed f1 ++ y :: map fst os2)).
    { revert H. apply Inv_perm. apply Permutation_app_head. apply (Permutation_map fst) in Ho1. exact Ho1. }
    destruct (late_whole_first f1 h a h1 Hw y b h2 _ H2 Ey Wy) as (h' & Wy' & Wf).
    exists b, h', ((a, x1) :: u), v. split; [exact Wy'|split; [|simpl; now rewrite Ew]].
    apply turn_cons with (f := f1) (os := os2) (h := h2); auto. destruct Hl as [Hl|Hl]; [now left|].
    rewrite Ho1 in Hl. inversion Hl as [|? ? E _]; subst. unfold early in E. simpl in E. congruence.
Qed.

(** Those who are late can go before somebody who takes effect now. *)
Lemma effect_after_late h os w k : in_turn h os w k -> forall g f x a,
  Inv g (listed f ++ map fst os) -> whole K f g a h ->
  exists u v, in_turn g (listed (at_time x f) ++ os) (u ++ (a, x) :: v) k /\ w = u ++ v /\
    Forall (fun b => In (snd b) (map snd os)) u.
Proof.
  induction 1 as [h|h x1 os f1 os1 b h1 w k HP Hl Hw Ht IH]; intros g f x a H Wf.
  - exists [], []. split; [|split; [reflexivity|constructor]].
    apply turn_cons with (f := f) (os := []) (h := h); auto; [right|]; constructor.
  - apply at_time_fst_app in HP as HP'.
    assert (Hc : is_late f1 \/ Forall early (map fst os)).
    { destruct Hl as [Hl|Hl]; [now left|]. destruct f1 as [z|]; simpl.
      - destruct (late z) eqn:E; [now left|right]. rewrite HP'. simpl. constructor; auto.
      - right. now rewrite HP'. }
    destruct Hc as [Hx|He].
    + destruct f1 as [z|]; [|destruct Hx]. simpl in *.
      assert (H2 : Inv g (listed f ++ z :: map fst os1)) by (revert H; apply Inv_perm; now rewrite HP').
      destruct (late_whole_first f g a h Wf z b h1 _ H2 Hx Hw) as (h' & Wx & Wf').
      destruct (IH h' f x a) as (u & v & Ht' & Ew & Hu); auto.
      { apply (Inv_whole (Some z) g b h' Wx). simpl. revert H2. apply Inv_perm. symmetry. apply Permutation_middle. }
      exists ((b, x1) :: u), v. split; [|split; [simpl; now rewrite Ew|]].
      * apply turn_cons with (f := Some z) (os := listed (at_time x f) ++ os1) (h := h'); simpl; auto.
        rewrite HP. symmetry. apply Permutation_middle.
      * apply (Permutation_map snd) in HP. simpl in HP. constructor.
        -- apply (Permutation_in _ (Permutation_sym HP)). left. auto.
        -- apply (Forall_impl _ (P := fun b => In (snd b) (map snd os1))); auto. intros c Hc.
           apply (Permutation_in _ (Permutation_sym HP)). right. auto.
    + exists [], ((b, x1) :: w). split; [|split; [reflexivity|constructor]].
      apply turn_cons with (f := f) (os := os) (h := h); auto.
      now apply turn_cons with (f := f1) (os := os1) (h := h1).
Qed.

(** The order is that of effects, which are steps of their requests, so it respects time. *)
Theorem runs_in_turn i g fs w k : runs K i g fs w k -> Inv g (map fst fs) ->
  Forall (fun f => fst (snd f) <= i) fs ->
  exists w', in_turn g fs w' k /\ Permutation w w' /\ in_time w' /\ Forall (fun a => i <= snd (snd a)) w'.
Proof.
  induction 1 as [i g|i g fs w k _ IH|i x g fs f os t h w k Hx HP Hs _ IH]; intros H HB.
  { exists []. repeat split; constructor. }
  { destruct (IH H) as (w' & Ht & HP & Hi & He).
    - revert HB. apply Forall_impl. intros f Hf. lia.
    - exists w'. repeat split; auto. revert He. apply Forall_impl. intros a Ha. lia. }
  apply at_time_fst_app in HP as HP'. apply (Inv_perm _ _ _ HP') in H. rewrite HP in HB.
  apply Forall_app in HB as [_ HB]. destruct Hx as [Hx1 Hx2].
  pose proof (Inv_step g f _ t h H Hs) as Hnext.
  destruct IH as (w1 & Ht & HP1 & Hi & He).
  { now rewrite map_app, stamped_fst. }
  { apply Forall_app. split; auto. destruct t; simpl; auto. }
  assert (Back : forall w', in_turn g (listed (at_time x f) ++ os) w' k -> in_turn g fs w' k)
    by (intros w' X; apply (in_turn_perm _ _ _ _ X); now symmetry).
  assert (Insert : forall a h1 w2, in_turn h1 os w2 k -> whole K f g a h1 -> in_time w2 ->
    Forall (fun a => i <= snd (snd a)) w2 ->
    exists w', in_turn g fs w' k /\ Permutation ((a, x) :: w2) w' /\ in_time w' /\
      Forall (fun a => i <= snd (snd a)) w').
  { intros a h1 w2 Ht2 Wf Hi2 He2. destruct (effect_after_late h1 os w2 k Ht2 g f x a H Wf) as (u & v & Ht' & -> & Hu).
    exists (u ++ (a, x) :: v). apply Forall_app in He2 as [Eu Ev]. rewrite Forall_forall in *.
    split; [now apply Back|]. split; [apply Permutation_middle|]. split.
    - apply in_time_insert; auto; intros b Hb; simpl.
      + apply Hu, in_map_iff in Hb as (o & Eo & Hb). apply HB in Hb. rewrite <- Eo.
        exact (Nat.le_trans _ _ _ Hb Hx2).
      + apply Ev in Hb. exact (Nat.le_trans _ _ _ Hx1 Hb).
    - intros b Hb. apply in_app_or in Hb as [Hb|[<-|Hb]]; auto. }
  destruct t as [y|a]; simpl in *.
  - destruct (late y) eqn:Ey.
    + destruct (late_is_next h _ w1 k Ht y x os (Permutation_refl _) Ey Hnext) as (a & h1 & u & v & Wy & Ht2 & ->).
      destruct (Insert a h1 (u ++ v) Ht2) as (w' & Ht' & HPw & Hi' & He').
      * now apply whole_step with (y := y) (h := h).
      * now apply in_time_remove in Hi.
      * apply Forall_app in He as [Eu Ev]. inversion Ev; subst. apply Forall_app. auto.
      * exists w'. repeat split; auto. rewrite HP1, <- HPw. symmetry. apply Permutation_middle.
    + exists w1. repeat split; auto. apply Back.
      exact (early_step_waits h _ w1 k Ht g f y x os (Permutation_refl _) Ey H Hs).
  - destruct (Insert a h w1 Ht) as (w' & Ht' & HPw & Hi' & He'); auto; [now constructor|].
    exists w'. repeat split; auto. rewrite HP1. exact HPw.
Qed.
End Exchange.
