(** * Exchanging steps: until each request runs without interruption

    Lipton's reduction, for any number of requests. Flights [F], answers [A] and steps are arbitrary: [S f g t h]
    says that the flight [f], or a new request if it is [None], goes from [g] to [h] and becomes the flight or the
    answer [t]. *)
From Coq Require Import List Bool Permutation.
From Seriatim Require Import Lists.
Import ListNotations.

Section Runs.
Context {G F A : Type} (S : option F -> G -> F + A -> G -> Prop).

Definition stays_as (t : F + A) : list F := match t with inl f => [f] | inr _ => [] end.
Definition answered (t : F + A) : list A := match t with inl _ => [] | inr a => [a] end.

(** A run to the end, when nobody is in flight. *)
Inductive runs : G -> list F -> list A -> G -> Prop :=
| runs_nil g : runs g [] [] g
| runs_cons g fs f os t h w k : Permutation fs (listed f ++ os) -> S f g t h -> runs h (stays_as t ++ os) w k ->
    runs g fs (answered t ++ w) k.

(** A request goes on to its answer without interruption. *)
Inductive whole : option F -> G -> A -> G -> Prop :=
| whole_answer f g a h : S f g (inr a) h -> whole f g a h
| whole_step f g y h a k : S f g (inl y) h -> whole (Some y) h a k -> whole f g a k.

Lemma runs_perm g fs w k : runs g fs w k -> forall fs', Permutation fs fs' -> runs g fs' w k.
Proof.
  intros H fs' HP. inversion H; subst.
  - apply Permutation_nil in HP. subst. constructor.
  - econstructor; eauto. now rewrite <- HP.
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

Theorem runs_follow g fs w k : runs S1 g fs w k ->
  forall ps, map snd ps = fs -> Rel g ps -> runs S2 g (partners ps) w k.
