(** * Evidence of the kind `reduction`: requests can be pulled together until each runs alone

    Handler by handler, so that no global state is ever listed. The serial run has the same final values. *)
From Coq Require Import List Bool Permutation Arith ZArith.
From Seriatim Require Import Semantics Lists Time Serial Prompt Exec Atomic Observe Program Uses Exchange Parts Views
  Movers.
Import ListNotations.
Open Scope Z_scope.

Notation local_state := (expr * store)%type.
Record reduction_evidence := {
  members : list (list (list local_state));     (** by handler, by number: local states that behave alike *)
  views : table;
  balanced : list invariant;
  acting_at_end : list nat;
  to_drop : list ((nat * option nat) * nat);
  standing_for : list ((nat * option nat) * nat);
  taken_effect : list (nat * nat);
  quiet_fuel : nat
}.

Section Reduction.
Variables (fuel : nat) (p : program) (E : reduction_evidence).
Let T := views E.
Let ns := mask T.
Let N := program_ns p.
Notation flight := (nat * local_state)%type.

Definition eqb_local : local_state -> local_state -> bool := eqb_pair eqb_expr eqb_store.
Lemma local_decides : decides eqb_local. Proof. apply pair_decides; [apply expr_decides|apply store_decides]. Qed.

Definition members_of (q a : nat) : list local_state := nth a (nth q (members E) []) [].
Definition locals_of (q : nat) (o : option nat) : list local_state :=
  match o with
  | Some a => members_of q a
  | None => map (fun e => (e, repeat 0 (locals p))) (listed (nth_error (handlers p) q))
  end.

(** ** The check *)

Definition mentions_these (q : nat) (l : local_state) : bool := uses true (has (ns q)) (fst l).
(** Whether a local state is what an entry of the table says. *)
Definition is_as (q : nat) (m : local_state) (x : nat + Z) : bool :=
  match response (fst m), x with
  | Some v, inr v' => Z.eqb v v'
  | None, inl a => mem eqb_local m (members_of q a)
  | _, _ => false
  end.
Definition same_end (q : nat) (mh : local_state * store) (e : entry) : bool :=
  if eqb_store (snd mh) (snd e) then is_as q (fst mh) (fst e) else false.
(** Whether a local state has exactly these steps. *)
Definition has_steps (q : nat) (part : store) (xs : list entry) (l : local_state) : bool :=
  if mentions_these q l then
    match response (fst l) with
    | Some v => if mem eqb_entry (inr v, part) xs then all (eqb_entry (inr v, part)) xs else false
    | None =>
      match bigs fuel (fst l, snd l, part) with
      | None => false
      | Some ys =>
        if all (fun mh => any (same_end q mh) xs) ys
        then all (fun e => any (fun mh => same_end q mh e) ys) xs else false
      end
    end
  else false.
Definition check_rows : bool :=
  if Nat.eqb (length T) (length (handlers p))
  then all_views T (fun q o part xs => all (has_steps q part xs) (locals_of q o)) else false.
Definition check_reduction : bool :=
  if check_rows then
    if check_views T (globals p) (balanced E) then
      let kept := keep_steps T (acting_at_end E) (to_drop E) (quiet_fuel E) in
      if check_follows T (standing_for E) kept
      then check_movers T (globals p) (balanced E) (taken_effect E) kept else false
    else false
  else false.

(** ** The table describes the steps of the program *)

Lemma step_of_part q l g m h : mentions_these q l = true ->
  step N l g m h <-> exists part, step N l (only (ns q) g) m part /\ h = paste (ns q) g part.
Proof.
  intro Hu. unfold mentions_these in Hu.
  pose proof (big_through true (has (ns q)) (paste (ns q) g) (fun x h => get_pasted (ns q) g h x)
                (fun x v h => put_paste (ns q) x v g h) (fst l) (snd l) (only (ns q) g)) as B.
  rewrite paste_only in B. simpl. split.
  - intros [Hr Hb]. apply (B _ Hu) in Hb as ([[e r] part] & Hb & [= -> -> ->]). exists part. auto.
  - intros (part & [Hr Hb] & ->). split; auto. apply (B _ Hu). now exists (fst m, snd m, part).
Qed.

Hypothesis rows : check_rows = true.

Lemma handlers_length : length T = length (handlers p).
Proof. unfold check_rows in rows. apply if_and in rows as [H _]. now apply Nat.eqb_eq. Qed.
Lemma row_steps q o part xs l : row T q o part = Some xs -> In l (locals_of q o) -> has_steps q part xs l = true.
Proof.
  intros Hr Hl. pose proof rows as H. unfold check_rows in H. apply if_and in H as [_ H].
  pose proof (all_views_row T _ q o part xs H Hr) as A. cbn beta in A. rewrite all_forall in A. auto.
