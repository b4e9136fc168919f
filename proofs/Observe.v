(** * Final values as a part of the outcome: one more request, the observer, sees them *)
From Coq Require Import List Bool Permutation Lia.
From Seriatim Require Import Semantics Lists Serial Prompt Exec.
Import ListNotations.

Section Observe.
Context {G L Q R O : Type} (N : ns G L Q R) (seen : G -> O).

(** Every complete run has the answers of a complete serial run, and leaves a global state that looks the same. *)
Definition serializable_seen : Prop :=
  forall w g, run N (init N, []) w (g, []) ->
  exists w' g', serial_run N (init N, []) w' (g', []) /\ Permutation w w' /\ seen g = seen g'.

(** The observer takes one step, after which nobody takes any. Global states say whether it has: the run has ended.
    *)
Definition observe : ns (G * bool) (L + option O) (option Q) (R + O) := {|
  init := (init N, false);
  fresh := fun q l => match q, l with Some q, inl l => fresh N q l | None, inr None => True | _, _ => False end;
  step := fun l g m h =>
    snd g = false /\
    match l, m with
    | inl l, inl m => snd h = false /\ step N l (fst g) m (fst h)
    | inr None, inr (Some o) => h = (fst g, true) /\ o = seen (fst g)
    | _, _ => False
    end;
  resp := fun l r => match l, r with inl l, inl r => resp N l r | inr (Some o), inr o' => o = o' | _, _ => False end
|}.
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.

Definition watched (a : answer) : option Q * (R + O) := (Some (fst a), inl (snd a)).
Definition watched_flight (f : flight) : option Q * (L + option O) := (Some (fst f), inl (snd f)).

(** ** A run of the system, then the observer *)

Lemma run_watched c w d : run N c w d ->
  run observe ((fst c, false), map watched_flight (snd c)) (map watched w)
    ((fst d, false), map watched_flight (snd d)).
Proof.
  induction 1 as [c|c o c1 w c2 Hm _ IH]; [constructor|]. rewrite map_app.
  eapply run_cons; [|exact IH].
  inversion Hm as [g fs q l H|g a b q l m h H|g a b q l r H]; subst; simpl; rewrite ?map_app; simpl.
  - apply (spawn observe). exact H.
  - apply (advance observe). simpl. auto.
  - apply (reply observe). exact H.
Qed.
Lemma run_app c v d w e : run observe c v d -> run observe d w e -> run observe c (v ++ w) e.
Proof. induction 1; simpl; auto. intro. rewrite <- app_assoc. econstructor; eauto. Qed.
Lemma run_observer g : run observe ((g, false), []) [(None, inr (seen g))] ((g, true), []).
Proof.
  apply (run_cons observe _ [] ((g, false), [(None, inr None)])); [apply (spawn observe); exact I|].
  apply (run_cons observe _ [] ((g, true), [(None, inr (Some (seen g)))])).
  { apply (advance observe (g, false) [] [] None (inr None) (inr (Some (seen g))) (g, true)). simpl. auto. }
  apply (run_cons observe _ [(None, inr (seen g))] ((g, true), [])); [|constructor].
  apply (reply observe (g, true) [] [] None (inr (Some (seen g))) (inr (seen g))). reflexivity.
Qed.

(** ** Serial runs with an observer *)

Lemma solo_ended l g m h : solo observe l (g, true) m h -> m = l /\ h = (g, true).
Proof.
  intro H. remember (g, true) as g0. induction H as [l g0|l g0 m h l' g' Hs _ _]; [auto|].
  subst. destruct Hs as [Hs _]. discriminate.
Qed.
Lemma solo_watched l g m h : solo observe (inl l) (g, false) m h ->
  exists m' h', m = inl m' /\ h = (h', false) /\ solo N l g m' h'.
Proof.
  intro H. remember (inl l) as l0. remember (g, false) as g0. revert l g Heql0 Heqg0.
  induction H as [l0 g0|l0 g0 m0 h0 l' g' Hs _ IH]; intros l g -> ->.
  - exists l, g. repeat split; auto. constructor.
  - destruct m0 as [m0|o]; destruct Hs as [_ Hs]; [|contradiction]. destruct h0 as [h0 b]. simpl in Hs.
    destruct Hs as [-> Hs]. destruct (IH m0 h0 eq_refl eq_refl) as (m' & h' & -> & -> & Hso).
    exists m', h'. repeat split; auto. econstructor; eauto.
