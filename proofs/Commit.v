(** * Evidence of the kind `commit`: every request takes effect in one step, and the order of these steps is serial

    λ commits some flights to responses. A step commits if it leads from an uncommitted flight to one that λ
    commits to r,
    or to an answer r. D is a set of global states that serial runs with the commits so far can reach; each node of
    the
    cover carries one. After a step that commits, every member of D is reached from a former member by one request
    that
    runs alone. If D is never empty, a serial run has given the same answers. *)
From Coq Require Import List Bool Permutation Lia.
From Seriatim Require Import Semantics Lists Serial Time Prompt Exec Cover.
Import ListNotations.

Record commit_evidence {G L Q R : Type} := {
  committed : list ((Q * L) * R);              (** λ *)
  prunes : list (prune G L Q);                 (** which flights are never answered *)
  in_flight : cover G L Q (list G);            (** nodes with D *)
  serial_states : list (Q * G);                (** from where requests run alone *)
  solo_fuel : nat
}.
Arguments commit_evidence : clear implicits.

Section Commit.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N) (E : commit_evidence G L Q R).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.
Notation target := (flight + answer)%type.
Notation node := (node G L Q (list G)).

(** ** The check *)

Definition lambda (f : flight) : option R := lookup (eqF X) f (committed E).
Definition after (t : target) : option answer :=
  match t with inl f => option_map (pair (fst f)) (lambda f) | inr a => Some a end.
Definition before (f : option flight) : option answer := match f with Some x => after (inl x) | None => None end.

