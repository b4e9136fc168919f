(** * What a program uses: whether it yields, and which globals it mentions

    A program without `yield` is serializable. And what a handler does not mention, its steps neither read nor
    change: [big_through] says so for every way of replacing the other globals. *)
From Coq Require Import List Bool ZArith.
From Seriatim Require Import Semantics Lists Time Prompt Exec Atomic Observe Program.
Import ListNotations.
Open Scope Z_scope.

Section Uses.
Variables (yields : bool) (names : nat -> bool).

Definition named (x : variable) : bool := match x with Local _ => true | Global i => names i end.

(** Whether an expression has no `yield` unless allowed, and mentions no other globals than these. *)
Fixpoint uses (e : expr) : bool :=
  match e with
  | Num _ | Choice | GetLocal _ | Fault => true
  | Yield => yields
  | GetGlobal x => names x
  | SetGlobal x e => if names x then uses e else false
  | SetLocal _ e | Not e | Neg e | Return e => uses e
  | Bin _ a b | And a b | Or a b | While a b | Seq a b => if uses a then uses b else false
  | If c a b => if uses c then if uses a then uses b else false else false
  | GetCell a i => if all named a then uses i else false
  | SetCell a i e => if all named a then if uses i then uses e else false else false
  | Fit _ _ _ e | Assert e => uses e
  | Lock x => if yields then named x else false
  | LockCell a i => if yields then if all named a then uses i else false else false
  | Await e => if yields then uses e else false
  | Choose _ _ => true
  end.

Lemma element_named a i x : all named a = true -> element a i = Some x -> named x = true.
Proof.
  unfold element. rewrite all_forall. intros H. destruct (i <? 0); [discriminate|].
  destruct (i <? Z.of_nat (length a)); [|discriminate]. intro E. exact (H _ (nth_error_In _ _ E)).
Qed.
Lemma fitting_uses low high p v : uses (fitting low high p v) = true.
Proof. unfold fitting. destruct ((low <=? v) && (v <=? high)); [reflexivity|]. now destruct p. Qed.

Lemma seq_uses a b : uses a = true -> uses b = true -> uses (seq a b) = true.
Proof.
  intros Ha Hb. induction a; cbn [seq]; try exact (proj2 (if_and _ _) (conj Ha Hb)).
  destruct (proj1 (if_and _ _) Ha) as [H1 H2]. exact (proj2 (if_and _ _) (conj H1 (IHa2 H2))).
Qed.

(** *** Execution uses nothing else *)

