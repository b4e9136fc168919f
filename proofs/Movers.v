(** * Movers: steps that need not be taken, and steps that can be exchanged

    From a table of all steps, a table of those that are *kept*. Steps that change no global may be dropped, if another
    local state stands for the one that they lead to. A handler that acts at its end is kept as whole runs of new
    requests. The check sees that kept runs follow all runs, and that kept steps are movers, two handlers at a time. *)
From Coq Require Import List Bool Permutation Arith ZArith.
From Seriatim Require Import Lists Time Program Exchange Parts Views.
Import ListNotations.
Open Scope Z_scope.

(** The same table with other steps. *)
Definition retable (f : nat -> option nat -> store -> list entry -> list entry) (T : table) : table :=
  map (fun qs => (fst (snd qs),
                  map (fun r => (fst r, map (fun m => (fst m, f (fst qs) (fst m) (fst r) (snd m))) (snd r)))
                      (snd (snd qs)))) (numbered T).

Lemma nth_numbered {A} (l : list A) i : nth_error (numbered l) i = option_map (pair i) (nth_error l i).
Proof.
  unfold numbered.
  assert (H : forall k, nth_error (combine (List.seq k (length l)) l) i =
                        option_map (pair (k + i)%nat) (nth_error l i)).
  { revert i. induction l as [|x l IH]; intros [|i] k; simpl; auto.
    - now rewrite Nat.add_0_r.
    - rewrite IH. now rewrite Nat.add_succ_r. }
  exact (H 0%nat).
Qed.
Lemma lookup_map {A B D} (eqb : A -> A -> bool) (f : A -> B -> D) (l : list (A * B)) x : decides eqb ->
  lookup eqb x (map (fun e => (fst e, f (fst e) (snd e))) l) = option_map (f x) (lookup eqb x l).
Proof.
  intro H. induction l as [|[y b] l IH]; simpl; auto. destruct (eqb x y) eqn:E; auto. apply H in E. now subst.
Qed.
Lemma row_retable f T q o p : row (retable f T) q o p = option_map (f q o p) (row T q o p).
Proof.
  unfold row, retable, table, room in *. rewrite nth_error_map, nth_numbered.
  destruct (nth_error T q) as [[m rs]|]; simpl; auto.
  rewrite (lookup_map eqb_store (fun p ms => map (fun m => (fst m, f q (fst m) p (snd m))) ms) rs p store_decides).
  destruct (lookup eqb_store p rs) as [ms|]; simpl; auto.
  exact (lookup_map eqb_mover (fun o xs => f q o p xs) ms o mover_decides).
Qed.
Lemma entries_retable f T q o p e : In e (entries (retable f T) q o p) ->
  exists xs, row T q o p = Some xs /\ In e (f q o p xs).
Proof.
  unfold entries. rewrite row_retable. destruct (row T q o p) as [xs|]; simpl; [eauto|intros []].
Qed.

Section Movers.
Variable T : table.
Variable first : store.
Variable invariants : list invariant.
Variable at_end : list nat.                                  (** handlers that act at their end *)
Variable dropped : list ((nat * option nat) * nat).          (** handler, from, to *)
Variable standing : list ((nat * option nat) * nat).         (** handler, who stands for whom *)
Variable late : list numbered_flight.
Variable fuel : nat.
Let ns := mask T.

Definition eqb_link : (nat * option nat) * nat -> (nat * option nat) * nat -> bool :=
  eqb_pair (eqb_pair Nat.eqb eqb_mover) Nat.eqb.
Lemma link_decides : decides eqb_link.
Proof. repeat apply pair_decides; auto using nat_decides, mover_decides. Qed.

(** ** Steps that are kept *)

(** Where a request that runs alone can come while the part stays as it is. *)
Definition quiet_ways (q : nat) (o : option nat) (p : store) : list (option nat) :=
  flat_map (fun e => match fst e with inl a => if eqb_store (snd e) p then [Some a] else [] | inr _ => [] end)
           (entries T q o p).
Fixpoint quietly (n : nat) (q : nat) (p : store) (todo seen : list (option nat)) : list (option nat) :=
  match n, todo with
  | S k, o :: rest =>
    if mem eqb_mover o seen then quietly k q p rest seen
    else quietly k q p (quiet_ways q o p ++ rest) (o :: seen)
  | _, _ => seen
  end.
Definition is_answer (e : entry) : bool := match fst e with inr _ => true | inl _ => false end.
(** What a request can answer that runs alone, if it changes globals with its answer only. *)
Definition alone_answers (q : nat) (p : store) : list entry :=
  flat_map (fun o => filter is_answer (entries T q o p)) (quietly fuel q p [None] []).

