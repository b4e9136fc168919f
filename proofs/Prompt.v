(** * Prompt runs: requests begin with their first step, and answer on arrival

    Spawning and answering leave the global state alone, so they can move in time. In a prompt run a request appears
    when it takes its first step, and is gone as soon as it can give the answer that it will give. *)
From Coq Require Import List Bool Permutation Lia.
From Seriatim Require Import Semantics Lists Serial Time.
Import ListNotations.

Section Prompt.
Context {G L Q R : Type} (N : ns G L Q R).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.
Notation timed_flight := (flight * nat)%type.

(** First steps that may be left out, because they change nothing: afterwards the request is still fresh. *)
Variable skip : L -> G -> L -> G -> bool.
Definition skips_nothing : Prop :=
  forall q l g m h, fresh N q l -> skip l g m h = true -> h = g /\ fresh N q m.

Definition moving (l : L) : Prop := exists g m h, step N l g m h.

(** Where a request may stay in flight; at least where it can take a further step. In complete runs, only there. *)
Variable stays : L -> Prop.
Definition stays_to_move : Prop := forall l g m h, step N l g m h -> stays l.

(** Who moves (nobody that was in flight, if it is a first step), and where that leads: to a flight or an answer. *)
Inductive prompt_step : option flight -> G -> flight + answer -> G -> Prop :=
| first_step q l g m h : fresh N q l -> step N l g m h -> skip l g m h = false -> stays m ->
    prompt_step None g (inl (q, m)) h
| first_answer q l g m h r : fresh N q l -> step N l g m h -> resp N m r -> prompt_step None g (inr (q, r)) h
| answer_at_once q l g r : fresh N q l -> resp N l r -> prompt_step None g (inr (q, r)) g
| next_step q l g m h : step N l g m h -> stays m -> prompt_step (Some (q, l)) g (inl (q, m)) h
| next_answer q l g m h r : step N l g m h -> resp N m r -> prompt_step (Some (q, l)) g (inr (q, r)) h.

Definition flights_of (t : flight + answer) : list flight := match t with inl f => [f] | inr _ => [] end.
Definition answers_of (t : flight + answer) : list answer := match t with inl _ => [] | inr a => [a] end.

(** Steps to flights that are [dead] are left out. *)
Definition alive (dead : flight -> bool) (t : flight + answer) : Prop :=
  match t with inl f => dead f = false | inr _ => True end.

Inductive prompt_run (dead : flight -> bool) : G * list flight -> list answer -> G * list flight -> Prop :=
| prompt_nil c : prompt_run dead c [] c
| prompt_cons g a f b t h w d : prompt_step f g t h -> alive dead t ->
    prompt_run dead (h, a ++ flights_of t ++ b) w d ->
    prompt_run dead (g, a ++ listed f ++ b) (answers_of t ++ w) d.

(** ** Prompt runs in time

    A request has the interval in which it was in flight in the run itself: all its steps are within it. *)

Inductive timed_prompt_run (dead : flight -> bool) : nat -> G * list (flight * interval) ->
    list (answer * interval) -> G * list (flight * interval) -> Prop :=
| timed_prompt_nil i c : timed_prompt_run dead i c [] c
| timed_prompt_tick i c w d : timed_prompt_run dead (S i) c w d -> timed_prompt_run dead i c w d
| timed_prompt_cons i x g a f b t h w d : within x i -> prompt_step f g t h -> alive dead t ->
    timed_prompt_run dead i (h, a ++ stamped x (flights_of t) ++ b) w d ->
    timed_prompt_run dead i (g, a ++ stamped x (listed f) ++ b) (stamped x (answers_of t) ++ w) d.

(** Without its times it is a prompt run. *)
Lemma prompt_of_timed dead i c w d : timed_prompt_run dead i c w d ->
  prompt_run dead (fst c, map fst (snd c)) (map fst w) (fst d, map fst (snd d)).
Proof.
  induction 1 as [i c|i c w d _ IH|i x g a f b t h w d Hx Hs Ha _ IH]; [constructor|exact IH|].
  simpl in *. rewrite !map_app, stamped_fst in *. rewrite stamped_fst. apply prompt_cons with (h := h); auto.
