(** * Covers: which requests can be in flight, and where

    A node of a cover has a global state and lists the flights that may be there when a run is at the node; at
    level 2
    it also says which flights may be there beside which. Weights exclude more: at a node, the sum of some weight
    over
    all flights may have a known value. The check looks at every step from every node and finds a node for what
    comes
    of it. Then every prompt run is a walk from node to node. *)
From Coq Require Import List Bool Permutation ZArith Lia.
From Seriatim Require Import Semantics Lists Time Prompt Exec.
Import ListNotations.
Open Scope Z_scope.

Record node {G L Q P : Type} := {
  place : G;
  known : list (option Z);                    (** the value of each weight, by number; [None]: not known *)
  inside : list ((Q * L) * list (Q * L));     (** who may be in flight, and (level 2) beside whom *)
  payload : P                                 (** whatever else a proof keeps at a node *)
}.
Record cover {G L Q P : Type} := {
  level2 : bool;
  weights : list (nat * list ((Q * L) * Z));  (** numbers of weights, and the flights that have some *)
  nodes : list (@node G L Q P)                (** runs begin at the first *)
}.
Arguments node : clear implicits.
Arguments cover : clear implicits.

Section Cover.
Context {G L Q R P : Type} {N : ns G L Q R} (X : exec N).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.
Notation target := (flight + answer)%type.

Definition weight (ws : list (flight * Z)) (f : flight) : Z :=
  match lookup (eqF X) f ws with Some w => w | None => 0 end.
Fixpoint total (ws : list (flight * Z)) (fs : list flight) : Z :=
  match fs with [] => 0 | f :: r => weight ws f + total ws r end.
Definition value (n : node G L Q P) (k : nat) : option Z := nth k (known n) None.
Definition contains (n : node G L Q P) (f : flight) : bool := any (fun e => eqF X f (fst e)) (inside n).
Definition beside (n : node G L Q P) (f o : flight) : bool :=
  any (fun e => if eqF X f (fst e) then mem (eqF X) o (snd e) else false) (inside n).

Variable C : cover G L Q P.
(** ** What holds at a node *)

Definition together (n : node G L Q P) (f o : flight) : Prop :=
  level2 C = false \/ (beside n f o = true /\ beside n o f = true).
Record holds (n : node G L Q P) (fs : list flight) : Prop := {
  holds_inside : Forall (fun f => contains n f = true) fs;
  holds_pairs : pairs (together n) fs;
  holds_weights : forall k ws v, In (k, ws) (weights C) -> value n k = Some v -> total ws fs = v
}.

Lemma together_sym n x y : together n x y -> together n y x.
Proof. unfold together. tauto. Qed.
Lemma total_perm ws fs fs' : Permutation fs fs' -> total ws fs = total ws fs'.
Proof. induction 1; simpl; lia. Qed.
Lemma total_app ws fs fs' : total ws (fs ++ fs') = total ws fs + total ws fs'.
Proof. induction fs; simpl; lia. Qed.

Lemma holds_perm n fs fs' : Permutation fs fs' -> holds n fs -> holds n fs'.
Proof.
  intros HP [H1 H2 H3]. constructor.
  - now rewrite <- HP.
  - apply (pairs_perm _ (together_sym n) fs); auto.
  - intros k ws v Hk Hv. rewrite <- (total_perm ws _ _ HP). eauto.
Qed.

Variable dead : flight -> bool.                                     (** steps to these are left out *)
Variable extra : node G L Q P -> option flight -> target -> node G L Q P -> bool.
                                                                    (** what else has to hold of a step *)

(** ** The check *)

(** Whether these may be in flight together, as far as the weights tell. *)
Definition fits (n : node G L Q P) (fs : list flight) : bool :=
  all (fun kw => match value n (fst kw) with Some v => total (snd kw) fs <=? v | None => true end) (weights C).