Proof.
  induction 1 as [g|g fs f os t h w k HP Hs _ IH]; intros ps E H.
  - apply map_eq_nil in E. subst. constructor.
  - subst fs.
    assert (exists o qs, (f = None -> o = None) /\ Permutation ps (with_partner o f ++ qs) /\ map snd qs = os)
      as (o & qs & Hn & HP' & Eq).
    { apply Permutation_sym, Permutation_map_inv in HP as (ps' & E' & HP').
      destruct f as [x|]; simpl in E'.
      - destruct ps' as [|[o y] qs]; [discriminate|]. injection E' as -> E'. exists o, qs.
        split; [discriminate|]. auto.
      - exists None, ps'. auto. }
    apply (Rel_perm g ps _ HP') in H.
    apply (runs_perm S2 g (partners (with_partner o f ++ qs)));
      [|apply Permutation_sym; now apply partners_perm].
    assert (Eo : partners (with_partner o f ++ qs) = listed o ++ partners qs).
    { destruct f as [x|]; simpl; [reflexivity|]. rewrite Hn; auto. }
    destruct (Rel_step g o f qs t h Hn H Hs) as [(y & -> & -> & H')|(t' & Hs' & H')].
    + rewrite Eo. apply (IH ((o, y) :: qs)); simpl; auto. now rewrite Eq.
    + rewrite Eo. destruct t as [y|a], t' as [y'|a']; try contradiction.
      * apply (runs_cons S2 g _ o (partners qs) (inl y') h w k); auto.
        apply (IH ((Some y', y) :: qs)); simpl; auto. now rewrite Eq.
      * destruct H' as [-> H']. apply (runs_cons S2 g _ o (partners qs) (inr a') h w k); auto.
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
Inductive in_turn : G -> list F -> list A -> G -> Prop :=
| turn_nil g : in_turn g [] [] g
| turn_cons g fs f os a h w k : Permutation fs (listed f ++ os) -> is_late f \/ Forall early os ->
    whole K f g a h -> in_turn h os w k -> in_turn g fs (a :: w) k.

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
Lemma next_or_waiting (y : F) os f os1 : Permutation (y :: os) (listed f ++ os1) ->
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
Lemma early_step_waits h fs' w k : in_turn h fs' w k -> forall g f y os,
  Permutation fs' (y :: os) -> late y = false -> Inv g (listed f ++ os) -> K f g (inl y) h ->
  in_turn g (listed f ++ os) w k.
Proof.
  induction 1 as [h|h fs' f1 os1 a h1 w k HP Hl Hw Ht IH]; intros g f y os Hy Ey H Hf.
  { now apply Permutation_nil_cons in Hy. }
  assert (Ef : Forall early (listed f)).
  { destruct f as [x|]; simpl; auto. constructor; auto. unfold early. destruct (late x) eqn:E; auto.
    rewrite (late_stays x g y h Hf E) in Ey. discriminate. }
  rewrite Hy in HP. destruct (next_or_waiting y os f1 os1 HP) as [[-> Ho]|(os2 & Ho & Ho1)].
  - apply turn_cons with (f := f) (os := os) (h := h1); auto.
    + right. destruct Hl as [Hl|Hl]; [simpl in Hl; congruence|]. now rewrite Ho.
    + now apply whole_step with (y := y) (h := h).
    + apply (in_turn_perm _ _ _ _ Ht). now symmetry.
  - assert (HP2 : Permutation (listed f ++ os) (listed f1 ++ listed f ++ os2))
      by (rewrite Ho; apply Permutation_app_swap_app).
    assert (H2 : Inv g (listed f ++ listed f1 ++ os2)).
    { revert H. apply Inv_perm. now rewrite Ho. }
    destruct (whole_before_step f1 h a h1 Hw g f (inl y) os2 H2 Hf (or_introl Ey)) as (h' & W & Kf).
    apply turn_cons with (f := f1) (os := listed f ++ os2) (h := h'); auto.
    + destruct Hl as [Hl|Hl]; [now left|right]. apply Forall_app. split; auto. rewrite Ho1 in Hl. now inversion Hl.
    + apply (IH h' f y os2); auto. apply (Inv_whole f1 g a h' W). revert H. now apply Inv_perm.
Qed.

(** A late request can be next. *)
Lemma late_is_next h fs w k : in_turn h fs w k -> forall y os,
  Permutation fs (y :: os) -> late y = true -> Inv h fs ->
  exists a h1 w', whole K (Some y) h a h1 /\ in_turn h1 os w' k /\ Permutation w (a :: w').
Proof.
  induction 1 as [h|h fs f1 os1 a h1 w k HP Hl Hw Ht IH]; intros y os Hy Ey H.
  { now apply Permutation_nil_cons in Hy. }
  assert (HP' : Permutation (y :: os) (listed f1 ++ os1)) by now rewrite <- Hy.
  destruct (next_or_waiting y os f1 os1 HP') as [[-> Ho]|(os2 & Ho & Ho1)].
  - exists a, h1, w. repeat split; auto. apply (in_turn_perm _ _ _ _ Ht). now symmetry.
  - apply (Inv_perm _ _ _ HP) in H.
    destruct (IH y os2 Ho1 Ey (Inv_whole f1 h a h1 Hw os1 H)) as (b & h2 & w' & Wy & Ht' & HPw).
    assert (H2 : Inv h (listed f1 ++ y :: os2)).
    { revert H. apply Inv_perm. now rewrite Ho1. }
    destruct (late_whole_first f1 h a h1 Hw y b h2 os2 H2 Ey Wy) as (h' & Wy' & Wf).
    exists b, h', (a :: w'). split; [exact Wy'|split].
    + apply turn_cons with (f := f1) (os := os2) (h := h2); auto. destruct Hl as [Hl|Hl]; [now left|].
      rewrite Ho1 in Hl. inversion Hl as [|? ? E _]; subst. unfold early in E. congruence.
    + rewrite HPw. constructor.
Qed.

(** Those who are late can go before somebody who takes effect now. *)
Lemma effect_after_late h os w k : in_turn h os w k -> forall g f a,
  Inv g (listed f ++ os) -> whole K f g a h ->
  exists w', in_turn g (listed f ++ os) w' k /\ Permutation (a :: w) w'.
Proof.
  induction 1 as [h|h os f1 os1 b h1 w k HP Hl Hw Ht IH]; intros g f a H Wf.
  - exists [a]. split; auto. apply turn_cons with (f := f) (os := []) (h := h); auto. constructor.
  - assert (Hc : is_late f1 \/ Forall early os).
    { destruct Hl as [Hl|Hl]; [now left|]. destruct f1 as [x|]; simpl.
      - destruct (late x) eqn:E; [now left|right]. rewrite HP. simpl. constructor; auto.
      - right. now rewrite HP. }
    destruct Hc as [Hx|He].
    + destruct f1 as [x|]; [|destruct Hx]. simpl in *.
      assert (H2 : Inv g (listed f ++ x :: os1)) by (revert H; apply Inv_perm; now rewrite HP).
      destruct (late_whole_first f g a h Wf x b h1 os1 H2 Hx Hw) as (h' & Wx & Wf').
      destruct (IH h' f a) as (w' & Ht' & HPw); auto.
      { apply (Inv_whole (Some x) g b h' Wx). simpl. revert H2. apply Inv_perm. symmetry. apply Permutation_middle. }
      exists (b :: w'). split.
      * apply turn_cons with (f := Some x) (os := listed f ++ os1) (h := h'); simpl; auto.
        rewrite HP. symmetry. apply Permutation_middle.
      * rewrite <- HPw. constructor.
    + exists (a :: b :: w). split; auto. apply turn_cons with (f := f) (os := os) (h := h); auto.
      now apply turn_cons with (f := f1) (os := os1) (h := h1).
Qed.

Theorem runs_in_turn g fs w k : runs K g fs w k -> Inv g fs ->
  exists w', in_turn g fs w' k /\ Permutation w w'.
Proof.
  induction 1 as [g|g fs f os t h w k HP Hs _ IH]; intro H.
  { exists []. split; constructor. }
  apply (Inv_perm _ _ _ HP) in H. destruct (IH (Inv_step g f os t h H Hs)) as (w1 & Ht & HP1).
  assert (Back : forall w', in_turn g (listed f ++ os) w' k -> in_turn g fs w' k)
    by (intros w' X; apply (in_turn_perm _ _ _ _ X); now symmetry).
  destruct t as [y|a]; simpl in *.
  - destruct (late y) eqn:Ey.
    + destruct (late_is_next h _ w1 k Ht y os (Permutation_refl _) Ey (Inv_step g f os (inl y) h H Hs))
        as (a & h1 & w2 & Wy & Ht2 & HP2).
      destruct (effect_after_late h1 os w2 k Ht2 g f a H) as (w' & Ht' & HP').
      { now apply whole_step with (y := y) (h := h). }
      exists w'. split; auto. now rewrite HP1, HP2.
    + exists w1. split; auto. apply Back.
      exact (early_step_waits h _ w1 k Ht g f y os (Permutation_refl _) Ey H Hs).
  - destruct (effect_after_late h os w1 k Ht g f a H) as (w' & Ht' & HP'); [now constructor|].
    exists w'. split; auto. now rewrite HP1.
Qed.
End Exchange.