Definition is_kept (q : nat) (o : option nat) (p : store) (e : entry) : bool :=
  match fst e with
  | inl a => if eqb_store (snd e) p then negb (mem eqb_link ((q, o), a) dropped) else true
  | inr _ => true
  end.
Definition kept_of (q : nat) (o : option nat) (p : store) (xs : list entry) : list entry :=
  if mem Nat.eqb q at_end
  then match o with None => alone_answers q p | Some _ => [] end
  else filter (is_kept q o p) xs.
Definition keep_steps : table := retable kept_of T.

Variable kept : table.                                       (** computed once *)
Hypothesis kept_is : kept = keep_steps.
Let K := moves_by ns kept.
Lemma kept_entry q o p e : In e (entries kept q o p) -> exists xs, row T q o p = Some xs /\ In e (kept_of q o p xs).
Proof. rewrite kept_is. apply entries_retable. Qed.

Inductive quiet (q : nat) (p : store) : option nat -> Prop :=
| quiet_new : quiet q p None
| quiet_step o a : quiet q p o -> In (inl a, p) (entries T q o p) -> quiet q p (Some a).

Lemma quietly_quiet q p n : forall todo seen,
  Forall (quiet q p) todo -> Forall (quiet q p) seen -> Forall (quiet q p) (quietly n q p todo seen).