Definition subset (D' D : list G) : bool := all (fun d => mem (eqG X) d D) D'.
Definition reached (table : list (Q * G * option (list (R * G)))) (D : list G) (a : answer) (d' : G) : bool :=
  any (fun d => match serial_ends X table (fst a) d with
                | Some es => mem (eqb_pair (eqR X) (eqG X)) (snd a, d') es
                | None => false
                end) D.
(** What D may become when a step leads from [n] to [n']. *)
Definition in_order table (n : node) (f : option flight) (t : target) (n' : node) : bool :=
  match before f, after t with
  | None, None => subset (payload n') (payload n)
  | Some a, Some a' => if eqA X a a' then subset (payload n') (payload n) else false
  | Some _, None => false
  | None, Some a => all (reached table (payload n) a) (payload n')
  end.
Definition some_order (n : node) : bool := match payload n with [] => false | _ => true end.
Definition no_commit_yet (n : node) : bool := all (fun d => eqG X d (init N)) (payload n).
Definition nobody : flight -> bool := fun _ => false.

Definition check_commit : bool :=
  let table := serial_table X (solo_fuel E) (serial_states E) in
  if check_prunes X nobody (prunes E)
  then if check_cover X (in_flight E) (all_pruned X nobody (prunes E)) (in_order table)
       then if all some_order (nodes (in_flight E))
            then match nodes (in_flight E) with [] => false | n :: _ => no_commit_yet n end
            else false
       else false
  else false.

(** ** Why it suffices *)

Lemma subset_in D' D d : subset D' D = true -> In d D' -> In d D.
Proof. unfold subset. rewrite all_forall. intros H Hd. apply H in Hd. now apply (mem_in _ (eqG_ok N X)) in Hd. Qed.

Lemma reached_edge fuel wanted D a d' : reached (serial_table X fuel wanted) D a d' = true ->
  exists d, In d D /\ edge N d a d'.
Proof.
  unfold reached. rewrite any_exists. intros (d & Hd & H). exists d. split; auto.
  destruct (serial_ends X _ (fst a) d) as [es|] eqn:Es; [|discriminate].
  apply (mem_in _ (pair_decides _ _ (eqR_ok N X) (eqG_ok N X))) in H.
  destruct a as [q r]. now apply (serial_ends_ok X _ _ _ _ _ Es) in H.
Qed.

(** The commits of those in flight, with their times. *)
Definition timed_commits (fs : list (flight * interval)) : list (answer * interval) :=
  flat_map (fun f => stamped (snd f) (listed (after (inl (fst f))))) fs.
Lemma timed_commits_app fs fs' : timed_commits (fs ++ fs') = timed_commits fs ++ timed_commits fs'.
Proof. apply flat_map_app. Qed.
Lemma timed_commits_before x f : timed_commits (stamped x (listed f)) = stamped x (listed (before f)).
Proof. destruct f; simpl; auto. apply app_nil_r. Qed.
(** An answer is a commit that is no longer in flight. *)
Lemma timed_commits_after x t :
  stamped x (listed (after t)) = timed_commits (stamped x (flights_of t)) ++ stamped x (answers_of t).
Proof. destruct t; simpl; auto. now rewrite !app_nil_r. Qed.

(** u: the commits so far, in their order; out: the answers so far. Whoever has committed has begun. *)
Lemma commits_in_order i c w d :
  check_cover X (in_flight E) (all_pruned X nobody (prunes E))
    (in_order (serial_table X (solo_fuel E) (serial_states E))) = true ->
  all some_order (nodes (in_flight E)) = true ->
  timed_prompt_run N (skips X) (stays X) (all_pruned X nobody (prunes E)) i c w d -> snd d = [] ->
  forall n, In n (nodes (in_flight E)) -> place n = fst c -> holds X (in_flight E) n (map fst (snd c)) ->
  forall u out, (forall d, In d (payload n) -> path N (init N) (map fst u) d) ->
  Permutation u (out ++ timed_commits (snd c)) -> in_time u -> (forall a, In a u -> fst (snd a) <= i) ->
  exists u' d, path N (init N) (map fst u') d /\ Permutation u' (out ++ w) /\ in_time u'.
Proof.
  intros OK Some_D Hr. rewrite all_forall in Some_D.
  induction Hr as [i c|i c w d Hr IH|i x g a f b t h w d Hx Hs Ha Hr IH]; intros Hd n Hn Hg H u out Hpaths Hu Ht Hb.
  { specialize (Some_D n Hn). unfold some_order in Some_D. destruct (payload n) as [|p D]; [discriminate|].
    exists u, p. rewrite Hd in Hu. split; [apply Hpaths; left; auto|auto]. }
  { apply (IH Hd n Hn Hg H u out Hpaths Hu Ht). intros y Hy. apply Hb in Hy. lia. }
  simpl in *. subst g. rewrite !map_app, stamped_fst in H.
  assert (HP : forall l, Permutation (map fst a ++ l ++ map fst b) (l ++ map fst a ++ map fst b))
    by (intro; apply Permutation_app_swap_app).
  apply (holds_perm X (in_flight E) n _ _ (HP _)) in H.
  rewrite !timed_commits_app, timed_commits_before in Hu.
  set (os := timed_commits a ++ timed_commits b).
  assert (Hu' : Permutation u (out ++ stamped x (listed (before f)) ++ os)).
  { rewrite Hu. apply Permutation_app_head, Permutation_app_swap_app. }
  assert (Same : forall n' u', In n' (nodes (in_flight E)) -> place n' = h ->
            holds X (in_flight E) n' (flights_of t ++ map fst a ++ map fst b) ->
            (forall d, In d (payload n') -> path N (init N) (map fst u') d) ->
            Permutation u' (out ++ stamped x (listed (after t)) ++ os) -> in_time u' ->
            (forall a, In a u' -> fst (snd a) <= i) ->
            exists u'' d, path N (init N) (map fst u'') d /\ Permutation u'' (out ++ stamped x (answers_of t) ++ w) /\
              in_time u'').
  { intros n' u' Hn' Hp' H' Hpaths' Hu1 Ht' Hb'. rewrite app_assoc. apply (IH Hd n' Hn' Hp') with (u := u'); auto.
    - rewrite !map_app, stamped_fst. apply (holds_perm X (in_flight E) n' _ _ (Permutation_sym (HP _)) H').
    - rewrite Hu1, timed_commits_after, !timed_commits_app, <- !app_assoc. apply Permutation_app_head. unfold os.
      rewrite (Permutation_app_swap_app (timed_commits a)).
      rewrite !app_assoc. do 2 apply Permutation_app_tail. apply Permutation_app_comm. }
  destruct (cover_step X (in_flight E) _ _ OK n f _ t h Hn H Hs Ha)
    as [(y & -> & -> & ->)|(n' & Hn' & Hp' & He & _ & H')].
  { apply (Same n u); auto. }
  unfold in_order in He.
  destruct (before f) as [b0|]; destruct (after t) as [a'|]; simpl in Hu', Same; try discriminate.
  - apply if_and in He as [Ea He]. apply (eqA_ok X) in Ea. subst a'.
    apply (Same n' u); auto. intros p Hp. apply Hpaths. now apply (subset_in _ _ _ He).
  - rewrite all_forall in He. destruct Hx as [Hx1 Hx2]. apply (Same n' (u ++ [(a', x)])); auto.
    + intros p' Hp. apply He in Hp. apply reached_edge in Hp as (p & Hp & Hedge). rewrite map_app.
      apply path_snoc with (h := p); auto.
    + rewrite Hu', <- app_assoc. apply Permutation_app_head. symmetry. apply Permutation_cons_append.
    + apply in_time_insert; [now rewrite app_nil_r| |intros ? []]. intros y Hy. apply Hb in Hy. simpl. lia.
    + intros y Hy. apply in_app_or in Hy as [Hy|[<-|[]]]; auto.
  - apply (Same n' u); auto. intros p Hp. apply Hpaths. now apply (subset_in _ _ _ He).
Qed.

(** A commit is a step of its request, so the order of commits respects time, however many barriers there are. *)
Theorem commit_sound : check_commit = true -> forall K, strictly_serializable K N.
Proof.
  intros H K. unfold check_commit in H. rewrite !if_and in H. destruct H as (Hp & Hc & Hs & H0).
  apply (strictly_by_prompt_runs N (skips X) (stays X) K (skips_ok X) (stays_ok N X)). intros v g Hr.
  apply (prunes_sound X _ _ _ _ Hp) in Hr.
  destruct (start_holds X _ _ _ Hc) as (n0 & ns & En & Hp0 & Hh). rewrite En in H0.
  destruct (fun Hn Hg => commits_in_order _ _ _ _ Hc Hs Hr eq_refl n0 Hn Hg Hh [] []) as (u & d & Hu & HP & Ht);
    auto.
  - rewrite En. left. auto.
  - intros d Hd. unfold no_commit_yet in H0. rewrite all_forall in H0. apply H0 in Hd. apply (eqG_ok N X) in Hd.
    subst. constructor.
  - constructor.
  - intros a [].
  - exists u, d. split; auto. split; auto. now symmetry.
Qed.
End Commit.