Qed.

(** ** Every complete run has a complete prompt run with the same outcome

    Flights of the run are marked: [true] as long as they have not taken a step. Of each flight, the prompt run
    knows one of three things. *)
Inductive seen :=
| Hidden                          (** it has not begun *)
| Here (f : flight * interval)    (** it is in flight *)
| Gone (a : answer * interval).   (** it has answered, and will do so in the other run *)

Definition matches (i : nat) (m : bool * timed_flight) (s : seen) : Prop :=
  match m, s with
  | (true, _), Hidden => True
  | (false, (f, b)), Here (f', x) => f = f' /\ stays (snd f) /\ fst x = b /\ i <= snd x
  | (false, ((q, l), b)), Gone ((q', r), x) => (q = q' /\ resp N l r) /\ fst x = b /\ i <= snd x
  | _, _ => False
  end.
Definition here (ss : list seen) : list (flight * interval) :=
  flat_map (fun s => match s with Here f => [f] | _ => [] end) ss.
Definition gone (ss : list seen) : list (answer * interval) :=
  flat_map (fun s => match s with Gone a => [a] | _ => [] end) ss.
Definition marked_fresh (m : bool * timed_flight) : Prop :=
  fst m = true -> fresh N (fst (fst (snd m))) (snd (fst (snd m))).
Definition nobody_dead (f : flight) : bool := false.

Lemma here_app ss ss' : here (ss ++ ss') = here ss ++ here ss'. Proof. apply flat_map_app. Qed.
Lemma gone_app ss ss' : gone (ss ++ ss') = gone ss ++ gone ss'. Proof. apply flat_map_app. Qed.

Lemma here_cons s ss : here (s :: ss) = here [s] ++ here ss. Proof. exact (here_app [s] ss). Qed.
Lemma gone_cons s ss : gone (s :: ss) = gone [s] ++ gone ss. Proof. exact (gone_app [s] ss). Qed.