Lemma within_in K e r g inner c : In c (within K e r g inner) ->
  c = (e, r, g) \/ exists e' r' g', In (e', r', g') inner /\ c = (K e', r', g').
Proof.
  unfold within. destruct (is_return e); simpl; [intros [<-|[]]; auto|].
  intro H. apply in_map_iff in H as ([[e' r'] g'] & <- & Hi). right. eauto 10.
Qed.

Definition keeps_uses (e : expr) : Prop :=
  forall r g e' r' g', uses e = true -> In (e', r', g') (small e r g) -> uses e' = true.

Lemma within_uses K e r g e' r' g' : keeps_uses e -> uses e = true ->
  (forall x, uses x = true -> uses (K x) = true) ->
  In (e', r', g') (within K e r g (small e r g)) -> uses e' = true.
Proof.
  intros IH He HK H. apply within_in in H as [H|(e1 & r1 & g1 & Hi & H)]; injection H as -> -> ->; auto.
  apply HK. exact (IH _ _ _ _ _ He Hi).
Qed.

Lemma single (a b : configuration) : In a [b] -> a = b. Proof. intros [->|[]]. auto. Qed.

Lemma before_used (b x : expr) : uses b = true -> uses x = true -> (if uses x then uses b else false) = true.
Proof. intros Hb Hx. now rewrite Hx. Qed.

Lemma small_uses e : keeps_uses e.
Proof.
  induction e; intros r g e' r' g' Hy H; cbn [uses] in Hy; rewrite ?if_and in Hy.
  - destruct H.
  - simpl in H. destruct H as [H|[H|[]]]; injection H as <- _ _; auto.
  - apply single in H. injection H as -> _ _. auto.
  - apply single in H. injection H as -> _ _. auto.
  - destruct e; try (apply single in H; injection H as -> _ _; exact Hy);
      exact (within_uses (SetLocal x) _ r g e' r' g' IHe Hy (fun _ p => p) H).
  - destruct Hy as [Hx Hy].
    assert (HL : forall z, uses z = true -> uses (SetGlobal x z) = true) by (simpl; intros; now rewrite Hx).
    destruct e; try (apply single in H; injection H as -> _ _; exact Hy);
      exact (within_uses (SetGlobal x) _ r g e' r' g' IHe Hy HL H).
  - destruct e; try (apply single in H; injection H as -> _ _; exact Hy);
      exact (within_uses Not _ r g e' r' g' IHe Hy (fun _ p => p) H).
  - destruct e; try (apply single in H; injection H as -> _ _; exact Hy);
      exact (within_uses Neg _ r g e' r' g' IHe Hy (fun _ p => p) H).
  - destruct Hy as [Ha Hb]. pose proof (fun x => before_used e2 x Hb) as HL.
    destruct e1; try exact (within_uses (fun x => Bin o x e2) _ r g e' r' g' IHe1 Ha HL H).
    destruct e2; try (apply single in H; injection H as -> _ _; reflexivity);
      exact (within_uses (Bin o (Num z)) _ r g e' r' g' IHe2 Hb (fun _ p => p) H).
  - destruct Hy as [Ha Hb]. pose proof (fun x => before_used e2 x Hb) as HL.
    destruct e1; try exact (within_uses (fun x => And x e2) _ r g e' r' g' IHe1 Ha HL H).
    apply single in H. injection H as -> _ _. destruct (z =? 0); auto.
  - destruct Hy as [Ha Hb]. pose proof (fun x => before_used e2 x Hb) as HL.
    destruct e1; try exact (within_uses (fun x => Or x e2) _ r g e' r' g' IHe1 Ha HL H).
    apply single in H. injection H as -> _ _. destruct (z =? 0); auto.
  - destruct Hy as (Hc & Ha & Hb).
    assert (HL : forall x, uses x = true -> uses (If x e2 e3) = true)
      by (cbn [uses]; intros x Hx; now rewrite Hx, Ha, Hb).
    destruct e1; try exact (within_uses (fun x => If x e2 e3) _ r g e' r' g' IHe1 Hc HL H).
    apply single in H. injection H as -> _ _. destruct (z =? 0); auto.
  - destruct Hy as [Ha Hb]. apply single in H. injection H as -> _ _. cbn [uses]. rewrite Ha.
    assert (Hw : uses (While e1 e2) = true) by (cbn [uses]; now rewrite Ha, Hb).
    now rewrite (seq_uses _ _ Hb Hw).
  - destruct H.
  - destruct e; try (destruct H; fail); exact (within_uses Return _ r g e' r' g' IHe Hy (fun _ p => p) H).
  - destruct Hy as [Ha Hb].
    assert (HL : forall x, uses x = true -> uses (seq x e2) = true) by (intros; apply seq_uses; auto).
    destruct e1; try exact (within_uses (fun x => seq x e2) _ r g e' r' g' IHe1 Ha HL H).
    apply single in H. injection H as -> _ _. auto.
  - destruct H.
  - destruct Hy as [Hn Hy].
    assert (HL : forall x, uses x = true -> uses (GetCell a x) = true) by (cbn [uses]; intros x Hx; now rewrite Hn).
    destruct e; try exact (within_uses (GetCell a) _ r g e' r' g' IHe Hy HL H).
    apply single in H. injection H as -> _ _. now destruct (element a z).
  - destruct Hy as (Hn & Hi & He).
    assert (HL : forall x, uses x = true -> uses (SetCell a x e2) = true)
      by (cbn [uses]; intros x Hx; now rewrite Hn, Hx).
    destruct e1; try exact (within_uses (fun x => SetCell a x e2) _ r g e' r' g' IHe1 Hi HL H).
    assert (HR : forall x, uses x = true -> uses (SetCell a (Num z) x) = true)
      by (cbn [uses]; intros x Hx; now rewrite Hn).
    destruct e2; try exact (within_uses (SetCell a (Num z)) _ r g e' r' g' IHe2 He HR H).
    apply single in H. destruct (element a z); injection H as -> _ _; reflexivity.
  - destruct e; try exact (within_uses (Fit low high p) _ r g e' r' g' IHe Hy (fun _ q => q) H).
    apply single in H. injection H as -> _ _. apply fitting_uses.
  - destruct Hy as [Hyes Hn]. apply single in H. destruct (value x r g =? 0); injection H as -> _ _; [reflexivity|].
    cbn [uses]. now rewrite Hyes.
  - destruct Hy as (Hyes & Hn & Hy).
    assert (HL : forall x, uses x = true -> uses (LockCell a x) = true)
      by (cbn [uses]; intros x Hx; now rewrite Hyes, Hn).
    destruct e; try exact (within_uses (LockCell a) _ r g e' r' g' IHe Hy HL H).
    apply single in H. injection H as -> _ _. destruct (element a z) as [x|] eqn:E; [|reflexivity].
    cbn [uses]. rewrite Hyes. exact (element_named _ _ _ Hn E).
  - destruct Hy as [Hyes Hy]. apply single in H. injection H as -> _ _. cbn [uses]. now rewrite Hy, Hyes.
  - destruct e; try exact (within_uses Assert _ r g e' r' g' IHe Hy (fun _ q => q) H).
    apply single in H. injection H as -> _ _. now destruct (z =? 0).
  - apply in_map_iff in H as (v & H & _). now injection H as <- _ _.
Qed.

Lemma star_uses c d : star c d -> uses (fst (fst c)) = true -> uses (fst (fst d)) = true.
Proof.
  induction 1 as [c|c d k Hi _ IH]; auto. intro Hc. apply IH.
  destruct c as [[ce cr] cg], d as [[de dr] dg]. exact (small_uses _ _ _ _ _ _ Hc Hi).
Qed.

Lemma resumed_uses e : uses e = true -> forall e', resumed e = Some e' -> uses e' = true.
Proof.
  assert (under : forall (K : expr -> expr) x, (forall y, resumed x = Some y -> uses y = true) ->
            (forall y, uses y = true -> uses (K y) = true) ->
            forall e', (if is_return x then None else option_map K (resumed x)) = Some e' -> uses e' = true).
  { intros K x IH HK e'. destruct (is_return x); [discriminate|]. destruct (resumed x) as [y|]; [|discriminate].
    intros [= <-]. auto. }
  induction e; cbn [uses]; intros H e'; rewrite ?if_and in H; try discriminate.
  - apply (under (SetLocal x)); auto.
  - destruct H as [Hx H]. apply (under (SetGlobal x)); auto. cbn [uses]. intros. now rewrite Hx.
  - apply (under Not); auto.
  - apply (under Neg); auto.
  - destruct H as [Ha Hb]. pose proof (fun x => before_used e2 x Hb) as HL.
    destruct e1; try exact (under (fun x => Bin o x e2) _ (IHe1 Ha) HL e').
    exact (under (Bin o (Num z)) _ (IHe2 Hb) (fun _ p => p) e').
  - destruct H as [Ha Hb]. exact (under (fun x => And x e2) _ (IHe1 Ha) (fun x => before_used e2 x Hb) e').
  - destruct H as [Ha Hb]. exact (under (fun x => Or x e2) _ (IHe1 Ha) (fun x => before_used e2 x Hb) e').
  - destruct H as (Hc & Ha & Hb). apply (under (fun x => If x e2 e3)); auto.
    cbn [uses]. intros x Hx. now rewrite Hx, Ha, Hb.
  - intros [= <-]. auto.
  - apply (under Return); auto.
  - destruct H as [Ha Hb].
    assert (HL : forall x, uses x = true -> uses (seq x e2) = true) by (intros; apply seq_uses; auto).
    destruct e1; try exact (under (fun x => seq x e2) _ (IHe1 Ha) HL e'). intros [= <-]. exact Hb.
  - destruct H as [Hn H]. apply (under (GetCell a)); auto. cbn [uses]. intros. now rewrite Hn.
  - destruct H as (Hn & Hi & He).
    assert (HL : forall x, uses x = true -> uses (SetCell a x e2) = true)
      by (cbn [uses]; intros x Hx; now rewrite Hn, Hx).
    destruct e1; try exact (under (fun x => SetCell a x e2) _ (IHe1 Hi) HL e').
    apply (under (SetCell a (Num z))); auto. cbn [uses]. intros. now rewrite Hn.
  - apply (under (Fit low high p)); auto.
  - destruct H as (Hyes & Hn & H). apply (under (LockCell a)); auto. cbn [uses]. intros. now rewrite Hyes, Hn.
  - apply (under Assert); auto.
Qed.

Lemma big_uses e r g e' r' g' : uses e = true -> big (e, r, g) (e', r', g') -> uses e' = true.
Proof.
  intros He ([[k kr] kg] & Hs & Hk). apply star_uses in Hs; auto. simpl in *.
  destruct (resumed k) as [x|] eqn:E; [injection Hk as <- <- <-; exact (resumed_uses k Hs x E)|].
  destruct (response k); [|discriminate]. now injection Hk as <- <- <-.
Qed.

(** *** Other globals may have any values *)

(** A change of the global state that nobody notices who looks at these globals alone. *)
Variable f : store -> store.
Hypothesis f_get : forall x g, names x = true -> get x (f g) = get x g.
Hypothesis f_put : forall x v g, names x = true -> put x v (f g) = f (put x v g).

Lemma value_through x r g : named x = true -> value x r (f g) = value x r g.
Proof. destruct x as [i|i]; simpl; auto. Qed.
Lemma assign_through x v r g : named x = true ->
  fst (assign x v r (f g)) = fst (assign x v r g) /\ snd (assign x v r (f g)) = f (snd (assign x v r g)).
Proof. destruct x as [i|i]; simpl; auto. Qed.

Definition through (c : configuration) : configuration := let '(e, r, g) := c in (e, r, f g).
Definition same_through (e : expr) : Prop :=
  uses e = true -> forall r g, small e r (f g) = map through (small e r g).

Lemma within_through K e r g : small e r (f g) = map through (small e r g) ->
  within K e r (f g) (small e r (f g)) = map through (within K e r g (small e r g)).
Proof.
  intro H. unfold within. destruct (is_return e); [reflexivity|]. rewrite H, !map_map.
  apply map_ext. now intros [[e' r'] g'].
Qed.

Lemma small_through e : same_through e.
Proof.
  unfold same_through. induction e; intros Hu r g; cbn [uses] in Hu; rewrite ?if_and in Hu; try reflexivity.
  - simpl. now rewrite f_get.
  - destruct e; try exact (within_through (SetLocal x) _ r g (IHe Hu r g)); reflexivity.
  - destruct Hu as [Hx Hu]. destruct e; try exact (within_through (SetGlobal x) _ r g (IHe Hu r g)).
    simpl. now rewrite f_put.
  - destruct e; try exact (within_through Not _ r g (IHe Hu r g)); reflexivity.
  - destruct e; try exact (within_through Neg _ r g (IHe Hu r g)); reflexivity.
  - destruct Hu as [Ha Hb]. destruct e1; try exact (within_through (fun x => Bin o x e2) _ r g (IHe1 Ha r g)).
    destruct e2; try exact (within_through (Bin o (Num z)) _ r g (IHe2 Hb r g)); reflexivity.
  - destruct Hu as [Ha Hb]. destruct e1; try exact (within_through (fun x => And x e2) _ r g (IHe1 Ha r g)).
    reflexivity.
  - destruct Hu as [Ha Hb]. destruct e1; try exact (within_through (fun x => Or x e2) _ r g (IHe1 Ha r g)).
    reflexivity.
  - destruct Hu as (Hc & Ha & Hb). destruct e1; try exact (within_through (fun x => If x e2 e3) _ r g (IHe1 Hc r g)).
    reflexivity.
  - destruct e; try exact (within_through Return _ r g (IHe Hu r g)); reflexivity.
  - destruct Hu as [Ha Hb]. destruct e1; try exact (within_through (fun x => seq x e2) _ r g (IHe1 Ha r g)).
    reflexivity.
  - destruct Hu as [Hn Hu]. destruct e; try exact (within_through (GetCell a) _ r g (IHe Hu r g)).
    simpl. destruct (element a z) as [x|] eqn:E; [|reflexivity].
    now rewrite (value_through _ _ _ (element_named _ _ _ Hn E)).
  - destruct Hu as (Hn & Hi & He).
    destruct e1; try exact (within_through (fun x => SetCell a x e2) _ r g (IHe1 Hi r g)).
    destruct e2; try exact (within_through (SetCell a (Num z)) _ r g (IHe2 He r g)).
    simpl. destruct (element a z) as [x|] eqn:E; [|reflexivity].
    destruct (assign_through x z0 r g (element_named _ _ _ Hn E)) as [-> ->]. reflexivity.
  - destruct e; try exact (within_through (Fit low high p) _ r g (IHe Hu r g)); reflexivity.
  - destruct Hu as [_ Hn]. simpl. rewrite (value_through _ _ _ Hn).
    destruct (assign_through x 1 r g Hn) as [-> ->]. now destruct (value x r g =? 0).
  - destruct Hu as (_ & Hn & Hu). destruct e; try exact (within_through (LockCell a) _ r g (IHe Hu r g)); reflexivity.
  - destruct e; try exact (within_through Assert _ r g (IHe Hu r g)); reflexivity.
  - simpl. now rewrite map_map.
Qed.

Lemma smalls_through c : uses (fst (fst c)) = true -> smalls (through c) = map through (smalls c).
Proof. destruct c as [[e r] g]. intro Hc. exact (small_through e Hc r g). Qed.

Lemma star_through c d : uses (fst (fst c)) = true -> star (through c) d <-> exists k, star c k /\ d = through k.
Proof.
  intro Hc. split.
  - intro H. remember (through c) as c0. revert c Heqc0 Hc.
    induction H as [c0|c0 d k Hi _ IH]; intros c -> Hc; [exists c; split; auto; constructor|].
    rewrite smalls_through in Hi by assumption. apply in_map_iff in Hi as (c1 & <- & Hi).
    destruct (IH c1 eq_refl) as (k1 & Hs & ->).
    { apply (star_uses c); auto. econstructor; eauto. constructor. }
    exists k1. split; auto. econstructor; eauto.
  - intros (k & Hs & ->). revert Hc. induction Hs as [c|c d k Hi Hs IH]; intro Hc; [constructor|].
    apply star_step with (d := through d).
    + rewrite smalls_through by assumption. now apply in_map.
    + apply IH. apply (star_uses c); auto. econstructor; eauto. constructor.
Qed.

Theorem big_through e r g d : uses e = true ->
  big (e, r, f g) d <-> exists k, big (e, r, g) k /\ d = through k.
Proof.
  assert (E : forall k, ending (through k) = option_map through (ending k)).
  { intros [[e' r'] g']. simpl. destruct (resumed e'); [reflexivity|]. now destruct (response e'). }
  intro Hu. split.
  - intros (k & Hs & Hk). apply (star_through (e, r, g)) in Hs as (k0 & Hs & ->); auto.
    rewrite E in Hk. destruct (ending k0) as [d0|] eqn:Ed; [|discriminate]. injection Hk as <-.
    exists d0. split; auto. exists k0. auto.
  - intros (d0 & (k & Hs & Hk) & ->). exists (through k). split; [|now rewrite E, Hk].
    apply (star_through (e, r, g)); auto. exists k. auto.
Qed.
End Uses.

(** ** Programs without `yield` *)

Definition no_yield : expr -> bool := uses false (fun _ => true).

Lemma resumed_no_yield e : no_yield e = true -> resumed e = None.
Proof.
  assert (under : forall (K : expr -> expr) x, resumed x = None ->
            (if is_return x then None else option_map K (resumed x)) = None)
    by (intros K x H; rewrite H; destruct (is_return x); reflexivity).
  unfold no_yield. induction e; cbn [uses]; intro H; rewrite ?if_and in H; try discriminate; try reflexivity;
    try (apply under; auto; fail).
  - destruct H as [Ha Hb]. destruct e1; try (apply (under (fun x => Bin o x e2)); auto; fail).
    apply (under (Bin o (Num z))). auto.
  - destruct H as [Ha Hb]. apply (under (fun x => And x e2)). auto.
  - destruct H as [Ha Hb]. apply (under (fun x => Or x e2)). auto.
  - destruct H as (Hc & Ha & Hb). apply (under (fun x => If x e2 e3)). auto.
  - destruct H as [Ha Hb]. destruct e1; try discriminate; apply (under (fun x => seq x e2)); auto.
  - destruct H as [_ H]. apply (under (GetCell a)). auto.
  - destruct H as (_ & Hi & He). destruct e1; try (apply (under (fun x => SetCell a x e2)); auto; fail).
    apply (under (SetCell a (Num z))). auto.
Qed.

Definition check_atomic (p : program) : bool := all no_yield (handlers p).

Lemma check_atomic_one_step p : check_atomic p = true ->
  forall q l g m h, fresh (program_ns p) q l -> step (program_ns p) l g m h -> ~ moving (program_ns p) m.
Proof.
  intros H q [e r] g [me mr] h Hf Hs (g' & m' & h' & Hnone & _). simpl in *.
  destruct Hf as [Hf _]. destruct Hs as [_ (k & Hst & Hk)].
  unfold check_atomic in H. rewrite all_forall in H. apply nth_error_In, H in Hf.
  apply star_uses with (yields := false) (names := fun _ => true) in Hst; auto.
  destruct k as [[ke kr] kg]. simpl in *. rewrite (resumed_no_yield _ Hst) in Hk.
  destruct (response ke); [|discriminate]. injection Hk as <- _ _. discriminate.
Qed.

Theorem check_atomic_sound p : check_atomic p = true -> forall K, strictly_serializable K (program_ns p).
Proof. intros H K. exact (atomic_sound _ (check_atomic_one_step p H) K). Qed.
Theorem check_atomic_seen {O} p (seen : list Z -> O) : check_atomic p = true -> serializable_seen (program_ns p) seen.
Proof. intros H w g. exact (atomic_seen _ (check_atomic_one_step p H) seen w g). Qed.
