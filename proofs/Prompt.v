(** * Prompt runs: requests begin with their first step, and answer on arrival

    Spawning and answering leave the global state alone, so they can move in time. In a prompt run a request appears
    when it takes its first step, and is gone as soon as it can give the answer that it will give. *)
From Coq Require Import List Bool Permutation.
From Seriatim Require Import Semantics Lists Serial.
Import ListNotations.

Section Prompt.
Context {G L Q R : Type} (N : ns G L Q R).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.

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

(** ** Every complete run has a complete prompt run with the same outcome

    Flights of the run are marked: [true] as long as they have not taken a step. Of each flight, the prompt run
    knows
    one of three things. *)
Inductive seen :=
| Hidden               (** it has not begun *)
| Here (f : flight)    (** it is in flight *)
| Gone (a : answer).   (** it has answered, and will do so in the other run *)

Definition matches (m : bool * flight) (s : seen) : Prop :=
  match m, s with
  | (true, _), Hidden => True
  | (false, f), Here f' => f = f' /\ stays (snd f)
  | (false, (q, l)), Gone (q', r) => q = q' /\ resp N l r
  | _, _ => False
  end.
Definition here (ss : list seen) : list flight := flat_map (fun s => match s with Here f => [f] | _ => [] end) ss.
Definition gone (ss : list seen) : list answer := flat_map (fun s => match s with Gone a => [a] | _ => [] end) ss.
Definition marked_fresh (m : bool * flight) : Prop := fst m = true -> fresh N (fst (snd m)) (snd (snd m)).
Definition nobody_dead (f : flight) : bool := false.

Lemma here_app ss ss' : here (ss ++ ss') = here ss ++ here ss'. Proof. apply flat_map_app. Qed.
Lemma gone_app ss ss' : gone (ss ++ ss') = gone ss ++ gone ss'. Proof. apply flat_map_app. Qed.

Lemma here_cons s ss : here (s :: ss) = here [s] ++ here ss. Proof. exact (here_app [s] ss). Qed.
Lemma gone_cons s ss : gone (s :: ss) = gone [s] ++ gone ss. Proof. exact (gone_app [s] ss). Qed.

(** One more step of the prompt run in front: [x] becomes [y]. *)
Lemma prompt_front f t g h a b w d x y :
  prompt_step f g t h -> here [x] = listed f -> here [y] = flights_of t ->
  prompt_run nobody_dead (h, here (a ++ y :: b)) w d ->
  prompt_run nobody_dead (g, here (a ++ x :: b)) (answers_of t ++ w) d.
Proof.
  intros Hs Hx Hy Hr. rewrite here_app, (here_cons x b), Hx. rewrite here_app, (here_cons y b), Hy in Hr.
  apply prompt_cons with (h := h); auto. destruct t; simpl; auto.
Qed.

Lemma split_marks (ms : list (bool * flight)) a f b : map snd ms = a ++ f :: b ->
  exists ma u mb, ms = ma ++ (u, f) :: mb /\ map snd ma = a /\ map snd mb = b.