Qed.

Lemma step_has_entry q o g xs l m h : row T q o (only (ns q) g) = Some xs -> In l (locals_of q o) ->
  step N l g m h -> exists x part, In (x, part) xs /\ h = paste (ns q) g part /\ is_as q m x = true.
Proof.
  intros Hr Hl Hs. pose proof (row_steps _ _ _ _ _ Hr Hl) as H. unfold has_steps in H. apply if_and in H as [Hu H].
  apply (step_of_part q l g m h Hu) in Hs as (part & [Hn Hb] & ->). rewrite Hn in H.
  destruct (bigs fuel _) as [ys|] eqn:B; [|discriminate]. apply if_and in H as [H _]. rewrite all_forall in H.
  apply (bigs_ok _ _ _ B) in Hb. apply H in Hb. apply any_exists in Hb as ([x part'] & Hx & Hb).
  unfold same_end in Hb. apply if_and in Hb as [Ep Hm]. apply store_decides in Ep. simpl in *. subst. eauto.
Qed.
Lemma answer_has_entry q o g xs l v : row T q o (only (ns q) g) = Some xs -> In l (locals_of q o) ->
  response (fst l) = Some v -> In (inr v, only (ns q) g) xs.
Proof.
  intros Hr Hl Hv. pose proof (row_steps _ _ _ _ _ Hr Hl) as H. unfold has_steps in H. apply if_and in H as [_ H].
  rewrite Hv in H. apply if_and in H as [H _]. now apply (mem_in _ entry_decides).
Qed.
(** Back: what the table says, a request can do. *)
Lemma entry_has_step q o g x part l : In (x, part) (entries T q o (only (ns q) g)) -> In l (locals_of q o) ->
  (exists v, x = inr v /\ response (fst l) = Some v /\ paste (ns q) g part = g) \/
  (exists m, step N l g m (paste (ns q) g part) /\ is_as q m x = true).
Proof.
  unfold entries. intros He Hl. destruct (row T q o _) as [xs|] eqn:Hr; [|destruct He].
  pose proof (row_steps _ _ _ _ _ Hr Hl) as H. unfold has_steps in H. apply if_and in H as [Hu H].
  destruct (response (fst l)) as [v|] eqn:Hv.
  - left. exists v. apply if_and in H as [_ H]. rewrite all_forall in H. apply H in He. apply entry_decides in He.
    injection He as <- <-. split; [auto|split; [auto|apply paste_only]].
  - right. destruct (bigs fuel _) as [ys|] eqn:B; [|discriminate]. apply if_and in H as [_ H].
    rewrite all_forall in H. apply H in He. apply any_exists in He as ([m h] & Hm & He).
    unfold same_end in He. apply if_and in He as [Ep Hx]. apply store_decides in Ep. simpl in *. subst h.
    exists m. split; auto. apply (bigs_ok _ _ _ B) in Hm. apply (step_of_part q l g m _ Hu). exists part.
    split; auto. split; auto.
Qed.

Lemma is_as_answer q m x v : is_as q m x = true -> response (fst m) = Some v -> x = inr v.
Proof.
  unfold is_as. intros H Hv. rewrite Hv in H. destruct x as [a|v']; [discriminate|]. apply Z.eqb_eq in H. congruence.
Qed.
Lemma is_as_flight q m x : is_as q m x = true -> response (fst m) = None ->
  exists a, x = inl a /\ In m (members_of q a).
Proof.
  unfold is_as. intros H Hv. rewrite Hv in H. destruct x as [a|v']; [|discriminate].
  apply (mem_in _ local_decides) in H. eauto.
Qed.
Lemma moving_unanswered l : moving N l -> response (fst l) = None.
Proof. intros (g & m & h & H & _). exact H. Qed.
Lemma fresh_local q l : fresh N q l -> In l (locals_of q None) /\ (q < length T)%nat.
Proof.
  destruct l as [e r]. intros [Hq Hr]. simpl in Hq, Hr. subst. split.
  - simpl. rewrite Hq. left. reflexivity.
  - rewrite handlers_length. apply nth_error_Some. congruence.
Qed.

(** ** Runs of the program are runs of the table *)

Hypothesis closed : check_views T (globals p) (balanced E) = true.
Notation consistent := (consistent T (globals p) (balanced E)).
Let S := prompt_step N (@skip_none store local_state) (moving N).
Let C := moves_by ns T.

Notation pair := (option numbered_flight * flight)%type.
Definition named (x : pair) : Prop := exists q a l, x = (Some (q, a), (q, l)) /\ In l (members_of q a).
Definition named_rel (g : store) (ps : list pair) : Prop := Forall named ps /\ consistent g (partners ps).

Lemma named_perm g ps ps' : Permutation ps ps' -> named_rel g ps -> named_rel g ps'.
Proof.
  intros HP [H1 H2]. split; [now rewrite <- HP|]. revert H2. apply consistent_perm. now apply partners_perm.
Qed.

(** Where somebody who takes a step, or answers at once, stands in the table. *)
Lemma consistent_row q o g ps : consistent g (listed (who q o) ++ ps) -> (q < length T)%nat ->
  exists xs, row T q o (only (ns q) g) = Some xs /\ entries T q o (only (ns q) g) = xs.
Proof.
  intros Hk Hq. pose proof (consistent_there T (globals p) (balanced E) g q o ps Hk Hq) as H. unfold is_there in H.
  unfold entries. fold ns in H. destruct (row T q o _) as [xs|]; [eauto|discriminate].
Qed.

(** The flight that a local state is part of, unless it is a new request's. *)
Definition moved (q : nat) (o : option nat) (l : local_state) : option flight :=
  match o with Some _ => Some (q, l) | None => None end.

Lemma named_step g o f ps t h : (f = None -> o = None) -> named_rel g (with_partner o f ++ ps) -> S f g t h ->
  (exists y, t = inl y /\ h = g /\ named_rel g ((o, y) :: ps)) \/
  (exists t', C o g t' h /\
     match t, t' with
     | inl y, inl y' => named_rel h ((Some y', y) :: ps)
     | inr a, inr a' => a = a' /\ named_rel h ps
     | _, _ => False
     end).
Proof.
  intros Hn [HF Hk] Hs. right.
  assert (Who : exists q m l, f = moved q m l /\
    o = who q m /\ In l (locals_of q m) /\ (q < length T)%nat /\
    ((exists l' , step N l g l' h /\ ((exists r, resp N l' r /\ t = inr (q, r)) \/ (moving N l' /\ t = inl (q, l')))) \/
     (exists r, resp N l r /\ t = inr (q, r) /\ h = g))).
  { assert (InFlight : forall q l, f = Some (q, l) ->
      exists a, o = Some (q, a) /\ In l (members_of q a) /\ (q < length T)%nat).
    { intros q l ->. apply Forall_app in HF as [HF _]. inversion HF as [|? ? (q' & a & l' & E1 & Hl) _]; subst.
      injection E1 as -> -> ->. exists a. split; [reflexivity|split; [exact Hl|]].
      exact (there_handler T _ _ _ (consistent_flights _ _ _ _ _ Hk q' a (or_introl eq_refl))). }
    inversion Hs as [q l g' m h' Hf Hst Hsk Hm E1 E2 E3 E4|q l g' m h' r Hf Hst Hr E1 E2 E3 E4
                    |q l g' r Hf Hr E1 E2 E3 E4|q l g' m h' Hst Hm E1 E2 E3 E4|q l g' m h' r Hst Hr E1 E2 E3 E4]; clear Hs.
    - destruct (fresh_local q l Hf). exists q, None, l. rewrite (Hn (eq_sym E1)). subst. eauto 12.
    - destruct (fresh_local q l Hf). exists q, None, l. rewrite (Hn (eq_sym E1)). subst. eauto 12.
    - destruct (fresh_local q l Hf). exists q, None, l. rewrite (Hn (eq_sym E1)). subst. eauto 12.
    - destruct (InFlight q l (eq_sym E1)) as (a & -> & Hl & Hq). exists q, (Some a), l. subst. eauto 12.
    - destruct (InFlight q l (eq_sym E1)) as (a & -> & Hl & Hq). exists q, (Some a), l. subst. eauto 12. }
  destruct Who as (q & m & l & -> & -> & Hl & Hq & Does).
  assert (Ep : partners (with_partner (who q m) (moved q m l) ++ ps) = listed (who q m) ++ partners ps)
    by (destruct m; reflexivity).
  rewrite Ep in Hk. apply Forall_app in HF as [_ HF]. destruct (consistent_row q m g _ Hk Hq) as (xs & Hr & He).
  assert (Step : forall t' h', C (who q m) g t' h' -> consistent h' (stays_as t' ++ partners ps))
    by (intros t' h' Hc; exact (consistent_step T (globals p) (balanced E) (positive T (globals p) (balanced E) closed)
                                  closed g (who q m) _ t' h' Hk Hc)).
  destruct Does as [(l' & Hst & Ends)|(r & Hre & -> & ->)].
  - destruct (step_has_entry q m g xs l l' h Hr Hl Hst) as (x & part & Hx & -> & Has).
    rewrite <- He in Hx. pose proof (moves_by_entry ns T q m g x part Hx) as Hc. exists (becomes q x). split; auto.
    apply Step in Hc. destruct Ends as [(r & Hre & ->)|(Hm & ->)].
    + apply (is_as_answer q l' x r) in Has; auto. subst x. split; auto. split; auto.
    + apply (is_as_flight q l' x) in Has as (a & -> & Ha); [|now apply moving_unanswered].
      split; auto. constructor; auto. exists q, a, l'. auto.
  - pose proof (answer_has_entry q m g xs l r Hr Hl Hre) as Hx. rewrite <- He in Hx.
    pose proof (moves_by_entry ns T q m g _ _ Hx) as Hc. rewrite paste_only in Hc.
    exists (inr (q, r)). split; auto. split; auto. split; auto. exact (Step _ _ Hc).
Qed.

Lemma prompt_as_runs i c w d :
  timed_prompt_run N (@skip_none store local_state) (moving N) nobody_dead i c w d -> snd d = [] ->
  runs S i (fst c) (snd c) w (fst d).
Proof.
  induction 1 as [i c|i c w d _ IH|i x g a f b t h w d Hx Hs _ _ IH]; intro Hd; simpl in *.
  - rewrite Hd. constructor.
  - apply runs_tick. auto.
  - apply (runs_cons S i x g _ f (a ++ b) t h w (fst d)); auto.
    + destruct f; apply Permutation_app_swap_app.
    + apply (runs_perm S i h (a ++ stamped x (flights_of t) ++ b)); [auto|]. apply Permutation_app_swap_app.
Qed.

Lemma runs_of_table w g : runs S 0 (globals p) [] w g -> runs C 0 (globals p) [] w g.
Proof.
  intro H. apply (runs_follow S C named_rel named_perm named_step 0 (globals p) [] w g H []); auto.
  split; [constructor|]. exact (consistent_first T (globals p) (balanced E) closed).
Qed.

(** ** A whole of the table is a request that runs alone *)

Lemma whole_flight f g a h : whole C f g a h -> forall q c l, f = Some (q, c) -> In l (members_of q c) ->
  q = fst a /\ exists l', solo N l g l' h /\ resp N l' (snd a).
Proof.
  induction 1 as [f g a h Hc|f g y h a k Hc _ IH]; intros q c l -> Hl;
    inversion Hc as [q' o g' x part He E1 E2 E3 E4]; clear Hc; (destruct o as [c'|]; [|discriminate]);
    injection E1 as -> ->; subst.
  - destruct x as [b|v]; [discriminate|]. injection E3 as <-. split; auto. simpl.
    destruct (entry_has_step q (Some c) g _ part l He Hl) as [(v' & [= ->] & Hv & ->)|(m & Hs & Has)].
    + exists l. split; auto. constructor.
    + exists m. split; [econstructor; eauto; constructor|]. unfold is_as in Has. simpl.
      destruct (response (fst m)) as [v''|]; [|discriminate]. apply Z.eqb_eq in Has. congruence.
  - destruct x as [b|v]; [|discriminate]. injection E3 as <-.
    destruct (entry_has_step q (Some c) g _ part l He Hl) as [(v' & [=] & _)|(m & Hs & Has)].
    unfold is_as in Has. destruct (response (fst m)); [discriminate|]. apply (mem_in _ local_decides) in Has.
    destruct (IH q b m eq_refl Has) as (Eq & l' & Hso & Hr). split; auto. exists l'. split; auto.
    econstructor; eauto.
Qed.

Lemma whole_new g a h : whole C None g a h -> edge N g a h.
Proof.
  intro H. inversion H as [f0 g0 a0 h0 Hc|f0 g0 y h0 a0 k Hc Hw]; subst; clear H;
    inversion Hc as [q o g' x part He E1 E2 E3 E4]; clear Hc; (destruct o as [c|]; [discriminate|]); subst;
    pose proof (there_handler T _ _ _ (entry_there T _ _ _ _ He)) as Hq; rewrite handlers_length in Hq;
    apply nth_error_Some in Hq; destruct (nth_error (handlers p) q) as [e|] eqn:Eq; try contradiction;
    assert (Hl : In (e, repeat 0 (locals p)) (locals_of q None)) by (simpl; rewrite Eq; left; reflexivity);
    assert (Hf : fresh N q (e, repeat 0 (locals p))) by (split; auto).
  - destruct x as [b|v]; [discriminate|]. injection E3 as <-.
    destruct (entry_has_step q None g _ part _ He Hl) as [(v' & [= ->] & Hv & ->)|(m & Hs & Has)].
    + exists (e, repeat 0 (locals p)), (e, repeat 0 (locals p)). split; [exact Hf|split; [constructor|exact Hv]].
    + exists (e, repeat 0 (locals p)), m. split; [exact Hf|split; [econstructor; eauto; constructor|]].
      unfold is_as in Has. simpl. destruct (response (fst m)) as [v''|]; [|discriminate].
      apply Z.eqb_eq in Has. congruence.
  - destruct x as [b|v]; [|discriminate]. injection E3 as <-.
    destruct (entry_has_step q None g _ part _ He Hl) as [(v' & [=] & _)|(m & Hs & Has)].
    unfold is_as in Has. destruct (response (fst m)); [discriminate|]. apply (mem_in _ local_decides) in Has.
    destruct (whole_flight _ _ _ _ Hw q b m eq_refl Has) as (Ea & l' & Hso & Hr).
    exists (e, repeat 0 (locals p)), l'. rewrite <- Ea. split; [exact Hf|split; [econstructor; eauto|exact Hr]].
Qed.
End Reduction.

(** ** Soundness *)

Lemma in_turn_path {G F A} (K : option F -> G -> F + A -> G -> Prop) late (edge_of : G -> A -> G -> Prop)
  (path_of : G -> list A -> G -> Prop) :
  (forall g, path_of g [] g) -> (forall g a h w k, edge_of g a h -> path_of h w k -> path_of g (a :: w) k) ->
  (forall g a h, whole K None g a h -> edge_of g a h) ->
  forall g fs w k, in_turn K late g fs w k -> fs = [] -> path_of g (map fst w) k.
Proof.
  intros Hnil Hcons Hedge g fs w k H. induction H as [g|g x fs f os a h w k HP _ Hw _ IH]; intro E; simpl; auto.
  subst. apply Permutation_nil in HP. apply app_eq_nil in HP as [Hf ->]. destruct f; [discriminate|]. eauto.
Qed.

Theorem reduction_path fuel p E : check_reduction fuel p E = true ->
  forall w i g, timed_run (program_ns p) (0%nat, globals p, []) w (i, g, []) ->
  exists v, path (program_ns p) (globals p) (map fst v) g /\ Permutation w v /\ in_time v.
Proof.
  unfold check_reduction. cbv zeta. rewrite !if_and. intros (Hrows & Hviews & Hfollow & Hmove) w i g Hr.
  destruct (timed_prompt_by_runs (program_ns p) (@skip_none _ _) (moving (program_ns p)) w i g (skips_none _)
              (moving_moves _) Hr) as (v & Hp & HP).
  apply prompt_as_runs in Hp; auto. apply (runs_of_table fuel p E Hrows Hviews) in Hp.
  destruct (kept_in_turn (views E) (globals p) (balanced E) (acting_at_end E) (to_drop E) (standing_for E)
              (taken_effect E) (quiet_fuel E) _ eq_refl Hviews Hfollow Hmove v g Hp) as (v' & Ht & HP' & Hi).
  exists v'. split; [|split; [now rewrite HP|exact Hi]].
  refine (in_turn_path _ _ (edge (program_ns p)) (path (program_ns p)) _ _ _ _ _ _ _ Ht eq_refl).
  - intro. constructor.
  - intros. econstructor; eauto.
  - intros g0 a h Hw. apply (whole_new fuel p E Hrows).
    exact (kept_whole (views E) (acting_at_end E) (to_drop E) (quiet_fuel E) _ eq_refl _ _ _ _ Hw).
Qed.

Theorem reduction_sound fuel p E : check_reduction fuel p E = true ->
  forall K, strictly_serializable K (program_ns p).
Proof.
  intros H K w i g Hr _. destruct (reduction_path fuel p E H w i g Hr) as (v & Hp & HP & Hi).
  exists v, g. split; [now apply path_is_serial|auto].
Qed.
Theorem reduction_seen {O} fuel p E (seen : list Z -> O) : check_reduction fuel p E = true ->
  serializable_seen (program_ns p) seen.
Proof.
  intros H w g Hr. destruct (timed_of_run _ _ _ _ Hr 0%nat [] eq_refl) as (w' & fs & Ht & <- & Ef).
  apply map_eq_nil in Ef. subst. destruct (reduction_path fuel p E H _ _ g Ht) as (v & Hp & HP & _).
  exists (map fst v), g. split; [now apply path_is_serial|]. split; auto. now apply Permutation_map.
Qed.
