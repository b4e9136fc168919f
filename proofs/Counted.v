(** * No serial run has an outcome, by counting

    Outcomes of long runs have too many serial orders to list them. How often a serial run takes each edge between
    global
    states satisfies balances and cuts, and adds up to the outcome; a tree of cases proves that no numbers do. *)
From Coq Require Import List Bool Permutation ZArith Lia.
From Seriatim Require Import Semantics Lists Serial Exec Net Arithmetic Rows Insert.
Import ListNotations.
Open Scope Z_scope.

Record counted_evidence {G : Type} := {
  serial_places : list G;            (** the global states that serial runs with these answers can reach *)
  serial_siphons : list (list G);
  no_numbers : tree
}.
Arguments counted_evidence : clear implicits.

Section Counted.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N) (E : counted_evidence G) (w : list (Q * R)).
Notation answer := (Q * R)%type.

(** ** The check *)

Definition kinds : list answer := dedup (eqA X) w.
Definition edges_by table (g : G) (a : answer) : option (list (G * answer * G)) :=
  match serial_ends X table (fst a) g with
  | None => None
  | Some es =>
    let hs := flat_map (fun rh => if eqR X (snd a) (fst rh) then [snd rh] else []) es in
    if all (fun h => mem (eqG X) h (serial_places E)) hs then Some (map (fun h => (g, a, h)) hs) else None
  end.
(** All results, if there is one for every member. *)
Fixpoint gather {A B} (f : A -> option (list B)) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | x :: r => match f x, gather f r with Some a, Some b => Some (a ++ b) | _, _ => None end
  end.
Definition serial_edges table : option (list (G * answer * G)) :=
  gather (fun g => gather (edges_by table g) kinds) (serial_places E).

Definition serial_net (es : list (G * answer * G)) : list (transition G (list answer)) :=
  map (fun e => {| takes := [fst (fst e)]; gives := [snd e]; said := [snd (fst e)] |}) es.
Definition left_row (T : list (transition G (list answer))) (g : G) : row :=
  (tokens_left T [init N] (fun h => eqG X g h), AtLeastZero).
Definition adds_up (T : list (transition G (list answer))) (a : answer) : row :=
  (form T (- number_of X a w) (fun t => number_of X a (said t)), IsZero).

Definition check_counted table : bool :=
  match serial_edges table with
  | None => false
  | Some es =>
    let T := serial_net es in
    if mem (eqG X) (init N) (serial_places E)
    then if all (fun c => siphon_ok (eqG X) [init N] (true, c)) (serial_siphons E)
    then closes [] [] (map (fun c => cut_rows (eqG X) T [init N] (true, c)) (serial_siphons E))
                (map (left_row T) (serial_places E) ++ map (adds_up T) kinds) (no_numbers E)
    else false else false
  end.

(** ** Why it suffices *)

Lemma gather_in {A B} (f : A -> option (list B)) l res : gather f l = Some res ->
  forall x, In x l -> exists a, f x = Some a /\ incl a res.
Proof.
  revert res. induction l as [|y l IH]; simpl; intros res H x Hx; [destruct Hx|].
  destruct (f y) as [a|] eqn:Ef; [|discriminate]. destruct (gather f l) as [b|]; [|discriminate].
  injection H as <-. destruct Hx as [<-|Hx].
  - exists a. split; auto. apply incl_appl, incl_refl.
  - destruct (IH b eq_refl x Hx) as (c & Hc & Hi). exists c. split; auto. now apply incl_appr.
Qed.

Section Table.
Variables (fuel : nat) (wanted : list (Q * G)) (es : list (G * answer * G)).
Let table := serial_table X fuel wanted.
Hypothesis Hes : serial_edges table = Some es.
Let T := serial_net es.

Lemma edge_listed g a h : In g (serial_places E) -> In a w -> edge N g a h ->
  In (g, a, h) es /\ In h (serial_places E).
