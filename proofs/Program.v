(** * Programs: the language of Appendix C with arrays, ranges and locks, and the network system of a program

    [small] is the relation → of the paper as a function on syntax trees, [big] the relation ⇒ between two points
    at which other requests may run. Where the paper's rules are stuck, they are completed: every value other than
    0 counts as true, the value of `yield` is 0, and `return` drops what surrounds it. *)
From Coq Require Import List Bool ZArith NArith Lia.
From Seriatim Require Import Semantics Lists Prompt Exec.
Import ListNotations.
Open Scope Z_scope.

Inductive op := Equal | Unequal | Less | AtMost | Greater | AtLeast | Plus | Minus | Times | Modulo.
(** What a value outside a range becomes: a fault, the same modulo the number of values, or the nearest one. *)
Inductive policy := Refuse | Wrap | Saturate.
Inductive variable := Local (x : nat) | Global (x : nat).
Notation array := (list variable).                         (** its elements, in the order of their indices *)

Inductive expr :=
| Num (z : Z) | Choice
| GetLocal (x : nat) | GetGlobal (x : nat) | SetLocal (x : nat) (e : expr) | SetGlobal (x : nat) (e : expr)
| Not (e : expr) | Neg (e : expr) | Bin (o : op) (a b : expr) | And (a b : expr) | Or (a b : expr)
| If (c a b : expr) | While (c b : expr) | Yield | Return (e : expr) | Seq (a b : expr) | Fault
| GetCell (a : array) (i : expr)                           (** A[i] *)
| SetCell (a : array) (i e : expr)                         (** A[i] := e *)
| Fit (low high : Z) (p : policy) (e : expr)               (** e, for a variable with the range low..high *)
| Lock (x : variable) | LockCell (a : array) (i : expr)    (** lock(X), lock(A[i]); `unlock` assigns 0 *)
| Await (e : expr) | Assert (e : expr)
| Choose (low high : Z).                                   (** any value of low..high *)

Notation store := (list Z).
Notation configuration := (expr * store * store)%type.     (** ⟨e, ρ, g⟩: what is left to do, locals, globals *)

Definition truth (b : bool) : Z := if b then 1 else 0.
Definition apply (o : op) (a b : Z) : Z :=
  match o with
  | Equal => truth (a =? b) | Unequal => truth (negb (a =? b))
  | Less => truth (a <? b) | AtMost => truth (a <=? b) | Greater => truth (b <? a) | AtLeast => truth (b <=? a)
  | Plus => a + b | Minus => a - b | Times => a * b | Modulo => a mod b
  end.
Definition get (i : nat) (s : store) : Z := nth i s 0.
Fixpoint put (i : nat) (v : Z) (s : store) : store :=
  match s, i with [], _ => [] | _ :: r, O => v :: r | x :: r, S j => x :: put j v r end.

Definition value (x : variable) (r g : store) : Z := match x with Local i => get i r | Global i => get i g end.
Definition assign (x : variable) (v : Z) (r g : store) : store * store :=
  match x with Local i => (put i v r, g) | Global i => (r, put i v g) end.
(** The element of an array with the index i, if there is one. *)
Definition element (a : array) (i : Z) : option variable :=
  if i <? 0 then None else if i <? Z.of_nat (length a) then nth_error a (Z.to_nat i) else None.
Definition fitting (low high : Z) (p : policy) (v : Z) : expr :=
  if (low <=? v) && (v <=? high) then Num v
  else match p with
       | Refuse => Fault | Wrap => Num (low + (v - low) mod (high - low + 1))
       | Saturate => Num (if v <? low then low else high) end.
Definition interval (low high : Z) : list Z :=
  map (fun n => low + Z.of_nat n) (seq 0 (Z.to_nat (high - low + 1))).

(** a; b, with the parts of a first. *)
Fixpoint seq (a b : expr) : expr := match a with Seq x y => Seq x (seq y b) | _ => Seq a b end.

