(** * Real time: requests that ended before others began come first

    The first part of this page is to be read: what strict serializability means. *)
From Coq Require Import List Permutation Arith Lia.
From Seriatim Require Import Semantics Serial.
Import ListNotations.

Section Time.
Context {G L Q R : Type}.
Notation ns := (ns G L Q R).

(** A clock ticks now and then; a tick is a _barrier_. Of a request in flight it is known when it began, and of an
    answer when its request began and when it ended. *)
Definition interval := (nat * nat)%type.
Definition timed_flight := ((Q * L) * nat)%type.
Definition timed_answer := ((Q * R) * interval)%type.
Definition timed_config := (nat * G * list timed_flight)%type.

Inductive timed_move (N : ns) : timed_config -> list timed_answer -> timed_config -> Prop :=
| tick i g fs : timed_move N (i, g, fs) [] (S i, g, fs)
| timed_spawn i g fs q l : fresh N q l -> timed_move N (i, g, fs) [] (i, g, ((q, l), i) :: fs)
| timed_advance i g a b q l m h s : step N l g m h ->
    timed_move N (i, g, a ++ ((q, l), s) :: b) [] (i, h, a ++ ((q, m), s) :: b)
| timed_reply i g a b q l r s : resp N l r ->
    timed_move N (i, g, a ++ ((q, l), s) :: b) [((q, r), (s, i))] (i, g, a ++ b).

Inductive timed_run (N : ns) : timed_config -> list timed_answer -> timed_config -> Prop :=
| timed_nil c : timed_run N c [] c
| timed_cons c o c1 w c2 : timed_move N c o c1 -> timed_run N c1 w c2 -> timed_run N c (o ++ w) c2.

(** An order of requests respects time if none of them ended before one began that stands in front of it. *)
Definition in_time {A} : list (A * interval) -> Prop := ForallOrdPairs (fun x y => fst (snd x) <= snd (snd y)).

(** Strict serializability, as far as up to K barriers tell: the requests of every complete run can be put into an
    order that respects time, and in which a serial run gives the same answers. *)
Definition strictly_serializable (K : nat) (N : ns) : Prop :=
  forall w i g, timed_run N (0, init N, []) w (i, g, []) -> i <= K ->
  exists w' g', serial_run N (init N, []) (map fst w') (g', []) /\ Permutation w w' /\ in_time w'.

(** ** Without barriers, this is serializability *)

Variable N : ns.

(** Every run is one in which the clock does not tick. *)
Lemma timed_of_run c w d : run N c w d -> forall i fs, map fst fs = snd c ->
  exists v fs', timed_run N (i, fst c, fs) v (i, fst d, fs') /\ map fst v = w /\ map fst fs' = snd d.