Proof.
  intros Hg Ha He. destruct (gather_in _ _ _ Hes g Hg) as (xs & Hxs & Hincl).
  destruct (gather_in _ _ _ Hxs a (dedup_in _ (eqA_ok X) _ _ Ha)) as (ys & Hys & Hincl').
  unfold edges_by in Hys. destruct (serial_ends X table (fst a) g) as [ends|] eqn:Ee; [|discriminate].
  destruct (all _ _) eqn:Hall in Hys; [|discriminate]. injection Hys as <-. rewrite all_forall in Hall.
  assert (Hh : In h (flat_map (fun rh => if eqR X (snd a) (fst rh) then [snd rh] else []) ends)).
  { destruct a as [q r]. apply in_flat_map. exists (r, h). split; [now apply (serial_ends_ok X _ _ _ _ _ Ee)|].
    simpl. rewrite (decides_refl _ (eqR_ok N X)). left. auto. }
  split.
  - apply Hincl, Hincl'. apply in_map_iff. exists h. auto.
  - apply Hall in Hh. now apply (mem_in _ (eqG_ok N X)) in Hh.
Qed.

Lemma path_fires g u k : path N g u k -> In g (serial_places E) -> (forall a, In a u -> In a w) ->
  exists s, fires T [g] s [k] /\ forall a, number_of X a u = sum T (fun t => number_of X a (said t)) s.
Proof.
  induction 1 as [g|g a h u k He _ IH]; intros Hg Hu.
  - exists []. split; [now constructor|reflexivity].
  - destruct (edge_listed g a h Hg (Hu a (or_introl eq_refl)) He) as [Hin Hh].
    destruct (IH Hh (fun b Hb => Hu b (or_intror Hb))) as (s & Hf & Hn).
    apply In_nth_error in Hin as (i & Hi).
    set (t := {| takes := [g]; gives := [h]; said := [a] |} : transition G (list answer)).
    assert (Ht : nth_error T i = Some t) by (unfold T, serial_net; rewrite (map_nth_error _ _ _ Hi); reflexivity).
    exists (i :: s). split.
    + apply (fires_cons T [g] t []); auto.
    + intro b. simpl. rewrite Ht, Hn. simpl. lia.
Qed.

Theorem counted_sound : check_counted table = true ->
  forall u k, path N (init N) u k -> Permutation w u -> False.
Proof.
  unfold check_counted. rewrite Hes. fold T. rewrite !if_and. intros (Hi & Hcut & Hclose) u k Hp HP.
  apply (mem_in _ (eqG_ok N X)) in Hi. rewrite all_forall in Hcut.
  destruct (path_fires _ _ _ Hp Hi) as (s & Hf & Hn); [intros a; apply (Permutation_in a (Permutation_sym HP))|].
  assert (Hnone : in_some_set [] [] (counts T s)).
  { apply (closes_sound [] [] (map (fun c => cut_rows (eqG X) T [init N] (true, c)) (serial_siphons E)) (counts T s)
             (counts_nonneg T s)) with (4 := Hclose).
    - intros c Hc. apply in_map_iff in Hc as (c' & <- & Hc).
      destruct (cut_holds (eqG X) T _ _ s [] Hf (true, c') (Hcut _ Hc)) as (r & Hr & Hs).
      exists r. rewrite app_nil_r in Hs. auto.
    - intros l [].
    - apply Forall_app. split; apply Forall_forall; intros r Hr; apply in_map_iff in Hr as (z & <- & _).
      + unfold satisfies, left_row. cbn [fst snd].
        pose proof (tokens_left_value T [init N] _ s [] Hf (fun h => eqG X z h)) as V. rewrite app_nil_r in V.
        rewrite V. apply tokens_nonneg.
      + unfold satisfies, adds_up. cbn [fst snd].
        pose proof (form_value T s [] (- number_of X z w) (fun t => number_of X z (said t))) as V.
        rewrite app_nil_r in V. rewrite V, <- Hn, (number_of_perm X z _ _ HP). lia. }
  destruct Hnone as (l & [] & _).
Qed.
End Table.
End Counted.