(** Whether what is known at [n'] follows from what is known at [n]. *)
Definition keeps (n : node G L Q P) (f : option flight) (t : target) (n' : node G L Q P) : bool :=
  all (fun kw =>
         match value n' (fst kw) with
         | None => true
         | Some v' =>
           match value n (fst kw) with
           | None => false
           | Some v => total (snd kw) (flights_of t) - total (snd kw) (listed f) =? v' - v
           end
         end) (weights C).
(** Who may be at [n] besides the one who moves. *)
Definition others (n : node G L Q P) (f : option flight) : list flight :=
  filter (fun o =>
            if fits n (o :: listed f)
            then if level2 C
                 then match f with Some x => if beside n x o then beside n o x else false | None => true end
                 else true
            else false) (map fst (inside n)).
(** Whether [n'] has those who move and those who are carried along. *)
Definition carries (n : node G L Q P) (f : option flight) (t : target) (n' : node G L Q P) : bool :=
  let os := others n f in
  if all (fun x =>
            if contains n' x
            then if level2 C then all (fun o => if beside n' x o then beside n' o x else false) os else true
            else false) (flights_of t)
  then all (fun o =>
              if contains n' o
              then if level2 C
                   then all (fun o' =>
                               if beside n o o'
                               then if fits n (o :: o' :: listed f) then beside n' o o' else true
                               else true) os
                   else true
              else false) os
  else false.
Definition leads (n : node G L Q P) (f : option flight) (t : target) (h : G) (n' : node G L Q P) : bool :=
  if eqG X (place n') h
  then if keeps n f t n' then if extra n f t n' then carries n f t n' else false else false
  else false.
(** A step that changes nothing at all. *)
Definition idle (n : node G L Q P) (f : option flight) (t : target) (h : G) : bool :=
  match f, t with Some x, inl y => if eqF X x y then eqG X h (place n) else false | _, _ => false end.
Definition is_dead (t : target) : bool := match t with inl f => dead f | inr _ => false end.
Definition ok_way (n : node G L Q P) (f : option flight) (th : target * G) : bool :=
  if is_dead (fst th) then true
  else if idle n f (fst th) (snd th) then true
  else match find (leads n f (fst th) (snd th)) (nodes C) with Some _ => true | None => false end.
Definition ok_mover (n : node G L Q P) (f : option flight) : bool :=
  if fits n (listed f)
  then match ways X f (place n) with None => false | Some xs => all (ok_way n f) xs end
  else true.
Definition ok_node (n : node G L Q P) : bool :=
  if ok_mover n None then all (fun e => ok_mover n (Some (fst e))) (inside n) else false.
Definition ok_start (n : node G L Q P) : bool :=
  if eqG X (place n) (init N)
  then all (fun kw => match value n (fst kw) with Some v => v =? 0 | None => true end) (weights C)
  else false.
Definition check_cover : bool :=
  if all (fun kw => all (fun e => 0 <=? snd e) (snd kw)) (weights C)
  then match nodes C with
       | [] => false
       | n :: _ => if ok_start n then all ok_node (nodes C) else false
       end
  else false.

(** All steps from node to node that the check finds. *)
Definition edges_by (n : node G L Q P) (f : option flight) (th : target * G) :
    list (node G L Q P * option flight * target * node G L Q P) :=
  if is_dead (fst th) then []
  else if idle n f (fst th) (snd th) then []
  else map (fun n' => (n, f, fst th, n')) (listed (find (leads n f (fst th) (snd th)) (nodes C))).
Definition edges_from (n : node G L Q P) (f : option flight) :
    list (node G L Q P * option flight * target * node G L Q P) :=
  if fits n (listed f)
  then match ways X f (place n) with None => [] | Some xs => flat_map (edges_by n f) xs end
  else [].
Definition edges : list (node G L Q P * option flight * target * node G L Q P) :=
  flat_map (fun n => edges_from n None ++ flat_map (fun e => edges_from n (Some (fst e))) (inside n)) (nodes C).

(** ** Why it suffices *)

Hypothesis OK : check_cover = true.

Lemma weight_nonneg k ws : In (k, ws) (weights C) -> forall f, 0 <= weight ws f.
Proof.
  intros Hk f. unfold check_cover in OK. destruct (all _ (weights C)) eqn:E; [|discriminate].
  rewrite all_forall in E. specialize (E _ Hk). simpl in E. rewrite all_forall in E.
  unfold weight. destruct (lookup (eqF X) f ws) as [w|] eqn:El; [|lia].
  apply lookup_in in El; [|apply eqF_ok]. apply E in El. simpl in El. lia.
Qed.
Lemma total_nonneg k ws : In (k, ws) (weights C) -> forall fs, 0 <= total ws fs.
Proof. intros Hk fs. induction fs as [|f fs IH]; simpl; [lia|]. pose proof (weight_nonneg k ws Hk f). lia. Qed.
Lemma total_member k ws : In (k, ws) (weights C) -> forall fs f, In f fs -> weight ws f <= total ws fs.
Proof.
  intros Hk fs f Hf. apply in_split in Hf as (a & b & ->). rewrite total_app. simpl.
  pose proof (total_nonneg k ws Hk a). pose proof (total_nonneg k ws Hk b). lia.
Qed.

Lemma nodes_ok n : In n (nodes C) -> ok_node n = true.
Proof.
  unfold check_cover in OK. destruct (all _ (weights C)); [|discriminate].
  destruct (nodes C) as [|n0 ns]; [discriminate|]. destruct (ok_start n0); [|discriminate].
  rewrite all_forall in OK. auto.
Qed.

(** The first node is right about the beginning, when no request is in flight. *)
Lemma start_holds : exists n0 ns, nodes C = n0 :: ns /\ place n0 = init N /\ holds n0 [].
Proof.
  unfold check_cover in OK. destruct (all _ (weights C)); [|discriminate].
  destruct (nodes C) as [|n0 ns]; [discriminate|]. exists n0, ns. destruct (ok_start n0) eqn:E; [|discriminate].
  unfold ok_start in E. apply if_and in E as [Eg Ew]. apply (eqG_ok N X) in Eg. rewrite all_forall in Ew.
  repeat split; auto. intros k ws v Hk Hv. specialize (Ew _ Hk). simpl in *. rewrite Hv in Ew. simpl. lia.
Qed.

Lemma fits_intro n fs : (forall k ws v, In (k, ws) (weights C) -> value n k = Some v -> total ws fs <= v) ->
  fits n fs = true.
Proof.
  intro H. unfold fits. apply all_forall. intros [k ws] Hk. simpl.
  destruct (value n k) as [v|] eqn:E; auto. apply Z.leb_le. eauto.
Qed.

(** Parts of what is in flight fit. *)
Lemma part_fits n fs part rest : holds n fs -> Permutation fs (part ++ rest) -> fits n part = true.
Proof.
  intros H HP. apply fits_intro. intros k ws v Hk Hv. rewrite <- (holds_weights _ _ H k ws v Hk Hv).
  rewrite (total_perm ws _ _ HP), total_app. pose proof (total_nonneg k ws Hk rest). lia.
Qed.

Lemma contains_in n f : contains n f = true -> exists bs, In (f, bs) (inside n).
Proof.
  unfold contains. rewrite any_exists. intros ([f' bs] & He & E). apply (eqF_ok X) in E. simpl in E. subst. eauto.
Qed.

Lemma others_complete n f os o : holds n (listed f ++ os) -> In o os -> In o (others n f).
Proof.
  intros H Ho. unfold others. apply filter_In.
  assert (Hc : contains n o = true).
  { pose proof (holds_inside _ _ H) as F. rewrite Forall_forall in F. apply F. apply in_or_app. auto. }
  split.
  - destruct (contains_in _ _ Hc) as (bs & Hb). apply in_map_iff. exists (o, bs). auto.
  - apply in_split in Ho as (a & b & ->).
    rewrite (part_fits n _ (o :: listed f) (a ++ b) H).
    + destruct (level2 C) eqn:E2; auto. destruct f as [x|]; auto.
      destruct (proj1 (holds_pairs _ _ H) o) as [F|[-> ->]]; auto; [apply in_or_app; right; left; auto|congruence].
    + rewrite <- Permutation_middle. rewrite (Permutation_app_comm (listed f)). simpl.
      constructor. now rewrite Permutation_app_comm.
Qed.

(** Two of those who stand by fit together with the one who moves. *)
Lemma pairs_fit n f os : holds n (listed f ++ os) -> pairs (fun x y => fits n (x :: y :: listed f) = true) os.
Proof.
  intro H.
  assert (A : forall front back, os = front ++ back -> pairs (fun x y => fits n (x :: y :: listed f) = true) back).
  { intros front back. revert front. induction back as [|x back IH]; intros front E; simpl; auto. split.
    - intros y Hy. apply in_split in Hy as (b1 & b2 & ->).
      apply (part_fits n _ (x :: y :: listed f) (front ++ b1 ++ b2) H). rewrite E.
      rewrite (Permutation_app_comm (listed f)). simpl. rewrite <- Permutation_middle. simpl. constructor.
      rewrite (app_assoc front b1 (y :: b2)), <- Permutation_middle. simpl. constructor.
      rewrite (Permutation_app_comm (listed f)). now rewrite <- !app_assoc.
    - apply (IH (front ++ [x])). now rewrite <- app_assoc. }
  apply (A [] os eq_refl).
Qed.

Lemma step_holds n f os t n' :
  holds n (listed f ++ os) -> keeps n f t n' = true -> carries n f t n' = true -> holds n' (flights_of t ++ os).
Proof.
  intros H Hk Hc. unfold carries in Hc. apply if_and in Hc as [Ht Ho]. rewrite all_forall in Ht, Ho.
  assert (Hos : forall o, In o os -> In o (others n f)) by (intros; now apply (others_complete n f os)).
  constructor.
  - apply Forall_app. split; apply Forall_forall.
    + intros x Hx. apply Ht in Hx. now apply if_and in Hx.
    + intros o Hx. apply Hos, Ho in Hx. now apply if_and in Hx.
  - assert (Hpairs : pairs (together n') os).
    { assert (P0 : pairs (together n) os) by (destruct f; apply H).
      apply (pairs_impl (fun x y => together n x y /\ fits n (x :: y :: listed f) = true)).
      2: { apply pairs_and; auto. now apply pairs_fit. }
      intros x y Hx Hy [A Fxy]. unfold together in *. destruct (level2 C) eqn:E2; auto. right.
      destruct A as [A|[A1 A2]]; [discriminate|].
      assert (Fyx : fits n (y :: x :: listed f) = true).
      { unfold fits in *. rewrite all_forall in *. intros kw Hkw. specialize (Fxy kw Hkw).
        destruct (value n (fst kw)); auto. simpl in *. rewrite Z.leb_le in *. lia. }
      apply Hos in Hx. apply Hos in Hy. pose proof (Ho x Hx) as Cx. pose proof (Ho y Hy) as Cy.
      apply if_and in Cx as [_ Cx]. apply if_and in Cy as [_ Cy]. rewrite all_forall in Cx, Cy.
      specialize (Cx y Hy). specialize (Cy x Hx). rewrite A1, Fxy in Cx. rewrite A2, Fyx in Cy. auto. }
    destruct t as [x|a]; simpl; auto. split; auto. intros o Hx. unfold together. destruct (level2 C) eqn:E2; auto.
    right. specialize (Ht x (or_introl eq_refl)). apply if_and in Ht as [_ Ht]. rewrite all_forall in Ht.
    apply Hos, Ht in Hx. now apply if_and in Hx.
  - intros k ws v' Hw Hv'. unfold keeps in Hk. rewrite all_forall in Hk. specialize (Hk _ Hw). simpl in Hk.
    rewrite Hv' in Hk. destruct (value n k) as [v|] eqn:Hv; [|discriminate]. apply Z.eqb_eq in Hk.
    pose proof (holds_weights _ _ H k ws v Hw Hv) as E. rewrite total_app in *. lia.
Qed.

(** ** Every step of a prompt run leads from node to node *)

Theorem cover_step n f os t h :
  In n (nodes C) -> holds n (listed f ++ os) -> prompt_step N (skips X) (stays X) f (place n) t h -> alive dead t ->
  (exists x, f = Some x /\ t = inl x /\ h = place n) \/
  (exists n', In n' (nodes C) /\ place n' = h /\ extra n f t n' = true /\ In (n, f, t, n') edges /\
              holds n' (flights_of t ++ os)).
Proof.
  intros Hn H Hs Ha. pose proof (nodes_ok n Hn) as O. unfold ok_node in O. apply if_and in O as [O1 O2].
  assert (M : ok_mover n f = true /\
              incl (edges_from n f) (edges_from n None ++ flat_map (fun e => edges_from n (Some (fst e)))
                (inside n))).
  { destruct f as [x|].
    - rewrite all_forall in O2. pose proof (holds_inside _ _ H) as F. inversion F as [|? ? Hx _]; subst.
      destruct (contains_in _ _ Hx) as (bs & Hb). split; [apply (O2 _ Hb)|].
      apply incl_appr. intros e He. apply in_flat_map. exists (x, bs). auto.
    - split; auto. apply incl_appl, incl_refl. }
  destruct M as [M Hincl]. unfold ok_mover in M. unfold edges_from in Hincl at 1.
  rewrite (part_fits n _ (listed f) os H (Permutation_refl _)) in M, Hincl.
  destruct (ways X f (place n)) as [xs|] eqn:E; [|discriminate].
  rewrite all_forall in M. pose proof (ways_complete X _ _ _ _ _ E Hs) as Hin.
  specialize (M _ Hin). unfold ok_way in M. cbn [fst snd] in M.
  assert (D : is_dead t = false) by (destruct t; auto). rewrite D in M.
  destruct (idle n f t h) eqn:Ei.
  - left. unfold idle in Ei. destruct f as [x|]; [|discriminate]. destruct t as [y|]; [|discriminate].
    apply if_and in Ei as [E1 E2]. apply (eqF_ok X) in E1. apply (eqG_ok N X) in E2. subst. eauto.
  - right. destruct (find (leads n f t h) (nodes C)) as [n'|] eqn:Ef; [|discriminate].
    assert (He : In (n, f, t, n') edges).
    { apply in_flat_map. exists n. split; auto. apply Hincl. apply in_flat_map. exists (t, h). split; auto.
      unfold edges_by. cbn [fst snd]. rewrite D, Ei, Ef. left. auto. }
    apply find_some in Ef as [Hn' Hl]. unfold leads in Hl. rewrite !if_and in Hl.
    destruct Hl as (Eg & Ek & Ee & Ec). apply (eqG_ok N X) in Eg.
    exists n'. split; [exact Hn'|split; [exact Eg|split; [exact Ee|split; [exact He|]]]].
    apply (step_holds n f os t n' H Ek Ec).
Qed.

(** A walk: at each node, the flights in some order, and the answers from there on. *)
Inductive walk : node G L Q P -> list flight -> list answer -> node G L Q P -> Prop :=
| walk_nil n : In n (nodes C) -> holds n [] -> walk n [] [] n
| walk_cons n fs f os t n' w m : In n (nodes C) -> Permutation fs (listed f ++ os) ->
    prompt_step N (skips X) (stays X) f (place n) t (place n') -> extra n f t n' = true -> In (n, f, t, n') edges ->
    walk n' (flights_of t ++ os) w m -> walk n fs (answers_of t ++ w) m.

Lemma walk_perm n fs w m : walk n fs w m -> forall fs', Permutation fs fs' -> walk n fs' w m.
Proof.
  intros H fs' HP. inversion H; subst.
  - apply Permutation_nil in HP. subst. now constructor.
  - econstructor; eauto. now rewrite <- HP.
Qed.

Lemma walk_from c w d : prompt_run N (skips X) (stays X) dead c w d -> snd d = [] ->
  forall n, In n (nodes C) -> place n = fst c -> holds n (snd c) -> exists m, walk n (snd c) w m.
Proof.
  induction 1 as [c|g a f b t h w d Hs Ha Hr IH]; intros Hd n Hn Hg H.
  - rewrite Hd in *. exists n. now constructor.
  - simpl in *. subst g.
    assert (HP : Permutation (a ++ listed f ++ b) (listed f ++ a ++ b)) by apply Permutation_app_swap_app.
    destruct (cover_step n f (a ++ b) t h Hn (holds_perm n _ _ HP H) Hs Ha)
      as [(x & -> & -> & ->)|(n' & Hn' & Hp' & He & Hin & H')].
    + apply (IH Hd n); auto.
    + assert (HP' : Permutation (flights_of t ++ a ++ b) (a ++ flights_of t ++ b)) by apply Permutation_app_swap_app.
      destruct (IH Hd n') as (m & Hw); auto.
      * now apply (holds_perm n' _ _ HP').
      * exists m. apply (walk_cons n _ f (a ++ b) t n'); auto; [now rewrite Hp'|].
        apply (walk_perm _ _ _ _ Hw). now symmetry.
Qed.

Theorem runs_are_walks w g : prompt_run N (skips X) (stays X) dead (init N, []) w (g, []) ->
  exists n0 ns m, nodes C = n0 :: ns /\ place n0 = init N /\ walk n0 [] w m.
Proof.
  intro Hr. destruct start_holds as (n0 & ns & E & Hp & H).
  destruct (walk_from _ _ _ Hr eq_refl n0) as (m & Hw); auto; [rewrite E; left; auto|].
  exists n0, ns, m. auto.
Qed.
End Cover.

(** ** Flights that are never answered

    If all steps of certain flights, at all nodes of a cover, lead to such flights again, then complete runs have
    none of
    them. *)
Section Prune.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N).
Notation flight := (Q * L)%type.

Record prune := { looked_at : cover G L Q unit; hopeless : list flight }.

Definition stays_hopeless (p : prune) (dead : flight -> bool) (n : node G L Q unit) : bool :=
  all (fun e =>
         if mem (eqF X) (fst e) (hopeless p)
         then match ways X (Some (fst e)) (place n) with
              | None => false
              | Some xs => all (fun th => match fst th with
                                          | inl f => if dead f then true else mem (eqF X) f (hopeless p)
                                          | inr _ => false
                                          end) xs
              end
         else true) (inside n).
Definition check_prune (dead : flight -> bool) (p : prune) : bool :=
  if check_cover X (looked_at p) dead (fun _ _ _ _ => true)
  then all (stays_hopeless p dead) (nodes (looked_at p)) else false.
Definition pruned (dead : flight -> bool) (p : prune) (f : flight) : bool :=
  if dead f then true else mem (eqF X) f (hopeless p).

Lemma prune_from dead p : check_prune dead p = true ->
  forall i c w d, timed_prompt_run N (skips X) (stays X) dead i c w d -> snd d = [] ->
  forall n, In n (nodes (looked_at p)) -> place n = fst c -> holds X (looked_at p) n (map fst (snd c)) ->
  (forall f, In f (map fst (snd c)) -> mem (eqF X) f (hopeless p) = false) /\
    timed_prompt_run N (skips X) (stays X) (pruned dead p) i c w d.
Proof.
  intros OK i c w d Hr. unfold check_prune in OK. apply if_and in OK as [OK1 OK2]. rewrite all_forall in OK2.
  induction Hr as [i c|i c w d Hr IH|i x g a f b t h w d Hx Hs Ha Hr IH]; intros Hd n Hn Hg H.
  - rewrite Hd. split; [intros ? []|constructor].
  - destruct (IH Hd n Hn Hg H) as [Alive Run]. split; auto. now constructor.
  - simpl in *. subst g. rewrite !map_app, !stamped_fst in *. set (os := map fst a ++ map fst b) in *.
    assert (HP : Permutation (map fst a ++ listed f ++ map fst b) (listed f ++ os)) by apply Permutation_app_swap_app.
    assert (H0 := holds_perm X (looked_at p) n _ _ HP H).
    assert (Next : (forall y, In y (map fst a ++ flights_of t ++ map fst b) -> mem (eqF X) y (hopeless p) = false) /\
                   timed_prompt_run N (skips X) (stays X) (pruned dead p) i
                     (h, a ++ stamped x (flights_of t) ++ b) w d).
    { destruct (cover_step X (looked_at p) dead _ OK1 n f os t h Hn H0 Hs Ha)
        as [(y & -> & -> & ->)|(n' & Hn' & Hp' & _ & _ & H')].
      - apply (IH Hd n); auto.
      - apply (IH Hd n'); auto.
        apply (holds_perm X (looked_at p) n' (flights_of t ++ os)); auto. apply Permutation_app_swap_app. }
    destruct Next as [Alive Run]. split.
    + intros y Hy. apply in_app_or in Hy as [Hy|Hy]; [apply Alive, in_or_app; auto|].
      apply in_app_or in Hy as [Hy|Hy]; [|apply Alive, in_or_app; right; apply in_or_app; auto].
      destruct f as [z|]; simpl in Hy; [|destruct Hy]. destruct Hy as [->|[]].
      destruct (mem (eqF X) y (hopeless p)) eqn:M; auto. exfalso.
      pose proof (holds_inside _ _ _ _ H0) as F. inversion F as [|? ? Hc _]; subst.
      destruct (contains_in X n y Hc) as (bs & Hb).
      specialize (OK2 n Hn). unfold stays_hopeless in OK2. rewrite all_forall in OK2. specialize (OK2 _ Hb).
      simpl fst in OK2. rewrite M in OK2. destruct (ways X (Some y) (place n)) as [xs|] eqn:E; [|discriminate].
      rewrite all_forall in OK2. specialize (OK2 _ (ways_complete X _ _ _ _ _ E Hs)). simpl in OK2.
      destruct t as [z|]; [|discriminate]. simpl in Ha. rewrite Ha in OK2.
      rewrite Alive in OK2; [discriminate|]. apply in_or_app. right. simpl. auto.
    + apply timed_prompt_cons with (h := h); auto. destruct t as [y|]; simpl in *; auto. unfold pruned. rewrite Ha.
      apply Alive, in_or_app. right. simpl. auto.
Qed.

(** Several rounds: what is hopeless in one is left out in the next. *)
Fixpoint check_prunes (dead : flight -> bool) (ps : list prune) : bool :=
  match ps with [] => true | p :: r => if check_prune dead p then check_prunes (pruned dead p) r else false end.
Fixpoint all_pruned (dead : flight -> bool) (ps : list prune) : flight -> bool :=
  match ps with [] => dead | p :: r => all_pruned (pruned dead p) r end.

Theorem prunes_sound ps w g : forall dead, check_prunes dead ps = true ->
  timed_prompt_run N (skips X) (stays X) dead 0 (init N, []) w (g, []) ->
    timed_prompt_run N (skips X) (stays X) (all_pruned dead ps) 0 (init N, []) w (g, []).
Proof.
  induction ps as [|p ps IH]; intros dead OK Hr; simpl in *; auto. apply if_and in OK as [OK1 OK2].
  apply IH; auto. pose proof OK1 as OK0. unfold check_prune in OK0. apply if_and in OK0 as [OK0 _].
  destruct (start_holds X (looked_at p) dead _ OK0) as (n0 & ns & E & Hp & H).
  apply (prune_from dead p OK1 _ _ _ _ Hr eq_refl n0); auto. rewrite E. left. auto.
Qed.
End Prune.
Arguments prune : clear implicits.