Proof.
  induction 1 as [c|c o c1 w c2 Hm _ IH]; intros i fs E; [exists [], fs; repeat split; auto; constructor|].
  inversion Hm as [g fs0 q l H|g a b q l m h H|g a b q l r H]; subst; simpl in *.
  - destruct (IH i (((q, l), i) :: fs)) as (v & fs' & Hr & Ev & Ef); [simpl; now rewrite E|].
    exists v, fs'. repeat split; auto. refine (timed_cons N _ [] _ _ _ _ Hr). now constructor.
  - apply map_eq_app in E as (a' & b0 & -> & <- & E). apply map_eq_cons in E as ([f s] & b' & -> & Ef & <-).
    simpl in Ef. subst f.
    destruct (IH i (a' ++ ((q, m), s) :: b')) as (v & fs' & Hr & Ev & Ef); [now rewrite map_app|].
    exists v, fs'. repeat split; auto. refine (timed_cons N _ [] _ _ _ _ Hr). now constructor.
  - apply map_eq_app in E as (a' & b0 & -> & <- & E). apply map_eq_cons in E as ([f s] & b' & -> & Ef & <-).
    simpl in Ef. subst f.
    destruct (IH i (a' ++ b')) as (v & fs' & Hr & Ev & Ef); [apply map_app|].
    exists (((q, r), (s, i)) :: v), fs'. simpl. rewrite Ev. repeat split; auto.
    refine (timed_cons N _ [((q, r), (s, i))] _ _ _ _ Hr). now constructor.
Qed.

(** Every run in time is a run. *)
Lemma run_of_timed c w d : timed_run N c w d ->
  run N (snd (fst c), map fst (snd c)) (map fst w) (snd (fst d), map fst (snd d)).
Proof.
  induction 1 as [c|c o c1 w c2 Hm _ IH]; [constructor|].
  inversion Hm as [i g fs|i g fs q l H|i g a b q l m h s H|i g a b q l r s H]; subst; simpl in *; auto;
    rewrite ?map_app in *.
  - refine (run_cons N _ [] _ _ _ _ IH). now constructor.
  - refine (run_cons N _ [] _ _ _ _ IH). now constructor.
  - refine (run_cons N _ [(q, r)] _ _ _ _ IH). now constructor.
Qed.

Definition begun (i : nat) (fs : list timed_flight) : Prop := Forall (fun f => snd f <= i) fs.

Lemma begun_later i j fs : i <= j -> begun i fs -> begun j fs.
Proof. intros H. apply Forall_impl. intros f Hf. lia. Qed.

(** Nothing begins after the end. *)
Lemma began_before_end c w d : timed_run N c w d -> begun (fst (fst c)) (snd c) ->
  fst (fst c) <= fst (fst d) /\ Forall (fun a => fst (snd a) <= fst (fst d)) w.
Proof.
  induction 1 as [c|c o c1 w c2 Hm _ IH]; intro HB; [auto|].
  inversion Hm as [i g fs|i g fs q l H|i g a b q l m h s H|i g a b q l r s H]; subst; simpl in *.
  - destruct IH as [I1 I2]; [apply (begun_later i); auto|]. split; [lia|auto].
  - apply IH. constructor; auto.
  - apply IH. unfold begun in *. rewrite Forall_app in *. destruct HB as [Ha Hb]. inversion Hb; subst. auto.
  - unfold begun in *. rewrite Forall_app in *. destruct HB as [Ha Hb]. inversion Hb as [|? ? Hs Hb']; subst.
    destruct IH as [I1 I2]; auto. split; auto. constructor; auto. simpl in *. lia.
Qed.

Theorem strictly_without_barriers : strictly_serializable 0 N <-> serializable N.
Proof.
  split.
  - intros H w g Hr. destruct (timed_of_run _ _ _ Hr 0 [] eq_refl) as (v & fs' & Ht & <- & Ef). simpl in *.
    apply map_eq_nil in Ef. subst. destruct (H _ _ _ Ht (le_n 0)) as (w' & g' & Hs & HP & _).
    exists (map fst w'), g'. split; auto. now apply Permutation_map.
  - intros H w i g Ht Hi. destruct (began_before_end _ _ _ Ht (Forall_nil _)) as [_ HB]. simpl in HB.
    destruct (H _ _ (run_of_timed _ _ _ Ht)) as (u & g' & Hs & HP). simpl in *.
    apply Permutation_sym, Permutation_map_inv in HP as (w' & -> & HP). exists w', g'. split; auto. split; auto.
    rewrite HP in HB. clear - HB Hi. induction HB as [|x w Hx _ IH]; constructor; auto.
    apply Forall_forall. intros y _. apply (Nat.le_trans _ i); [exact Hx|lia].
Qed.
End Time.

(** ** What happens within an interval *)

Definition stamped {A} (x : interval) (l : list A) : list (A * interval) := map (fun a => (a, x)) l.
Definition within (x : interval) (i : nat) : Prop := fst x <= i <= snd x.

Lemma stamped_fst {A} x (l : list A) : map fst (stamped x l) = l.
Proof. unfold stamped. rewrite map_map. apply map_id. Qed.

Lemma in_time_insert {A} (u v : list (A * interval)) a : in_time (u ++ v) ->
  (forall b, In b u -> fst (snd b) <= snd (snd a)) -> (forall b, In b v -> fst (snd a) <= snd (snd b)) ->
  in_time (u ++ a :: v).
Proof.
  intros H Hu Hv. induction u as [|b u IH]; simpl in *.
  - constructor; auto. now apply Forall_forall.
  - inversion H as [|? ? Hb H']; subst. constructor; [|apply IH; auto].
    rewrite Forall_forall in *. intros c Hc. apply in_app_or in Hc as [Hc|[<-|Hc]]; auto;
      apply Hb, in_or_app; auto.
Qed.
Lemma in_time_remove {A} (u v : list (A * interval)) a : in_time (u ++ a :: v) -> in_time (u ++ v).
Proof.
  intro H. induction u as [|b u IH]; simpl in *; inversion H as [|? ? Hb H']; subst; auto.
  constructor; [|apply IH; auto]. rewrite Forall_forall in *. intros c Hc. apply Hb.
  apply in_app_or in Hc as [Hc|Hc]; apply in_or_app; simpl; auto.
Qed.