Proof.
  intro E. apply map_eq_app in E as (ma & m2 & -> & Ha & E2).
  apply map_eq_cons in E2 as ([u f'] & mb & -> & E3 & Hb).
  simpl in E3. subst. exists ma, u, mb. auto.
Qed.

Definition as_seen (m : bool * flight) : seen := if fst m then Hidden else Here (snd m).

Lemma prompt_of_run c w d : skips_nothing -> stays_to_move -> run N c w d -> (forall f, In f (snd d) ->
  stays (snd f)) ->
  forall ms, map snd ms = snd c -> Forall marked_fresh ms ->
  exists ss v me, Forall2 matches ms ss /\ map snd me = snd d /\ Forall marked_fresh me /\
                  prompt_run nobody_dead (fst c, here ss) v (fst d, here (map as_seen me)) /\
                  Permutation w (v ++ gone ss).
Proof.
  intros skips moves. induction 1 as [c|c o c1 w c2 Hm _ IH]; intros Hd ms Em HF.
  - exists (map as_seen ms), [], ms.
    assert (Hseen : Forall2 matches ms (map as_seen ms) /\ gone (map as_seen ms) = []).
    { rewrite <- Em in Hd. clear - Hd. induction ms as [|[u [q l]] ms IH]; simpl; [auto|].
      destruct IH as [I1 I2]; [intros f Hf; apply Hd; right; exact Hf|]. split; [|destruct u; simpl; auto].
      constructor; auto. destruct u; simpl; auto. split; auto. apply (Hd (q, l)). left. auto. }
    destruct Hseen as [H1 H2]. rewrite H2. repeat split; auto. constructor.
  - specialize (IH Hd). inversion Hm as [g fs q l H|g a b q l m h H|g a b q l r H]; subst; simpl in *.
    + destruct (IH ((true, (q, l)) :: ms)) as (ss & v & me & H2 & Hme & HFe & Hp & HP).
      { simpl. now rewrite Em. }
      { constructor; auto. intros _. exact H. }
      inversion H2 as [|? s ? ss' Hs H2']; subst. destruct s; simpl in Hs; try contradiction.
      exists ss', v, me. auto.
    + destruct (split_marks _ _ _ _ Em) as (ma & u & mb & -> & <- & <-).
      apply Forall_app in HF as [HFa HFb]. inversion HFb as [|? ? Hu HFb']; subst.
      unfold marked_fresh in Hu; simpl in Hu.
      destruct (u && skip l g m h) eqn:Eskip.
      { apply andb_true_iff in Eskip as [-> Eskip]. destruct (skips _ _ _ _ _ (Hu eq_refl) Eskip) as [-> Hf].
        destruct (IH (ma ++ (true, (q, m)) :: mb)) as (ss & v & me & H2 & Hme & HFe & Hp & HP).
        - rewrite map_app. reflexivity.
        - apply Forall_app. split; auto. constructor; auto. intros _. exact Hf.
        - exists ss, v, me. split; auto. apply Forall2_app_inv_l in H2 as (sa & s2 & Ha & H2 & ->).
          inversion H2 as [|? y ? sb Hy Hb]; subst. apply Forall2_app; auto. }
      destruct (IH (ma ++ (false, (q, m)) :: mb)) as (ss & v & me & H2 & Hme & HFe & Hp & HP).
      { rewrite map_app. reflexivity. }
      { apply Forall_app. split; auto. constructor; auto. intros [=]. }
      apply Forall2_app_inv_l in H2 as (sa & s2 & Ha & H2 & ->). inversion H2 as [|? y ? sb Hy Hb]; subst.
      assert (exists t, prompt_step (if u then None else Some (q, l)) g t h /\ here [y] = flights_of t /\
                        gone [y] = answers_of t) as (t & Hs & Ey & Ga).
      { destruct y as [|[q' m']|[q' r]]; simpl in Hy; [contradiction|destruct Hy as [Hy Hm'];
          injection Hy as <- <-|destruct Hy as [<- Hr]].
        - exists (inl (q, m)). destruct u; repeat split; try reflexivity; econstructor; eauto.
        - exists (inr (q, r)). destruct u; repeat split; try reflexivity; econstructor; eauto. }
      exists (sa ++ (if u then Hidden else Here (q, l)) :: sb), (answers_of t ++ v), me.
      split; [|split; [|split; [|split]]]; auto.
      * apply Forall2_app; auto. constructor; auto. destruct u; simpl; auto. split; auto. exact (moves _ _ _ _ H).
      * apply (prompt_front _ t g h sa sb v _ _ y Hs); auto. destruct u; reflexivity.
      * rewrite HP, !gone_app, (gone_cons y), Ga.
        replace (gone ((if u then Hidden else Here (q, l)) :: sb)) with (gone sb) by (destruct u; reflexivity).
        rewrite <- app_assoc, (Permutation_app_swap_app (answers_of t)), !app_assoc.
        apply Permutation_app_tail. rewrite <- !app_assoc. apply Permutation_app_head, Permutation_app_comm.
    + destruct (split_marks _ _ _ _ Em) as (ma & u & mb & -> & <- & <-).
      apply Forall_app in HF as [HFa HFb]. inversion HFb as [|? ? Hu HFb']; subst.
      unfold marked_fresh in Hu; simpl in Hu.
      destruct (IH (ma ++ mb)) as (ss & v & me & H2 & Hme & HFe & Hp & HP).
      { apply map_app. }
      { apply Forall_app. auto. }
      apply Forall2_app_inv_l in H2 as (sa & sb & Ha & Hb & ->).
      destruct u.
      * exists (sa ++ Hidden :: sb), ((q, r) :: v), me. split; [|split; [|split; [|split]]]; auto.
        -- apply Forall2_app; auto. constructor; auto. exact I.
        -- rewrite here_app in *. change (here (Hidden :: sb)) with (listed (@None flight) ++ here sb).
           apply (prompt_cons nobody_dead g (here sa) None (here sb) (inr (q, r)) g); auto; [|exact I].
           apply answer_at_once with (l := l); auto.
        -- rewrite gone_app in *. simpl. now constructor.
      * exists (sa ++ Gone (q, r) :: sb), v, me. split; [|split; [|split; [|split]]]; auto.
        -- apply Forall2_app; auto. constructor; auto. simpl. auto.
        -- rewrite here_app in *. exact Hp.
        -- rewrite gone_app in *. simpl. rewrite HP, !app_assoc. apply Permutation_middle.
Qed.

(** Complete runs. *)
Theorem serial_by_prompt_runs w g : skips_nothing -> stays_to_move -> run N (init N, []) w (g, []) ->
  exists v, prompt_run nobody_dead (init N, []) v (g, []) /\ Permutation w v.
Proof.
  intros skips moves Hr.
  destruct (prompt_of_run _ _ _ skips moves Hr (fun f F => match F with end) [] eq_refl (Forall_nil _))
    as (ss & v & me & H2 & Hme & _ & Hp & HP).
  inversion H2; subst. apply map_eq_nil in Hme. subst. simpl in *. rewrite app_nil_r in HP. eauto.
Qed.

Theorem serializable_by_prompt_runs : skips_nothing -> stays_to_move ->
  (forall v g, prompt_run nobody_dead (init N, []) v (g, []) ->
     exists w h, path N (init N) w h /\ Permutation v w) -> serializable N.
Proof.
  intros skips moves H. apply serializable_by_paths. intros w g Hr.
  destruct (serial_by_prompt_runs w g skips moves Hr) as (v & Hp & HP).
  destruct (H v g Hp) as (w' & h & Hp' & HP'). exists w', h. split; auto. now rewrite HP.
Qed.

(** Runs that need not be complete: a request in flight is there, too, unless it is still fresh. *)
Theorem prompt_by_runs w g fs : skips_nothing -> stays_to_move -> (forall f, In f fs -> stays (snd f)) ->
  run N (init N, []) w (g, fs) ->
  exists v here, prompt_run nobody_dead (init N, []) v (g, here) /\
                 forall f, In f fs -> fresh N (fst f) (snd f) \/ In f here.
Proof.
  intros skips moves Hs Hr.
  destruct (prompt_of_run _ _ _ skips moves Hr Hs [] eq_refl (Forall_nil _))
    as (ss & v & me & H2 & Hme & HFe & Hp & _).
  inversion H2; subst. simpl in *. exists v, (here (map as_seen me)). split; auto. intros f Hf.
  rewrite <- Hme in Hf.
  apply in_map_iff in Hf as ([u f'] & <- & Hi). rewrite Forall_forall in HFe. destruct u.
  - left. exact (HFe _ Hi eq_refl).
  - right. apply in_flat_map. exists (Here f'). split; [|left; auto]. apply in_map_iff. exists (false, f'). auto.
Qed.
End Prompt.

Lemma moving_moves {G L Q R} (N : ns G L Q R) : stays_to_move N (moving N).
Proof. intros l g m h H. now exists g, m, h. Qed.