Definition is_return (e : expr) : bool := match e with Return _ => true | _ => false end.
(** Evaluation of e in the context K, which a `return` drops. *)
Definition within (K : expr -> expr) (e : expr) (r g : store) (inner : list configuration) : list configuration :=
  if is_return e then [(e, r, g)] else map (fun c => let '(e', r', g') := c in (K e', r', g')) inner.

(** All ⟨e', ρ', g'⟩ with ⟨e, ρ, g⟩ → ⟨e', ρ', g'⟩. *)
Fixpoint small (e : expr) (r g : store) : list configuration :=
  match e with
  | Num _ | Yield | Fault => []
  | Choice => [(Num 0, r, g); (Num 1, r, g)]
  | GetLocal x => [(Num (get x r), r, g)]
  | GetGlobal x => [(Num (get x g), r, g)]
  | SetLocal x (Num v) => [(Num v, put x v r, g)]
  | SetGlobal x (Num v) => [(Num v, r, put x v g)]
  | SetLocal x e => within (SetLocal x) e r g (small e r g)
  | SetGlobal x e => within (SetGlobal x) e r g (small e r g)
  | Not (Num v) => [(Num (truth (v =? 0)), r, g)]
  | Not e => within Not e r g (small e r g)
  | Neg (Num v) => [(Num (- v), r, g)]
  | Neg e => within Neg e r g (small e r g)
  | Bin o (Num a) (Num b) => [(Num (apply o a b), r, g)]
  | Bin o (Num a) e => within (Bin o (Num a)) e r g (small e r g)
  | Bin o e b => within (fun x => Bin o x b) e r g (small e r g)
  | And (Num a) b => [(if a =? 0 then Num 0 else Not (Not b), r, g)]
  | And e b => within (fun x => And x b) e r g (small e r g)
  | Or (Num a) b => [(if a =? 0 then Not (Not b) else Num 1, r, g)]
  | Or e b => within (fun x => Or x b) e r g (small e r g)
  | If (Num v) a b => [(if v =? 0 then b else a, r, g)]
  | If e a b => within (fun x => If x a b) e r g (small e r g)
  | While c b => [(If c (seq b (While c b)) (Num 0), r, g)]
  | Return (Num _) => []
  | Return e => within Return e r g (small e r g)
  | Seq (Num _) b => [(b, r, g)]
  | Seq e b => within (fun x => seq x b) e r g (small e r g)
  | GetCell a (Num i) => [(match element a i with Some x => Num (value x r g) | None => Fault end, r, g)]
  | GetCell a e => within (GetCell a) e r g (small e r g)
  | SetCell a (Num i) (Num v) =>
    [match element a i with Some x => (Num v, fst (assign x v r g), snd (assign x v r g)) | None => (Fault, r, g) end]
  | SetCell a (Num i) e => within (SetCell a (Num i)) e r g (small e r g)
  | SetCell a e b => within (fun x => SetCell a x b) e r g (small e r g)
  | Fit low high p (Num v) => [(fitting low high p v, r, g)]
  | Fit low high p e => within (Fit low high p) e r g (small e r g)
  | Lock x =>
    [if value x r g =? 0 then (Num 1, fst (assign x 1 r g), snd (assign x 1 r g)) else (Seq Yield (Lock x), r, g)]
  | LockCell a (Num i) => [(match element a i with Some x => Lock x | None => Fault end, r, g)]
  | LockCell a e => within (LockCell a) e r g (small e r g)
  | Await e => [(If e (Num 0) (Seq Yield (Await e)), r, g)]
  | Assert (Num v) => [(if v =? 0 then Fault else Num 0, r, g)]
  | Assert e => within Assert e r g (small e r g)
  | Choose low high => map (fun v => (Num v, r, g)) (interval low high)
  end.

(** What is left after the `yield` at which e stands, if it stands at one. *)
Fixpoint resumed (e : expr) : option expr :=
  let under K e := if is_return e then None else option_map K (resumed e) in
  match e with
  | Yield => Some (Num 0)
  | Num _ | Choice | GetLocal _ | GetGlobal _ | While _ _ | Fault | Lock _ | Await _ | Choose _ _ => None
  | SetLocal x e => under (SetLocal x) e
  | SetGlobal x e => under (SetGlobal x) e
  | Not e => under Not e
  | Neg e => under Neg e
  | Bin o (Num a) e => under (Bin o (Num a)) e
  | Bin o e b => under (fun x => Bin o x b) e
  | And e b => under (fun x => And x b) e
  | Or e b => under (fun x => Or x b) e
  | If e a b => under (fun x => If x a b) e
  | Return e => under Return e
  | Seq Yield b => Some b
  | Seq e b => under (fun x => seq x b) e
  | GetCell a e => under (GetCell a) e
  | SetCell a (Num i) e => under (SetCell a (Num i)) e
  | SetCell a e b => under (fun x => SetCell a x b) e
  | Fit low high p e => under (Fit low high p) e
  | LockCell a e => under (LockCell a) e
  | Assert e => under Assert e
  end.

Definition response (e : expr) : option Z := match e with Num v | Return (Num v) => Some v | _ => None end.
(** An atomic step ends at a `yield` (rule YIELD) or with an answer (rule TERMINATE). *)
Definition ending (c : configuration) : option configuration :=
  let '(e, r, g) := c in
  match resumed e with
  | Some e' => Some (e', r, g)
  | None => match response e with Some v => Some (Num v, r, g) | None => None end
  end.