Qed.

(** An edge of the observed system is an edge of the system, or the observer's. *)
Lemma edge_watched g b a h : edge observe (g, b) a h ->
  (exists a' h', a = watched a' /\ h = (h', b) /\ edge N g a' h') \/
  (a = (None, inr (seen g)) /\ b = false /\ h = (g, true)).
Proof.
  intros (l0 & l & Hf & Hso & Hr). destruct a as [[q|] r]; simpl in *.
  - destruct l0 as [l0|]; [|contradiction]. left. destruct b.
    + apply solo_ended in Hso as [-> ->]. destruct r as [r|]; [|contradiction].
      exists (q, r), g. repeat split; auto. exists l0, l0. repeat split; auto. constructor.
    + apply solo_watched in Hso as (m & h' & -> & -> & Hso). destruct r as [r|]; [|contradiction].
      exists (q, r), h'. repeat split; auto. exists l0, m. auto.
  - destruct l0 as [|[o|]]; try contradiction. right. destruct b.
    + apply solo_ended in Hso as [-> ->]. destruct r; contradiction.
    + inversion Hso as [|? ? m h0 ? ? Hs Hso']; subst; [destruct r; contradiction|].
      destruct m as [|[o|]]; destruct Hs as [_ Hs]; try contradiction. simpl in Hs. destruct Hs as [-> ->].
      apply solo_ended in Hso' as [-> ->]. destruct r as [|o']; [contradiction|]. subst. auto.
Qed.

(** After the observer, only answers without steps follow; they can come before it. *)
Lemma path_ended g u h : path observe (g, true) u h ->
  exists v, u = map watched v /\ h = (g, true) /\ path N g v g.
Proof.
  intro H. remember (g, true) as g0. induction H as [g0|g0 a h1 u k He _ IH]; subst.
  - exists []. repeat split; auto. constructor.
  - destruct He as (l0 & l & Hf & Hso & Hr). apply solo_ended in Hso as [-> ->].
    destruct (IH eq_refl) as (v & -> & -> & Hp). destruct a as [[q|] r]; simpl in *.
    + destruct l0 as [l0|]; [|contradiction]. destruct r as [r|]; [|contradiction].
      exists ((q, r) :: v). repeat split; auto. econstructor; [|exact Hp]. exists l0, l0. repeat split; auto.
      constructor.
    + destruct l0 as [|[o|]]; try contradiction.
Qed.
Lemma path_watched g u h : path observe (g, false) u h ->
  (exists v h', u = map watched v /\ h = (h', false) /\ path N g v h') \/
  (exists v1 v2 h', u = map watched v1 ++ (None, inr (seen h')) :: map watched v2 /\ path N g v1 h' /\
    path N h' v2 h').
