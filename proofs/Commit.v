(** * Evidence of the kind `commit`: every request takes effect in one step, and the order of these steps is serial

    λ commits some flights to responses. A step commits if it leads from an uncommitted flight to one that λ
    commits to r,
    or to an answer r. D is a set of global states that serial runs with the commits so far can reach; each node of
    the
    cover carries one. After a step that commits, every member of D is reached from a former member by one request
    that
    runs alone. If D is never empty, a serial run has given the same answers. *)
From Coq Require Import List Bool Permutation.
From Seriatim Require Import Semantics Lists Serial Prompt Exec Cover.
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

Definition commits (fs : list flight) : list answer := flat_map (fun f => listed (after (inl f))) fs.
Lemma commits_app fs fs' : commits (fs ++ fs') = commits fs ++ commits fs'. Proof. apply flat_map_app. Qed.
Lemma commits_perm fs fs' : Permutation fs fs' -> Permutation (commits fs) (commits fs').
Proof. apply Permutation_flat_map. Qed.
Lemma commits_before f : commits (listed f) = listed (before f).
Proof. destruct f; simpl; auto. apply app_nil_r. Qed.
(** An answer is a commit that is no longer in flight. *)
Lemma commits_after t : listed (after t) = commits (flights_of t) ++ answers_of t.
Proof. destruct t; simpl; auto. now rewrite !app_nil_r. Qed.

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

(** u: the commits so far, in their order; out: the answers so far. *)
Lemma walk_in_order n fs w m :
  walk X (in_flight E) (all_pruned X nobody (prunes E))
    (in_order (serial_table X (solo_fuel E) (serial_states E))) n fs w m ->
  all some_order (nodes (in_flight E)) = true ->
  forall u out, (forall d, In d (payload n) -> path N (init N) u d) -> Permutation u (out ++ commits fs) ->
  exists u' d, path N (init N) u' d /\ Permutation u' (out ++ w).
Proof.
  intros Hw Some_D. rewrite all_forall in Some_D.
  induction Hw as [n Hn _|n fs f os t n' w m Hn HP Hs He _ Hw IH]; intros u out Hpaths Hu.
  - specialize (Some_D n Hn). unfold some_order in Some_D. destruct (payload n) as [|d D]; [discriminate|].
    exists u, d. split; [apply Hpaths; left; auto|exact Hu].
  - apply commits_perm in HP. rewrite commits_app, commits_before in HP. rewrite HP in Hu. clear HP.
    assert (Same : forall u', (forall d, In d (payload n') -> path N (init N) u' d) ->
              Permutation u' (out ++ listed (after t) ++ commits os) ->
              exists u'' d, path N (init N) u'' d /\ Permutation u'' (out ++ answers_of t ++ w)).
    { intros u' Hp' Hu'. rewrite app_assoc. apply (IH u'); auto. rewrite Hu', commits_after, commits_app.
      rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc.
      apply Permutation_app_tail, Permutation_app_comm. }
    unfold in_order in He.
    destruct (before f) as [a|]; destruct (after t) as [a'|]; simpl listed in *; try discriminate.
    + apply if_and in He as [Ea He]. apply (eqA_ok X) in Ea. subst a'.
      apply (Same u); auto. intros d Hd. apply Hpaths. now apply (subset_in _ _ _ He).
    + rewrite all_forall in He. apply (Same (u ++ [a'])).
      * intros d' Hd. apply He in Hd. apply reached_edge in Hd as (d & Hd & Hedge).
        apply path_snoc with (h := d); auto.
      * rewrite Hu. simpl. rewrite <- app_assoc. apply Permutation_app_head. symmetry.
        apply Permutation_cons_append.
    + apply (Same u); auto. intros d Hd. apply Hpaths. now apply (subset_in _ _ _ He).
Qed.

Theorem commit_sound : check_commit = true -> serializable N.
Proof.
  intro H. unfold check_commit in H. rewrite !if_and in H. destruct H as (Hp & Hc & Hs & H0).
  apply (serializable_by_prompt_runs N (skips X) (stays X) (skips_ok X) (stays_ok N X)). intros v g Hr.
  apply (prunes_sound X _ _ _ _ Hp) in Hr.
  destruct (runs_are_walks X _ _ _ Hc _ _ Hr) as (n0 & ns & m & En & _ & Hw). rewrite En in H0.
  destruct (walk_in_order _ _ _ _ Hw Hs [] []) as (u & d & Hu & HP); auto.
  - intros d Hd. unfold no_commit_yet in H0. rewrite all_forall in H0. apply H0 in Hd. apply (eqG_ok N X) in Hd.
    subst. constructor.
  - exists u, d. split; auto. now symmetry.
Qed.
End Commit.