Definition smalls (c : configuration) : list configuration := small (fst (fst c)) (snd (fst c)) (snd c).
Inductive star : configuration -> configuration -> Prop :=
| star_refl c : star c c
| star_step c d k : In d (smalls c) -> star d k -> star c k.
(** ⟨e, ρ, g⟩ ⇒ ⟨e', ρ', g'⟩ *)
Definition big (c d : configuration) : Prop := exists k, star c k /\ ending k = Some d.

Record program := { globals : store; locals : nat; handlers : list expr }.
Notation local_state := (expr * store)%type.

(** Requests are numbers of handlers. A request that can answer does nothing else. *)
Definition program_ns (p : program) : ns store local_state nat Z := {|
  init := globals p;
  fresh := fun q l => nth_error (handlers p) q = Some (fst l) /\ snd l = repeat 0 (locals p);
  step := fun l g m h => response (fst l) = None /\ big (fst l, snd l, g) (fst m, snd m, h);
  resp := fun l v => response (fst l) = Some v
|}.

(** ** Equality *)

Definition eqb_op (a b : op) : bool :=
  match a, b with
  | Equal, Equal | Unequal, Unequal | Less, Less | AtMost, AtMost | Greater, Greater | AtLeast, AtLeast
  | Plus, Plus | Minus, Minus | Times, Times | Modulo, Modulo => true
  | _, _ => false
  end.
Lemma op_decides : decides eqb_op. Proof. intros [] []; simpl; split; intro; congruence. Qed.

Definition eqb_policy (a b : policy) : bool :=
  match a, b with Refuse, Refuse | Wrap, Wrap | Saturate, Saturate => true | _, _ => false end.
Lemma policy_decides : decides eqb_policy. Proof. intros [] []; simpl; split; intro; congruence. Qed.
Definition eqb_variable (a b : variable) : bool :=
  match a, b with Local x, Local y | Global x, Global y => Nat.eqb x y | _, _ => false end.
Lemma variable_decides : decides eqb_variable.
Proof. intros [x|x] [y|y]; simpl; rewrite ?Nat.eqb_eq; split; intro; congruence. Qed.
Definition eqb_array : array -> array -> bool := eqb_list eqb_variable.
Lemma array_decides : decides eqb_array. Proof. apply list_decides, variable_decides. Qed.

Fixpoint eqb_expr (x y : expr) : bool :=
  match x, y with
  | Num a, Num b => a =? b
  | Choice, Choice | Yield, Yield | Fault, Fault => true
  | GetLocal a, GetLocal b | GetGlobal a, GetGlobal b => Nat.eqb a b
  | SetLocal a e, SetLocal b f | SetGlobal a e, SetGlobal b f => if Nat.eqb a b then eqb_expr e f else false
  | Not e, Not f | Neg e, Neg f | Return e, Return f => eqb_expr e f
  | Bin o a b, Bin o' c d => if eqb_op o o' then if eqb_expr a c then eqb_expr b d else false else false
  | And a b, And c d | Or a b, Or c d | While a b, While c d | Seq a b, Seq c d =>
    if eqb_expr a c then eqb_expr b d else false
  | If a b c, If d e f => if eqb_expr a d then if eqb_expr b e then eqb_expr c f else false else false
  | GetCell a i, GetCell b j | LockCell a i, LockCell b j => if eqb_array a b then eqb_expr i j else false
  | SetCell a i e, SetCell b j f => if eqb_array a b then if eqb_expr i j then eqb_expr e f else false else false
  | Fit a b p e, Fit c d q f =>
    if a =? c then if b =? d then if eqb_policy p q then eqb_expr e f else false else false else false
  | Lock x, Lock y => eqb_variable x y
  | Await e, Await f | Assert e, Assert f => eqb_expr e f
  | Choose a b, Choose c d => if a =? c then b =? d else false
  | _, _ => false
  end.
Lemma expr_decides : decides eqb_expr.
Proof.
  intro x. induction x; intros []; simpl;
    rewrite ?if_and, ?Z.eqb_eq, ?Nat.eqb_eq, ?(op_decides _ _), ?(array_decides _ _), ?(variable_decides _ _),
      ?(policy_decides _ _);
    try (split; intro; discriminate); try (split; intro; congruence);
    repeat match goal with
           | H : forall y, eqb_expr ?a y = true <-> _ |- context [eqb_expr ?a ?z = true] => rewrite (H z)
           end;
    split; intro H; intuition congruence.
Qed.

Definition eqb_store : store -> store -> bool := eqb_list Z.eqb.
Lemma Z_decides : decides Z.eqb. Proof. intros x y. apply Z.eqb_eq. Qed.
Lemma store_decides : decides eqb_store. Proof. apply list_decides, Z_decides. Qed.
Definition eqb_configuration : configuration -> configuration -> bool :=
  eqb_pair (eqb_pair eqb_expr eqb_store) eqb_store.
Lemma configuration_decides : decides eqb_configuration.
Proof. repeat apply pair_decides; auto using expr_decides, store_decides. Qed.

(** ** Atomic steps, executed *)

Fixpoint reach (fuel : nat) (todo seen : list configuration) : option (list configuration) :=
  match todo with
  | [] => Some seen
  | c :: rest =>
    match fuel with
    | O => None
    | S n => if mem eqb_configuration c seen then reach n rest seen else reach n (smalls c ++ rest) (c :: seen)
    end
  end.

Lemma star_snoc c d k : star c d -> In k (smalls d) -> star c k.
Proof. induction 1; intro Hk; econstructor; eauto. constructor. Qed.

Lemma reach_nil n seen res : reach n [] seen = Some res -> res = seen.
Proof. destruct n; simpl; congruence. Qed.

Lemma reach_sound (P : configuration -> Prop) : (forall c d, P c -> In d (smalls c) -> P d) ->
  forall n todo seen res, Forall P todo -> Forall P seen -> reach n todo seen = Some res -> Forall P res.
Proof.
  intros HP n. induction n as [|n IH]; intros [|c t] seen res Ht Hs H;
    try (apply reach_nil in H; subst; assumption); simpl in H; [discriminate|].
  inversion Ht as [|? ? Hc Ht']; subst. destruct (mem eqb_configuration c seen).
  - apply (IH t seen); auto.
  - apply (IH (smalls c ++ t) (c :: seen)); auto. apply Forall_app. split; auto. apply Forall_forall. eauto.
Qed.

Lemma reach_complete n : forall todo seen res,
  (forall c d, In c seen -> In d (smalls c) -> In d seen \/ In d todo) ->
  reach n todo seen = Some res ->
  incl seen res /\ incl todo res /\ forall c d, In c res -> In d (smalls c) -> In d res.
Proof.
  assert (nothing_left : forall n seen res, (forall c d, In c seen -> In d (smalls c) -> In d seen \/ In d []) ->
    reach n [] seen = Some res -> incl seen res /\ incl [] res /\ forall c d, In c res -> In d (smalls c) ->
      In d res).
  { intros k seen res Hinv H. apply reach_nil in H. subst. repeat split; auto using incl_refl; [intros ? []|].
    intros c d Hc Hd. destruct (Hinv _ _ Hc Hd) as [?|[]]; auto. }
  induction n as [|n IH]; intros [|c t] seen res Hinv H; eauto; simpl in H; [discriminate|].
  destruct (mem eqb_configuration c seen) eqn:M.
  - apply (mem_in _ configuration_decides) in M. destruct (IH t seen res) as (H1 & H2 & H3); auto.
    + intros a d Ha Hd. destruct (Hinv _ _ Ha Hd) as [?|[<-|?]]; auto.
    + repeat split; auto. intros x [<-|Hx]; auto.
  - destruct (IH (smalls c ++ t) (c :: seen) res) as (H1 & H2 & H3); auto.
    + intros a d [<-|Ha] Hd; [right; apply in_or_app; auto|].
      destruct (Hinv _ _ Ha Hd) as [?|[<-|?]]; [left; right; auto|left; left; auto|right; apply in_or_app; auto].
    + repeat split; auto; intros x Hx.
      * apply H1. right. exact Hx.
      * destruct Hx as [<-|Hx]; [apply H1; left; auto|apply H2; apply in_or_app; auto].
Qed.

Definition bigs (fuel : nat) (c : configuration) : option (list (local_state * store)) :=
  match reach fuel [c] [] with
  | None => None
  | Some res => Some (flat_map (fun k => match ending k with Some d => [(fst d, snd d)] | None => [] end) res)
  end.

Theorem bigs_ok fuel c xs : bigs fuel c = Some xs -> forall m h, In (m, h) xs <-> big c (fst m, snd m, h).
Proof.
  unfold bigs. destruct (reach fuel [c] []) as [res|] eqn:E; [|discriminate].
  intros [= <-] m h. rewrite in_flat_map. split.
  - intros (k & Hk & H). destruct (ending k) as [[d1 d2]|] eqn:Ek; [|destruct H].
    destruct H as [H|[]]. injection H as <- <-. exists k. split; [|rewrite Ek; destruct d1; auto].
    assert (F : Forall (star c) res).
    { apply (reach_sound (star c)) with (n := fuel) (todo := [c]) (seen := []); auto.
      - intros a d Ha Hd. clear - Ha Hd. induction Ha; [|econstructor; eauto].
        econstructor; eauto. constructor.
      - constructor; auto. constructor. }
    rewrite Forall_forall in F. auto.
  - intros (k & Hs & Hk). destruct (reach_complete fuel [c] [] res) as (_ & H2 & H3); [intros ? ? []|exact E|].
    exists k. split.
    + assert (Hc : In c res) by (apply H2; left; auto). clear - Hs Hc H3. induction Hs; eauto.
    + rewrite Hk. left. destruct m; auto.
Qed.

Definition exec_program (fuel : nat) (p : program) : exec (program_ns p).
Proof.
  refine {|
    eqG := eqb_store; eqG_ok := store_decides;
    eqL := eqb_pair eqb_expr eqb_store; eqL_ok := pair_decides _ _ expr_decides store_decides;
    eqQ := Nat.eqb; eqQ_ok := Nat.eqb_eq; eqR := Z.eqb; eqR_ok := Z_decides;
    fresh_list := map (fun qe => (fst qe, (snd qe, repeat 0 (locals p)))) (numbered (handlers p));
    succ := fun l g => match response (fst l) with Some _ => Some [] | None => bigs fuel (fst l, snd l, g) end;
    answers := fun l => listed (response (fst l));
    stays := moving (program_ns p); stays_ok := moving_moves (program_ns p);
    final := fun l => match response (fst l) with Some _ => true | None => false end
  |}.
  - intros q [e r]. simpl. rewrite in_map_iff. split.
    + intros [H ->]. exists (q, e). split; auto. now apply numbered_in.
    + intros ([q' e'] & H & Hi). simpl in H. injection H as <- <- <-. apply numbered_in in Hi. auto.
  - intros l g xs H m h. simpl. destruct (response (fst l)).
    + injection H as <-. split; [intros [F _]; discriminate|intros []].
    + rewrite (bigs_ok _ _ _ H). tauto.
  - intros l v. simpl. destruct (response (fst l)) as [v'|]; simpl; split;
      [intros [= ->]; auto|intros [->|[]]; auto|discriminate|intros []].
  - intros l H (g & m & h & Hr & _). rewrite Hr in H. discriminate.
Defined.