Proof.
  intro H. remember (g, false) as g0. revert g Heqg0. induction H as [g0|g0 a h1 u k He Hp IH]; intros g ->.
  - left. exists [], g. repeat split; auto. constructor.
  - apply edge_watched in He as [(a' & h' & -> & -> & He)|(-> & _ & ->)].
    + destruct (IH h' eq_refl) as [(v & h2 & -> & -> & Hp')|(v1 & v2 & h2 & -> & Hp1 & Hp2)].
      * left. exists (a' :: v), h2. repeat split; auto. econstructor; eauto.
      * right. exists (a' :: v1), v2, h2. repeat split; auto. econstructor; eauto.
    + right. destruct (path_ended _ _ _ Hp) as (v & -> & _ & Hp'). exists [], v, g. repeat split; auto. constructor.
Qed.

(** ** Proofs: if the observed system is serializable *)

Definition is_observer (a : option Q * (R + O)) : bool := match fst a with None => true | Some _ => false end.
Lemma filter_watched v : filter is_observer (map watched v) = [].
Proof. induction v; simpl; auto. Qed.
Lemma unwatched v : filter (fun a => negb (is_observer a)) (map watched v) = map watched v.
Proof. induction v; simpl; auto. now f_equal. Qed.
Lemma perm_filter {A} (f : A -> bool) l l' : Permutation l l' -> Permutation (filter f l) (filter f l').
Proof.
  induction 1; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto. constructor.
  - now transitivity (filter f l').
Qed.
Definition back (a : option Q * (R + O)) : list answer :=
  match a with (Some q, inl r) => [(q, r)] | _ => [] end.
Lemma back_watched v : flat_map back (map watched v) = v.
Proof. induction v as [|[q r] v IH]; simpl; congruence. Qed.

Theorem observed_serializable : serializable observe -> serializable_seen.
Proof.
  intros H w g Hr.
  destruct (proj1 (serializable_by_paths observe) H (map watched w ++ [(None, inr (seen g))]) (g, true))
    as (u & h & Hp & HP).
  - apply (run_app _ _ ((g, false), [])); [exact (run_watched _ _ _ Hr)|apply run_observer].
  - apply path_watched in Hp as [(v & h' & -> & _ & Hp)|(v1 & v2 & h' & -> & Hp1 & Hp2)].
    + exfalso. apply perm_filter with (f := is_observer) in HP. rewrite filter_app, !filter_watched in HP.
      simpl in HP.
      apply Permutation_sym, Permutation_nil in HP. discriminate.
    + exists (v1 ++ v2), h'. split; [|split].
      * apply path_is_serial. exact (path_app N _ _ _ _ _ Hp1 Hp2).
      * apply Permutation_flat_map with (g := back) in HP. rewrite !flat_map_app in HP. simpl in HP.
        rewrite !back_watched, app_nil_r in HP. exact HP.
      * apply perm_filter with (f := is_observer) in HP. rewrite !filter_app, filter_watched in HP. simpl in HP.
        rewrite !filter_watched in HP. simpl in HP. apply Permutation_length_1 in HP. congruence.
Qed.

(** ** Refutations: if the system is serializable with what is seen, so is the observed one *)

Definition well_formed (f : option Q * (L + option O)) : Prop :=
  match f with (Some _, inl _) | (None, inr _) => True | _ => False end.
Definition flights_back (fs : list (option Q * (L + option O))) : list flight :=
  flat_map (fun f => match f with (Some q, inl l) => [(q, l)] | _ => [] end) fs.
(** What observers in flight have seen. *)
Definition sights (fs : list (option Q * (L + option O))) : list O :=
  flat_map (fun f => match snd f with inr (Some o) => [o] | _ => [] end) fs.
Definition told (o : O) : option Q * (R + O) := (None, inr o).

Lemma run_back c w d : run observe c w d -> snd d = [] -> Forall well_formed (snd c) ->
  let '((g, b), fs) := c in let '((h, b'), _) := d in
  run N (g, flights_back fs) (flat_map back w) (h, []) /\
  (b = true -> b' = true /\ h = g) /\
  Permutation (filter is_observer w) (map told (sights fs ++ (if b then [] else if b' then [seen h] else []))) /\
  filter (fun a => negb (is_observer a)) w = map watched (flat_map back w).
Proof.
  unfold flights_back, sights.
  induction 1 as [c|c o c1 w c2 Hm _ IH]; intros Hd HF.
  - destruct c as [[g b] fs]. simpl in Hd. subst. simpl. repeat split; auto; [constructor|].
    destruct b; constructor.
  - specialize (IH Hd). destruct c2 as [[h b'] fs2].
    inversion Hm as [g fs q l H|g a b q l m h1 H|g a b q l r H]; subst; simpl snd in *.
    + destruct g as [g e]. destruct IH as (I1 & I2 & I3 & I4).
      { constructor; auto. destruct q, l as [|[|]]; simpl in H |- *; auto. }
      destruct q as [q|], l as [l|[o|]]; simpl in H; try contradiction; simpl in *; repeat split; auto;
        try apply I2; auto.
      refine (run_cons N _ [] _ _ _ _ I1). now constructor.
    + apply Forall_app in HF as [Fa Fb]. inversion Fb as [|? ? Ff Fb']; subst.
      destruct g as [g e], h1 as [h1 e1]. destruct H as [He H]. simpl in He. subst e.
      rewrite ?flat_map_app in *. destruct q as [q|], l as [l|[o|]]; simpl in Ff; try contradiction;
        destruct m as [m|[o'|]]; try contradiction; simpl in H.
      * destruct H as [-> H]. destruct IH as (I1 & I2 & I3 & I4).
        { apply Forall_app. split; auto. }
        simpl in *. rewrite ?flat_map_app in *. simpl in *. repeat split; auto; try discriminate.
        refine (run_cons N _ [] _ _ _ _ I1). now constructor.
      * destruct H as [Eh ->]. injection Eh as -> ->. destruct IH as (I1 & I2 & I3 & I4).
        { apply Forall_app. split; auto. }
        destruct (I2 eq_refl) as [-> ->]. simpl in *. rewrite ?flat_map_app in *. simpl in *.
        repeat split; auto; try discriminate. rewrite I3, app_nil_r. apply Permutation_map.
        rewrite <- app_assoc. apply Permutation_app_head, Permutation_cons_append.
    + apply Forall_app in HF as [Fa Fb]. inversion Fb as [|? ? Ff Fb']; subst. destruct g as [g e].
      destruct IH as (I1 & I2 & I3 & I4); [apply Forall_app; auto|]. rewrite ?flat_map_app in *.
      destruct q as [q|], l as [l|[o|]]; simpl in Ff, H; try contradiction; destruct r as [r|o']; try contradiction;
        simpl in *.
      * repeat split; auto; try apply I2; auto.
        -- refine (run_cons N _ [(q, r)] _ _ _ _ I1). now constructor.
        -- now rewrite I4.
      * subst o'. repeat split; auto; try apply I2; auto.
        rewrite I3. apply (Permutation_map told (l := o :: _)). rewrite <- !app_assoc. apply Permutation_middle.
Qed.

Lemma edge_observed g a h : edge N g a h -> edge observe (g, false) (watched a) (h, false).
Proof.
  intros (l0 & l & Hf & Hso & Hr). exists (inl l0), (inl l). repeat split; auto. clear Hf Hr.
  induction Hso as [l g|l g m h l' g' Hs _ IH]; [constructor|].
  apply (solo_step observe _ _ (inl m) (h, false)); auto. simpl. auto.
Qed.
Lemma path_observed g w h : path N g w h -> path observe (g, false) (map watched w) (h, false).
Proof. induction 1; simpl; econstructor; eauto using edge_observed. Qed.
Lemma observer_edge g : edge observe (g, false) (told (seen g)) (g, true).
Proof.
  exists (inr None), (inr (Some (seen g))). repeat split; auto.
  apply (solo_step observe _ _ (inr (Some (seen g))) (g, true)); [simpl; auto|constructor].
Qed.

Lemma split_by {A} (f : A -> bool) l : Permutation l (filter (fun a => negb (f a)) l ++ filter f l).
Proof.
  induction l as [|a l IH]; simpl; auto. destruct (f a); simpl; [|now constructor].
  rewrite IH at 1. apply Permutation_middle.
Qed.

Theorem serializable_observed : serializable_seen -> serializable observe.
Proof.
  intro H. apply serializable_by_paths. intros w [h b'] Hr.
  destruct (run_back _ _ _ Hr eq_refl (Forall_nil _)) as (R1 & _ & R3 & R4). simpl in R1, R3.
  destruct (H _ _ R1) as (w1 & g' & Hs & HP & Es). apply serial_is_path, path_observed in Hs.
  assert (HW : Permutation w (map watched w1 ++ filter is_observer w)).
  { rewrite (split_by is_observer w) at 1. rewrite R4. apply Permutation_app_tail. now apply Permutation_map. }
  destruct b'.
  - exists (map watched w1 ++ [told (seen g')]), (g', true). split.
    + apply (path_snoc observe) with (h := (g', false)); auto. apply observer_edge.
    + rewrite HW, R3, Es. reflexivity.
  - exists (map watched w1), (g', false). split; auto. rewrite HW, R3. simpl. now rewrite app_nil_r.
Qed.

Corollary observed_iff : serializable observe <-> serializable_seen.
Proof. split; [apply observed_serializable|apply serializable_observed]. Qed.
End Observe.

(** ** Executed *)

Lemma bool_decides : decides Bool.eqb. Proof. intros x y. apply Bool.eqb_true_iff. Qed.

Definition exec_observe {G L Q R O} {N : ns G L Q R} (X : exec N) (seen : G -> O) (eqO : O -> O -> bool)
    (eqO_ok : decides eqO) : exec (observe N seen).
Proof.
  refine {|
    eqG := eqb_pair (eqG X) Bool.eqb; eqG_ok := pair_decides _ _ (eqG_ok N X) bool_decides;
    eqL := eqb_sum (eqL X) (eqb_option eqO); eqL_ok := sum_decides _ _ (eqL_ok N X) (option_decides _ eqO_ok);
    eqQ := eqb_option (eqQ X); eqQ_ok := option_decides _ (eqQ_ok N X);
    eqR := eqb_sum (eqR X) eqO; eqR_ok := sum_decides _ _ (eqR_ok N X) eqO_ok;
    fresh_list := (None, inr None) :: map (fun f => (Some (fst f), inl (snd f))) (fresh_list X);
    succ := fun l g =>
      if snd g then Some []
      else match l with
           | inl l => match succ X l (fst g) with
                      | Some xs => Some (map (fun mh => (inl (fst mh), (snd mh, false))) xs)
                      | None => None
                      end
           | inr None => Some [(inr (Some (seen (fst g))), (fst g, true))]
           | inr (Some _) => Some []
           end;
    answers := fun l => match l with inl l => map inl (answers X l) | inr o => map inr (listed o) end;
    stays := fun l => match l with inl l => stays X l | inr o => o = None end;
    final := fun l => match l with inl l => final X l | inr (Some _) => true | inr None => false end
  |}.
  - intros q l. simpl. rewrite in_map_iff. split.
    + destruct q as [q|], l as [l|[o|]]; intro H; try contradiction; auto.
      right. exists (q, l). split; auto. now apply (fresh_ok N X).
    + intros [E|([q' l'] & E & Hi)]; injection E as <- <-; [exact I|]. now apply (fresh_ok N X).
  - intros l [g b] xs. simpl. destruct b; simpl.
    { intros [= <-] m h. split; [intros [F _]; discriminate|intros []]. }
    destruct l as [l|[o|]].
    + destruct (succ X l g) as [ys|] eqn:E; [|discriminate]. intros [= <-] m [h b]. simpl. rewrite in_map_iff.
      split.
      * intros [_ H]. destruct m as [m|]; [|contradiction]. destruct H as [-> H]. exists (m, h). split; auto.
        now apply (succ_ok N X l g ys E).
      * intros ([m' h'] & Eq & Hi). injection Eq as <- <- <-. apply (succ_ok N X l g ys E) in Hi. auto.
    + intros [= <-] m h. simpl. split; [intros [_ H]; destruct m as [|[|]]; contradiction|intros []].
    + intros [= <-] m h. simpl. split.
      * intros [_ H]. destruct m as [|[o|]]; try contradiction. destruct H as [-> ->]. auto.
      * intros [E|[]]. injection E as <- <-. auto.
  - intros [l|[o|]] [r|o']; simpl; rewrite ?in_map_iff; split; try (intros []; fail); try (intros (x & Ex & _);
      discriminate).
    + intro H. exists r. split; auto. now apply (answers_ok N X).
    + intros (x & [= ->] & Hx). now apply (answers_ok N X).
    + intros [F|[]]. discriminate.
    + intros ->. auto.
    + intros [[= ->]|[]]. auto.
  - intros [l|[o|]] g m h [_ Hs]; simpl; auto.
    + destruct m as [m|]; [|contradiction]. destruct Hs as [_ Hs]. exact (stays_ok N X _ _ _ _ Hs).
    + destruct m as [|[|]]; contradiction.
  - intros [l|[o|]] H; try discriminate. exact (final_ok N X l H).
Defined.