Proof.
  induction n as [|n IH]; intros [|o todo] seen Ht Hs; simpl; auto. inversion Ht as [|? ? Ho Ht']; subst.
  destruct (mem eqb_mover o seen); [now apply IH|]. apply IH; [|now constructor]. apply Forall_app. split; auto.
  apply Forall_forall. intros m Hm. apply in_flat_map in Hm as ([[a|v] p'] & He & Hm); simpl in Hm; [|destruct Hm].
  destruct (eqb_store p' p) eqn:E; [|destruct Hm]. apply store_decides in E. subst. destruct Hm as [<-|[]].
  now apply quiet_step with (o := o).
Qed.

Let C := moves_by ns T.
Hypothesis closed : check_views T first invariants = true.
Notation consistent := (consistent T first invariants).

Lemma positive : weights_positive invariants = true.
Proof. pose proof closed as H. unfold check_views in H. now apply if_and in H. Qed.

(** A request that moves quietly can answer as one that runs alone. *)
Lemma quiet_whole q g o : quiet q (only (ns q) g) o -> forall a h, whole C (who q o) g a h -> whole C None g a h.
Proof.
  induction 1 as [|o b _ IH He]; intros a h Hw; auto. apply IH.
  apply whole_step with (y := (q, b)) (h := g); auto.
  pose proof (moves_by_entry ns T q o g _ _ He) as Hm. rewrite paste_only in Hm. exact Hm.
Qed.

(** A kept step is a step, or the whole of a request. *)
Lemma kept_step f g t h : K f g t h ->
  match t with inl _ => C f g t h | inr a => whole C f g a h end.
Proof.
  intros Hk. destruct Hk as [q o g x p He]. apply kept_entry in He as (xs & Hr & He). unfold kept_of in He.
  assert (Ent : forall e, In e xs -> In e (entries T q o (only (ns q) g))) by (intros; unfold entries; now rewrite Hr).
  destruct (mem Nat.eqb q at_end) eqn:Eq.
  - destruct o as [a|]; [destruct He|]. apply in_flat_map in He as (o & Ho & He). apply filter_In in He as [He Ha].
    destruct x as [a|v]; [discriminate|]. simpl.
    assert (Q : Forall (quiet q (only (ns q) g)) (quietly fuel q (only (ns q) g) [None] [])).
    { apply quietly_quiet; auto. constructor; auto. constructor. }
    rewrite Forall_forall in Q. apply (quiet_whole q g o (Q o Ho)). constructor.
    exact (moves_by_entry ns T q o g (inr v) p He).
  - apply filter_In in He as [He _]. apply Ent in He. pose proof (moves_by_entry ns T q o g x p He) as Hm.
    destruct x as [a|v]; simpl in *; [exact Hm|now constructor].
Qed.

Lemma kept_whole f g a h : whole K f g a h -> whole C f g a h.
Proof.
  induction 1 as [f g a h Hk|f g y h a k Hk _ IH]; [exact (kept_step f g (inr a) h Hk)|].
  apply whole_step with (y := y) (h := h); auto. exact (kept_step f g (inl y) h Hk).
Qed.

Lemma consistent_kept g f os t h : consistent g (listed f ++ os) -> K f g t h -> consistent h (stays_as t ++ os).
Proof.
  intros H Hk. apply kept_step in Hk. destruct t as [y|a].
  - exact (consistent_step T first invariants positive closed g f os (inl y) h H Hk).
  - exact (Inv_whole C consistent (consistent_step T first invariants positive closed) f g a h Hk os H).
Qed.

(** ** Kept runs follow all runs *)

Definition stands_for (q : nat) (o : option nat) (a : nat) : bool := mem eqb_link ((q, o), a) standing.
Definition follows (q : nat) (o : option nat) (p : store) (e : entry) : bool :=
  match fst e with
  | inl b =>
    if (if eqb_store (snd e) p then stands_for q o b else false) then true
    else any (fun e' => match fst e' with
                        | inl b' => if eqb_store (snd e') (snd e) then stands_for q (Some b') b else false
                        | inr _ => false
                        end) (entries kept q o p)
  | inr _ => mem eqb_entry e (entries kept q o p)
  end.
Definition check_follows : bool :=
  all_views T (fun q m p xs =>
    match m with
    | None => all (follows q None p) xs
    | Some a =>
      all (fun s => if eqb_flight (fst (fst s), snd s) (q, a) then all (follows q (snd (fst s)) p) xs else true)
          standing
    end).

Notation pair := (option numbered_flight * numbered_flight)%type.
(** Somebody of the same handler stands for each, or, as long as it is hidden, a new request. *)
Definition partner (x : pair) : Prop :=
  exists q o a, x = (who q o, (q, a)) /\ stands_for q o a = true.
Definition follow_rel (g : store) (ps : list pair) : Prop := Forall partner ps /\ consistent g (map snd ps).

Lemma follow_perm g ps ps' : Permutation ps ps' -> follow_rel g ps -> follow_rel g ps'.
Proof.
  intros HP [H1 H2]. split; [now rewrite <- HP|]. revert H2. apply consistent_perm. now apply Permutation_map.
Qed.

Lemma follow_entry q o g x p : follows q o (only (ns q) g) (x, p) = true ->
  (exists b, x = inl b /\ p = only (ns q) g /\ stands_for q o b = true) \/
  (exists x', K (who q o) g (becomes q x') (paste (ns q) g p) /\
     match x, x' with
     | inl b, inl b' => stands_for q (Some b') b = true
     | inr v, inr v' => v = v'
     | _, _ => False
     end).
Proof.
  unfold follows. cbn [fst snd]. destruct x as [b|v].
  - destruct (eqb_store p (only (ns q) g)) eqn:E; [destruct (stands_for q o b) eqn:Es|].
    + intros _. left. exists b. apply store_decides in E. auto.
    + intro H. right. apply any_exists in H as ([[b'|v'] p'] & He & H); [|discriminate]. simpl in H.
      apply if_and in H as [H1 H2]. apply store_decides in H1. subst p'. exists (inl b'). split; auto.
      exact (moves_by_entry ns kept q o g (inl b') p He).
    + intro H. right. apply any_exists in H as ([[b'|v'] p'] & He & H); [|discriminate]. simpl in H.
      apply if_and in H as [H1 H2]. apply store_decides in H1. subst p'. exists (inl b'). split; auto.
      exact (moves_by_entry ns kept q o g (inl b') p He).
  - intro H. right. apply (mem_in _ entry_decides) in H. exists (inr v). split; auto.
    exact (moves_by_entry ns kept q o g (inr v) p H).
Qed.

Hypothesis following : check_follows = true.

Lemma follows_view q o m p e : In e (entries T q m p) ->
  match m with None => o = None | Some a => stands_for q o a = true end -> follows q o p e = true.
Proof.
  unfold entries. intros He Hm. destruct (row T q m p) as [xs|] eqn:E; [|destruct He].
  pose proof (all_views_row T _ q m p xs following E) as H. cbn beta iota in H. destruct m as [a|].
  - apply (mem_in _ link_decides) in Hm. rewrite all_forall in H. specialize (H _ Hm). cbn [fst snd] in H.
    rewrite (decides_refl _ flight_decides), all_forall in H. auto.
  - subst. rewrite all_forall in H. auto.
Qed.

Lemma follow_step g o f ps t h : (f = None -> o = None) -> follow_rel g (with_partner o f ++ ps) -> C f g t h ->
  (exists y, t = inl y /\ h = g /\ follow_rel g ((o, y) :: ps)) \/
  (exists t', K o g t' h /\
     match t, t' with
     | inl y, inl y' => follow_rel h ((Some y', y) :: ps)
     | inr a, inr a' => a = a' /\ follow_rel h ps
     | _, _ => False
     end).
Proof.
  intros Hn [HF Hk] Hc.
  assert (Em : map snd (with_partner o f ++ ps) = listed f ++ map snd ps) by (destruct f; reflexivity).
  rewrite Em in Hk. pose proof (consistent_step T first invariants positive closed g f _ t h Hk Hc) as Hk'.
  apply Forall_app in HF as [HF HFp]. destruct Hc as [q m g x p He].
  assert (exists o', o = who q o' /\ follows q o' (only (ns q) g) (x, p) = true) as (o' & -> & Hf).
  { destruct m as [a|].
    - inversion HF as [|? ? (q' & o' & a' & E & Hs) _]; subst. simpl in E. injection E as -> <- <-.
      exists o'. split; auto. apply (follows_view q o' (Some a)); auto.
    - exists None. split; [now apply Hn|]. apply (follows_view q None None); auto. }
  destruct (follow_entry q o' g x p Hf) as [(b & -> & -> & Hs)|(x' & HK & Hx)].
  - left. exists (q, b). rewrite paste_only in Hk' |- *. split; [reflexivity|split; [reflexivity|]]. split; auto.
    constructor; auto. exists q, o', b. auto.
  - right. exists (becomes q x'). split; auto. destruct x as [b|v], x' as [b'|v']; try contradiction; simpl in *.
    + split; auto. constructor; auto. exists q, (Some b'), b. auto.
    + subst. split; auto. split; auto.
Qed.

Theorem kept_runs w k : runs C 0 first [] w k -> runs K 0 first [] w k.
Proof.
  intro H. apply (runs_follow C K follow_rel follow_perm follow_step 0 first [] w k H []); auto.
  split; [constructor|]. exact (consistent_first T first invariants closed).
Qed.

(** ** Kept steps that can be exchanged *)

Definition is_late_flight (f : numbered_flight) : bool := mem eqb_flight f late.
(** Whether a step to [x] has to be exchanged with the next one, which somebody else takes. *)
Definition to_exchange (q : nat) (x : nat + Z) (q' : nat) (o' : option nat) : bool :=
  if (match x with inl a => negb (is_late_flight (q, a)) | inr _ => false end) then true
  else match o' with Some b => is_late_flight (q', b) | None => false end.
Definition exchanged (q : nat) (o : option nat) (p : store) (q' : nat) (o' : option nat) (p' : store) : bool :=
  let shared := both (ns q) (ns q') in
  all (fun e =>
    if to_exchange q (fst e) q' o' then
      all (fun e' =>
        let last := paste shared (snd e) (snd e') in
        any (fun d' =>
          if eqb_target (fst d') (fst e') then
            if eqb_store (paste shared (snd d') (snd e')) (snd e')
            then mem eqb_entry (fst e, last) (entries kept q o (paste shared p (snd d'))) else false
          else false) (entries kept q' o' p')) (entries kept q' o' (paste shared p' (snd e)))
    else true) (entries kept q o p).
Definition stays_late : bool :=
  all_views kept (fun q o p xs => all (fun e =>
    match o, fst e with
    | Some a, inl b => if is_late_flight (q, a) then is_late_flight (q, b) else true
    | _, _ => true
    end) xs).
Definition check_movers : bool := if stays_late then all_pairs T first invariants exchanged else false.

Hypothesis movers : check_movers = true.

Lemma late_stays x g y h : K (Some x) g (inl y) h -> is_late_flight x = true -> is_late_flight y = true.
Proof.
  intros Hk Hx. inversion Hk as [q o g' t p He E1 E2 E3 E4]. destruct o as [a|]; [|discriminate].
  destruct t as [b|]; [|discriminate]. injection E1 as <-. injection E3 as <-.
  pose proof movers as M. unfold check_movers in M. apply if_and in M as [M _].
  pose proof (all_views_entry kept (fun q o _ e => match o, fst e with
    Some a, inl b => if is_late_flight (q, a) then is_late_flight (q, b) else true | _, _ => true end)
    q (Some a) _ _ M He) as H. simpl in H. now rewrite Hx in H.
Qed.

(** Parts of kept steps are like those of all steps. *)
Lemma kept_part g q o x p : In (x, p) (entries kept q o (only (ns q) g)) ->
  length p = length first /\ only (ns q) p = p /\ (q < length T)%nat.
Proof.
  intro He. apply kept_entry in He as (xs & Hr & He). unfold kept_of in He.
  assert (Ent : forall o', In (x, p) (entries T q o' (only (ns q) g)) ->
    length p = length first /\ only (ns q) p = p /\ (q < length T)%nat).
  { intros o' H. destruct (entry_part T first invariants closed _ _ _ _ _ H) as [E1 E2]. repeat split; auto.
    exact (there_handler T _ _ _ (entry_there T _ _ _ _ H)). }
  destruct (mem Nat.eqb q at_end).
  - destruct o; [destruct He|]. apply in_flat_map in He as (o' & _ & He). apply filter_In in He as [He _]. eauto.
  - apply filter_In in He as [He _]. apply (Ent o). unfold entries. now rewrite Hr.
Qed.

Lemma swap g f t h f2 t2 k os : consistent g (listed f ++ listed f2 ++ os) -> K f g t h -> K f2 h t2 k ->
  still_early is_late_flight t \/ is_late is_late_flight f2 -> exists h', K f2 g t2 h' /\ K f h' t k.
Proof.
  intros Hk H1 H2 Hc. pose proof (consistent_length _ _ _ _ _ Hk) as Eg.
  destruct H1 as [q o g x p He]. remember (paste (ns q) g p) as h eqn:Eh. destruct H2 as [q' o' h x' p' He'].
  destruct (kept_part _ _ _ _ _ He) as (Lp & Op & Hq). destruct (kept_part _ _ _ _ _ He') as (Lp' & Op' & Hq').
  subst h. rewrite only_pasted in He' by congruence.
  assert (Found : exists d p1, In (x', d) (entries kept q' o' (only (ns q') g)) /\ length d = length first /\
    paste (both (ns q) (ns q')) d p' = p' /\ p1 = paste (both (ns q) (ns q')) p p' /\
    In (x, p1) (entries kept q o (paste (both (ns q) (ns q')) (only (ns q) g) d))).
  { pose proof movers as M. unfold check_movers in M. apply if_and in M as [_ M].
    destruct (all_pairs_consistent T first invariants positive exchanged g q o q' o' os M Hk Hq Hq') as [D|A].
    - pose proof (fun y => disjoint_has _ _ y D) as Dh.
      rewrite paste_nothing in He' by (auto; rewrite only_length; congruence).
      exists p', p. rewrite !paste_nothing by (auto; rewrite ?only_length; congruence). auto.
    - unfold exchanged in A. rewrite all_forall in A. specialize (A _ He). cbn [fst snd] in A.
      assert (X : to_exchange q x q' o' = true).
      { unfold to_exchange. destruct Hc as [Hc|Hc].
        - destruct x as [a|v]; simpl in Hc; [now rewrite Hc|destruct Hc].
        - destruct o' as [b|]; simpl in Hc; [|destruct Hc]. rewrite Hc.
          now destruct (match x with inl a => negb (is_late_flight (q, a)) | inr _ => false end). }
      rewrite X, all_forall in A. specialize (A _ He'). cbn [fst snd] in A.
      apply any_exists in A as ([x'' d] & Hd & A). cbn [fst snd] in A. rewrite !if_and in A.
      destruct A as (A1 & A2 & A3). apply target_decides in A1. apply store_decides in A2. subst x''.
      apply (mem_in _ entry_decides) in A3.
      exists d, (paste (both (ns q) (ns q')) p p'). destruct (kept_part _ _ _ _ _ Hd) as (Ld & _). auto 10. }
  destruct Found as (d & p1 & Hd & Ld & Ed & E1 & H1).
  exists (paste (ns q') g d). split; [now constructor|].
  assert (Lp1 : length p1 = length first) by (rewrite E1, paste_length; exact Lp').
  rewrite <- (pasted_in_either_order (ns q) (ns q') g p p' p1 d) by congruence.
  constructor. rewrite only_pasted by congruence.
  replace (both (ns q') (ns q)) with (both (ns q) (ns q')) by apply both_comm. exact H1.
Qed.

Theorem kept_in_turn w k : runs C 0 first [] w k ->
  exists w', in_turn K is_late_flight first [] w' k /\ Permutation w w' /\ in_time w'.
Proof.
  intro H.
  destruct (runs_in_turn K is_late_flight consistent (consistent_perm T first invariants) consistent_kept late_stays
              swap 0 first [] w k) as (w' & Ht & HP & Hi & _); eauto using kept_runs.
  exact (consistent_first T first invariants closed).
Qed.
End Movers.