Lemma matches_earlier i m s : matches (S i) m s -> matches i m s.
Proof.
  destruct m as [[|] [[q l] b]], s as [|[f x]|[[q' r] x]]; simpl; auto; intuition lia.
Qed.

(** One more step of the prompt run in front: [y] becomes [z]. *)
Lemma prompt_front i x f t g h a b w d y z :
  within x i -> prompt_step f g t h -> here [y] = stamped x (listed f) -> here [z] = stamped x (flights_of t) ->
  timed_prompt_run nobody_dead i (h, here (a ++ z :: b)) w d ->
  timed_prompt_run nobody_dead i (g, here (a ++ y :: b)) (stamped x (answers_of t) ++ w) d.
Proof.
  intros Hx Hs Hy Hz Hr. rewrite here_app, (here_cons y b), Hy. rewrite here_app, (here_cons z b), Hz in Hr.
  apply timed_prompt_cons with (h := h); auto. destruct t; simpl; auto.
Qed.

Lemma split_marks (ms : list (bool * timed_flight)) a f b : map snd ms = a ++ f :: b ->
  exists ma u mb, ms = ma ++ (u, f) :: mb /\ map snd ma = a /\ map snd mb = b.
Proof.
  intro E. apply map_eq_app in E as (ma & m2 & -> & Ha & E2).
  apply map_eq_cons in E2 as ([u f'] & mb & -> & E3 & Hb).
  simpl in E3. subst. exists ma, u, mb. auto.
Qed.

Definition as_seen (i : nat) (m : bool * timed_flight) : seen :=
  if fst m then Hidden else Here (fst (snd m), (snd (snd m), i)).

(** At the end, it is known who is in flight. *)
Lemma seen_at_end i ms : (forall f, In f (map snd ms) -> stays (snd (fst f))) ->
  Forall2 (matches i) ms (map (as_seen i) ms) /\ gone (map (as_seen i) ms) = [].
Proof.
  intro Hd. induction ms as [|[u [[q l] b]] ms IH]; simpl; [auto|].
  destruct IH as [I1 I2]; [intros f Hf; apply Hd; right; exact Hf|]. split; [|destruct u; simpl; auto].
  constructor; auto. destruct u; simpl; auto. repeat split; auto. apply (Hd ((q, l), b)). left. auto.
Qed.

Lemma prompt_of_run c w d : skips_nothing -> stays_to_move -> timed_run N c w d ->
  (forall f, In f (snd d) -> stays (snd (fst f))) -> begun (fst (fst c)) (snd c) ->
  forall ms, map snd ms = snd c -> Forall marked_fresh ms ->
  exists ss v me, Forall2 (matches (fst (fst c))) ms ss /\ map snd me = snd d /\ Forall marked_fresh me /\
    timed_prompt_run nobody_dead (fst (fst c)) (snd (fst c), here ss) v
      (snd (fst d), here (map (as_seen (fst (fst d))) me)) /\
    Permutation w (v ++ gone ss).
Proof.
  intros skips moves. induction 1 as [c|c o c1 w c2 Hm _ IH]; intros Hd HB ms Em HF.
  - exists (map (as_seen (fst (fst c))) ms), [], ms. rewrite <- Em in Hd.
    destruct (seen_at_end (fst (fst c)) ms Hd) as [H1 H2]. rewrite H2. repeat split; auto. constructor.
  - specialize (IH Hd).
    inversion Hm as [i g fs|i g fs q l H|i g a b q l m h s H|i g a b q l r s H]; subst; simpl in *.
    + destruct (IH (begun_later i (S i) _ (le_S _ _ (le_n i)) HB) ms Em HF)
        as (ss & v & me & H2 & Hme & HFe & Hp & HP).
      exists ss, v, me. repeat split; auto; [|now constructor].
      clear - H2 skip. induction H2; constructor; auto using matches_earlier.
    + destruct (IH (Forall_cons ((q, l), i) (le_n i) HB) ((true, ((q, l), i)) :: ms))
        as (ss & v & me & H2 & Hme & HFe & Hp & HP).
      { simpl. now rewrite Em. }
      { constructor; auto. intros _. exact H. }
      inversion H2 as [|? y ? ss' Hs H2']; subst. destruct y as [|[f x]|[[q' r] x]]; simpl in Hs; try contradiction.
      exists ss', v, me. auto.
    + assert (HB' : begun i (a ++ ((q, m), s) :: b) /\ s <= i).
      { unfold begun in *. rewrite Forall_app in *. destruct HB as [Ba Bb].
        inversion Bb as [|? ? Bs Bb']; subst. simpl in Bs. auto. }
      destruct HB' as [HB' Hsi]. specialize (IH HB').
      destruct (split_marks _ _ _ _ Em) as (ma & u & mb & -> & <- & <-).
      apply Forall_app in HF as [HFa HFb]. inversion HFb as [|? ? Hu HFb']; subst.
      unfold marked_fresh in Hu; simpl in Hu.
      destruct (u && skip l g m h) eqn:Eskip.
      { apply andb_true_iff in Eskip as [-> Eskip]. destruct (skips _ _ _ _ _ (Hu eq_refl) Eskip) as [-> Hf].
        destruct (IH (ma ++ (true, ((q, m), s)) :: mb)) as (ss & v & me & H2 & Hme & HFe & Hp & HP).
        - rewrite map_app. reflexivity.
        - apply Forall_app. split; auto. constructor; auto. intros _. exact Hf.
        - exists ss, v, me. split; auto. apply Forall2_app_inv_l in H2 as (sa & s2 & Ha & H2 & ->).
          inversion H2 as [|? y ? sb Hy Hb]; subst. apply Forall2_app; auto. }
      destruct (IH (ma ++ (false, ((q, m), s)) :: mb)) as (ss & v & me & H2 & Hme & HFe & Hp & HP).
      { rewrite map_app. reflexivity. }
      { apply Forall_app. split; auto. constructor; auto. intros [=]. }
      apply Forall2_app_inv_l in H2 as (sa & s2 & Ha & H2 & ->). inversion H2 as [|? y ? sb Hy Hb]; subst.
      assert (exists t x, prompt_step (if u then None else Some (q, l)) g t h /\ fst x = s /\ i <= snd x /\
                here [y] = stamped x (flights_of t) /\ gone [y] = stamped x (answers_of t))
        as (t & x & Hs & Ex & Hix & Ey & Ga).
      { destruct y as [|[[q' m'] x]|[[q' r] x]]; simpl in Hy; [contradiction| |].
        - destruct Hy as (Ef & Hm' & Ex & Hix). injection Ef as <- <-. exists (inl (q, m)), x.
          split; [destruct u; econstructor; eauto|repeat split; auto].
        - destruct Hy as ((<- & Hr) & Ex & Hix). exists (inr (q, r)), x.
          split; [destruct u; econstructor; eauto|repeat split; auto]. }
      exists (sa ++ (if u then Hidden else Here ((q, l), x)) :: sb), (stamped x (answers_of t) ++ v), me.
      split; [|split; [|split; [|split]]]; auto.
      * apply Forall2_app; auto. constructor; auto. destruct u; simpl; auto. repeat split; auto.
        exact (moves _ _ _ _ H).
      * apply (prompt_front i x (if u then None else Some (q, l)) t g h sa sb v _ _ y); auto;
          [split; lia|destruct u; reflexivity].
      * rewrite HP, !gone_app, (gone_cons y), Ga.
        replace (gone ((if u then Hidden else Here ((q, l), x)) :: sb)) with (gone sb) by (destruct u; reflexivity).
        rewrite <- app_assoc, (Permutation_app_swap_app (stamped x (answers_of t))), !app_assoc.
        apply Permutation_app_tail. rewrite <- !app_assoc. apply Permutation_app_head, Permutation_app_comm.
    + assert (HB' : begun i (a ++ b) /\ s <= i).
      { unfold begun in *. rewrite Forall_app in *. destruct HB as [Ba Bb].
        inversion Bb as [|? ? Bs Bb']; subst. simpl in Bs. auto. }
      destruct HB' as [HB' Hsi].
      destruct (split_marks _ _ _ _ Em) as (ma & u & mb & -> & <- & <-).
      apply Forall_app in HF as [HFa HFb]. inversion HFb as [|? ? Hu HFb']; subst.
      unfold marked_fresh in Hu; simpl in Hu.
      destruct (IH HB' (ma ++ mb)) as (ss & v & me & H2 & Hme & HFe & Hp & HP).
      { apply map_app. }
      { apply Forall_app. auto. }
      apply Forall2_app_inv_l in H2 as (sa & sb & Ha & Hb & ->).
      destruct u.
      * exists (sa ++ Hidden :: sb), (((q, r), (s, i)) :: v), me. split; [|split; [|split; [|split]]]; auto.
        -- apply Forall2_app; auto. constructor; auto. exact I.
        -- rewrite here_app in *.
           change (here (Hidden :: sb)) with (stamped (s, i) (listed (@None flight)) ++ here sb).
           apply (timed_prompt_cons nobody_dead i (s, i) g (here sa) None (here sb) (inr (q, r)) g); auto;
             [split; simpl; lia| |exact I].
           apply answer_at_once with (l := l); auto.
        -- rewrite gone_app in *. simpl. now constructor.
      * exists (sa ++ Gone ((q, r), (s, i)) :: sb), v, me. split; [|split; [|split; [|split]]]; auto.
        -- apply Forall2_app; auto. constructor; auto. simpl. auto.
        -- rewrite here_app in *. exact Hp.
        -- rewrite gone_app in *. simpl. rewrite HP, !app_assoc. apply Permutation_middle.
Qed.

(** Complete runs. *)
Theorem timed_prompt_by_runs w i g : skips_nothing -> stays_to_move -> timed_run N (0, init N, []) w (i, g, []) ->
  exists v, timed_prompt_run nobody_dead 0 (init N, []) v (g, []) /\ Permutation w v.
Proof.
  intros skips moves Hr.
  destruct (prompt_of_run _ _ _ skips moves Hr (fun f F => match F with end) (Forall_nil _) [] eq_refl (Forall_nil _))
    as (ss & v & me & H2 & Hme & _ & Hp & HP).
  inversion H2; subst. apply map_eq_nil in Hme. subst. simpl in *. rewrite app_nil_r in HP. eauto.
Qed.

Theorem strictly_by_prompt_runs K : skips_nothing -> stays_to_move ->
  (forall v g, timed_prompt_run nobody_dead 0 (init N, []) v (g, []) ->
     exists u h, path N (init N) (map fst u) h /\ Permutation v u /\ in_time u) -> strictly_serializable K N.
Proof.
  intros skips moves H w i g Hr _. destruct (timed_prompt_by_runs w i g skips moves Hr) as (v & Hp & HP).
  destruct (H v g Hp) as (u & h & Hu & HPu & Ht). exists u, h. split; [now apply path_is_serial|].
  split; auto. now rewrite HP.
Qed.

(** The same, whatever the time. *)
Theorem serial_by_prompt_runs w g : skips_nothing -> stays_to_move -> run N (init N, []) w (g, []) ->
  exists v, prompt_run nobody_dead (init N, []) v (g, []) /\ Permutation w v.
Proof.
  intros skips moves Hr. destruct (timed_of_run N _ _ _ Hr 0 [] eq_refl) as (w' & fs & Ht & <- & Ef).
  apply map_eq_nil in Ef. subst.
  destruct (timed_prompt_by_runs _ _ _ skips moves Ht) as (v & Hp & HP). apply prompt_of_timed in Hp.
  exists (map fst v). split; auto. now apply Permutation_map.
Qed.

Theorem serializable_by_prompt_runs : skips_nothing -> stays_to_move ->
  (forall v g, timed_prompt_run nobody_dead 0 (init N, []) v (g, []) ->
     exists w h, path N (init N) w h /\ Permutation (map fst v) w) -> serializable N.
Proof.
  intros skips moves H. apply serializable_by_paths. intros w g Hr.
  destruct (timed_of_run N _ _ _ Hr 0 [] eq_refl) as (w' & fs & Ht & <- & Ef). apply map_eq_nil in Ef. subst.
  destruct (timed_prompt_by_runs _ _ _ skips moves Ht) as (v & Hp & HP).
  destruct (H v g Hp) as (u & h & Hu & HPu). exists u, h. split; auto. rewrite <- HPu. now apply Permutation_map.
Qed.

(** Runs that need not be complete: a request in flight is there, too, unless it is still fresh. *)
Theorem prompt_by_runs w g fs : skips_nothing -> stays_to_move -> (forall f, In f fs -> stays (snd f)) ->
  run N (init N, []) w (g, fs) ->
  exists v here, prompt_run nobody_dead (init N, []) v (g, here) /\
                 forall f, In f fs -> fresh N (fst f) (snd f) \/ In f here.
Proof.
  intros skips moves Hs Hr. destruct (timed_of_run N _ _ _ Hr 0 [] eq_refl) as (w' & fs' & Ht & _ & Ef).
  simpl in Ef. subst fs.
  destruct (prompt_of_run _ _ _ skips moves Ht (fun f Hf => Hs _ (in_map fst _ f Hf)) (Forall_nil _) [] eq_refl
    (Forall_nil _)) as (ss & v & me & H2 & Hme & HFe & Hp & _).
  inversion H2; subst. apply prompt_of_timed in Hp. simpl in *. subst fs'.
  exists (map fst v), (map fst (here (map (as_seen 0) me))). split; auto. intros f Hf.
  rewrite map_map in Hf. apply in_map_iff in Hf as ([u [f' s]] & <- & Hi). rewrite Forall_forall in HFe. destruct u.
  - left. exact (HFe _ Hi eq_refl).
  - right. apply in_map_iff. exists (f', (s, 0)). split; auto. apply in_flat_map.
    exists (Here (f', (s, 0))). split; [|left; auto]. apply in_map_iff. exists (false, (f', s)). auto.
Qed.
End Prompt.

Lemma moving_moves {G L Q R} (N : ns G L Q R) : stays_to_move N (moving N).
Proof. intros l g m h H. now exists g, m, h. Qed.
