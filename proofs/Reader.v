(** * Claims as texts: lists of integers

    A list is its length, followed by its members. What is written often, such as local states of programs, is in a
    table, and then named by its place there, from 0 on. A text that is not read to its end is no claim. *)
From Coq Require Import List Bool NArith ZArith.
From Seriatim Require Import Semantics Lists Exec Cover Commit Counted Run Arithmetic Tree Timeless System Program Never
  Parts Views Reduction Kernel.
Import ListNotations.
Open Scope Z_scope.

Definition version : Z := 2.

Definition reader (A : Type) := list Z -> option (A * list Z).
Definition ret {A} (a : A) : reader A := fun s => Some (a, s).
Definition fail {A} : reader A := fun _ => None.
Definition bind {A B} (r : reader A) (f : A -> reader B) : reader B :=
  fun s => match r s with Some (a, s') => f a s' | None => None end.
Notation "'let*' x := r 'in' e" := (bind r (fun x => e)) (at level 200, x pattern, e at level 200).

Definition integer : reader Z := fun s => match s with z :: r => Some (z, r) | [] => None end.
Definition natural : reader N := let* z := integer in if z <? 0 then fail else ret (Z.to_N z).
Definition count : reader nat := let* n := natural in ret (N.to_nat n).
Definition flag : reader bool := let* z := integer in ret (negb (z =? 0)).
Definition both {A B} (a : reader A) (b : reader B) : reader (A * B) := let* x := a in let* y := b in ret (x, y).
Fixpoint times {A} (n : nat) (r : reader A) : reader (list A) :=
  match n with O => ret [] | S k => let* x := r in let* xs := times k r in ret (x :: xs) end.
Definition many {A} (r : reader A) : reader (list A) := let* n := count in times n r.
Definition perhaps {A} (r : reader A) : reader (option A) :=
  let* b := flag in if b then let* x := r in ret (Some x) else ret None.
Definition member {A} (table : list A) : reader A :=
  let* n := count in match nth_error table n with Some a => ret a | None => fail end.

(** ** Trees of cases *)

Definition sum_text : reader (list (nat * Z)) := many (both count integer).
Fixpoint tree_text (depth : nat) : reader tree :=
  match depth with
  | O => fail
  | S d =>
    let* kind := integer in
    if kind =? 0 then let* n := count in let* ts := many (tree_text d) in ret (ByCover n ts)
    else if kind =? 1 then let* n := count in let* ts := many (tree_text d) in ret (ByCut n ts)
    else if kind =? 2 then let* s := sum_text in let* n := integer in let* t := tree_text d in ret (Round s n t)
    else let* s := sum_text in ret (Absurd s)
  end.
(** ** Evidence *)

Section Evidence.
Context {G L Q R : Type} (rG : reader G) (rL : reader L) (rQ : reader Q) (rR : reader R).

Section Flights.
Variable rF : reader (Q * L).

Definition node_text {P} (rP : reader P) : reader (node G L Q P) :=
  let* g := rG in let* k := many (perhaps integer) in let* i := many (both rF (many rF)) in let* p := rP in
  ret {| place := g; known := k; inside := i; payload := p |}.
Definition cover_text {P} (rP : reader P) : reader (cover G L Q P) :=
  let* two := flag in let* ws := many (both count (many (both rF integer))) in let* ns := many (node_text rP) in
  ret {| level2 := two; weights := ws; nodes := ns |}.
Definition prune_text : reader (prune G L Q) :=
  let* c := cover_text (ret tt) in let* h := many rF in ret {| looked_at := c; hopeless := h |}.
Definition commit_text : reader (commit_evidence G L Q R) :=
  let* com := many (both rF rR) in let* ps := many prune_text in let* c := cover_text (many rG) in
  let* s := many (both rQ rG) in let* f := count in
  ret {| committed := com; prunes := ps; in_flight := c; serial_states := s; solo_fuel := f |}.

Definition place_text : reader (nat + Q * L) :=
  let* in_flight := flag in
  if in_flight then let* f := rF in ret (inr f) else let* n := count in ret (inl n).
Definition steps_text : reader (list ((Q * R) * G)) := many (both (both rQ rR) rG).
Definition set_text : reader (serial_set G Q R) :=
  let* r := steps_text in let* c := many (both rG steps_text) in
  let* e := many (many integer) in let* cs := many (both (many integer) integer) in
  let* m := integer in let* rs := many (many integer) in
  ret {| run_steps := r; run_cycles := c; set_equations := e; set_conditions := cs; multiple := m;
    remainders := rs |}.
Definition counting_text : reader (tree_evidence G L Q R) :=
  let* ps := many prune_text in let* c := cover_text count in
  let* b := many (many place_text) in let* k := many (both flag (many place_text)) in
  let* z := many (both rQ rR) in let* ss := many set_text in
  let* d := count in let* t := tree_text d in
  let* s := many (both rQ rG) in let* f := count in
  ret {| tree_prunes := ps; tree_cover := c; balances := b; tree_cuts := k; completions := z; sets := ss;
         proof := t; tree_states := s; tree_fuel := f |}.
End Flights.

Fixpoint act_text (depth : nat) : reader (act G L Q R) :=
  match depth with
  | O => fail
  | S d =>
    let* kind := integer in
    if kind =? 0 then let* q := rQ in let* l := rL in ret (Spawn q l)
    else if kind =? 1
    then let* q := rQ in let* l := rL in let* b := count in let* m := rL in let* h := rG in ret (Go q l b m h)
    else if kind =? 2 then let* q := rQ in let* l := rL in let* b := count in let* r := rR in ret (Reply q l b r)
    else if kind =? 3 then let* n := count in let* acts := many (act_text d) in ret (Again n acts)
    else if kind =? 4 then ret Tick
    else fail
  end.
Definition counted_text : reader (counted_evidence G) :=
  let* gs := many rG in let* cs := many (many rG) in let* d := count in let* t := tree_text d in
  ret {| serial_places := gs; serial_siphons := cs; no_numbers := t |}.
Definition depth_of_stretches : nat := 64.
Definition run_text : reader (run_evidence G L Q R) :=
  let* a := many (act_text depth_of_stretches) in let* s := many (both rQ rG) in
  let* c := perhaps counted_text in let* f := count in
  ret {| acts := a; serial_from := s; counted_out := c; fuel := f |}.

Definition timeless_text (rF : reader (Q * L)) : reader (timeless_evidence G L Q R) :=
  let* a := many (both rQ rR) in let* b := many (both rQ rR) in let* gs := many rG in let* f := count in
  let* c := cover_text rF (perhaps (many rF)) in
  ret {| firsts := a; seconds := b; orders := gs; order_fuel := f; begun_late := c |}.

Definition untimed_text (fs : list (Q * L)) (kind : Z) : reader (evidence G L Q R) :=
  if kind =? 1 then let* e := commit_text (member fs) in ret (ByCommit e)
  else if kind =? 2 then let* e := run_text in ret (ByRun e)
  else if kind =? 3 then let* e := counting_text (member fs) in ret (ByTree e)
  else fail.
Definition evidence_text (kind : Z) : reader (evidence G L Q R) :=
  if kind =? 7
  then let* inner := integer in
       let* fs := many (both rQ rL) in let* e := untimed_text fs inner in
       let* hs := many (both rQ rL) in let* t := timeless_text (member hs) in ret (ByTimeless e t)
  else let* fs := many (both rQ rL) in untimed_text fs kind.
End Evidence.

(** ** Inputs *)

Definition system_text : reader system :=
  let* i := natural in let* q := many (both natural natural) in let* r := many (both natural natural) in
  let* d := many (both (both natural natural) (many (both natural natural))) in
  ret {| initial := i; requests := q; responses := r; delta := d |}.

Definition operator_text : reader op :=
  member [Equal; Unequal; Less; AtMost; Greater; AtLeast; Plus; Minus; Times; Modulo].
Definition variable_text : reader Program.variable :=
  let* shared := flag in let* x := count in ret (if shared then Global x else Local x).
Definition policy_text : reader policy := member [Refuse; Wrap; Saturate].
(** An expression whose parts are members of a table. *)
Definition expr_text (table : list expr) : reader expr :=
  let e := member table in
  let* kind := count in
  match kind with
  | 0 => let* z := integer in ret (Num z)
  | 1 => ret Choice
  | 2 => let* x := count in ret (GetLocal x)
  | 3 => let* x := count in ret (GetGlobal x)
  | 4 => let* x := count in let* a := e in ret (SetLocal x a)
  | 5 => let* x := count in let* a := e in ret (SetGlobal x a)
  | 6 => let* a := e in ret (Not a)
  | 7 => let* a := e in ret (Neg a)
  | 8 => let* o := operator_text in let* a := e in let* b := e in ret (Bin o a b)
  | 9 => let* a := e in let* b := e in ret (And a b)
  | 10 => let* a := e in let* b := e in ret (Or a b)
  | 11 => let* a := e in let* b := e in let* c := e in ret (If a b c)
  | 12 => let* a := e in let* b := e in ret (While a b)
  | 13 => ret Yield
  | 14 => let* a := e in ret (Return a)
  | 15 => let* a := e in let* b := e in ret (Seq a b)
  | 16 => ret Fault
  | 17 => let* a := many variable_text in let* i := e in ret (GetCell a i)
  | 18 => let* a := many variable_text in let* i := e in let* b := e in ret (SetCell a i b)
  | 19 => let* low := integer in let* high := integer in let* p := policy_text in let* a := e in ret (Fit low high p a)
  | 20 => let* x := variable_text in ret (Lock x)
  | 21 => let* a := many variable_text in let* i := e in ret (LockCell a i)
  | 22 => let* a := e in ret (Await a)
  | 23 => let* a := e in ret (Assert a)
  | 24 => let* low := integer in let* high := integer in ret (Choose low high)
  | _ => fail
  end%nat.
(** A table of expressions: each may refer to those before it. *)
Fixpoint exprs_text (n : nat) (table : list expr) : reader (list expr) :=
  match n with O => ret table | S k => let* e := expr_text table in exprs_text k (table ++ [e]) end.

Definition program_text : reader (program * list expr) :=
  let* n := count in let* table := exprs_text n [] in
  let* gs := many integer in let* ls := count in let* hs := many (member table) in
  ret ({| globals := gs; locals := ls; handlers := hs |}, table).

(** An answer or what the observer has seen; a request of the input or the observer. *)
Definition either {A B} (a : reader A) (b : reader B) : reader (A + B) :=
  let* second := flag in if second then let* y := b in ret (inr y) else let* x := a in ret (inl x).
Definition seen_evidence_text {G L Q R O} (rG : reader G) (rL : reader L) (rQ : reader Q) (rR : reader R)
    (rO : reader O) (kind : Z) : reader (evidence (G * bool) (L + option O) (option Q) (R + O)) :=
  evidence_text (both rG flag) (either rL (perhaps rO)) (perhaps rQ) (either rR rO) kind.

Section Movers.
Context (rL : reader (expr * list Z)) (rG : reader (list Z)).
Definition entry_text : reader entry := both (either count integer) rG.
Definition table_text : reader table :=
  many (both (many flag) (many (both rG (many (both (perhaps count) (many entry_text)))))).
Definition invariant_text : reader invariant :=
  let* x := count in let* s := integer in let* ws := many (both (both count count) integer) in
  ret {| variable := x; sign := s; weighing := ws |}.
Definition links_text : reader (list ((nat * option nat) * nat)) := many (both (both count (perhaps count)) count).
Definition reduction_text : reader reduction_evidence :=
  let* ms := many (many (many rL)) in let* t := table_text in let* is := many invariant_text in
  let* ends := many count in let* drop := links_text in let* stand := links_text in
  let* late := many (both count count) in let* f := count in
  ret {| members := ms; views := t; balanced := is; acting_at_end := ends; to_drop := drop; standing_for := stand;
         taken_effect := late; quiet_fuel := f |}.
End Movers.

(** What is seen besides the answers. *)
Inductive besides := Nothing | FinalValues | RealTime.
Definition besides_text : reader besides := member [Nothing; FinalValues; RealTime].

Definition about_system (b : besides) : reader claim :=
  let* s := system_text in
  let* K := (match b with RealTime => count | _ => ret O end) in
  let* kind := integer in
  match b with
  | FinalValues =>
    let* e := seen_evidence_text natural natural natural natural natural kind in ret (AboutSeenSystem s e)
  | Nothing => let* e := evidence_text natural natural natural natural kind in ret (AboutSystem s e)
  | RealTime => let* e := evidence_text natural natural natural natural kind in ret (AboutTimedSystem s K e)
  end.

Definition about_program (b : besides) : reader claim :=
  let* (p, table) := program_text in
  let* xs := (match b with FinalValues => many count | _ => ret [] end) in
  let* K := (match b with RealTime => count | _ => ret O end) in
  let* kind := integer in
  if kind =? 0
  then ret (match b with
            | Nothing => WithoutYield p
            | FinalValues => SeenWithoutYield p xs
            | RealTime => TimedWithoutYield p K
            end)
  else
    let* f := count in
    let* ls := many (both (member table) (many integer)) in
    let* gs := many (many integer) in
    if kind =? 4
    then match b with
         | Nothing => let* fs := many (both count (member ls)) in
                      let* c := cover_text (member gs) (member fs) (ret tt) in ret (WithoutFaults p f c)
         | _ => fail
         end
    else if kind =? 5
    then match b with
         | Nothing => let* acts := many (act_text (member gs) (member ls) count integer depth_of_stretches) in
                      let* who := both count (member ls) in ret (WithFault p f (acts, who))
         | _ => fail
         end
    else if kind =? 6
    then let* e := reduction_text (member ls) (member gs) in
         ret (match b with
              | Nothing => WithMovers p f e
              | FinalValues => SeenWithMovers p xs f e
              | RealTime => TimedWithMovers p K f e
              end)
    else match b with
         | Nothing => let* e := evidence_text (member gs) (member ls) count integer kind in ret (AboutProgram p f e)
         | FinalValues =>
           let* e := seen_evidence_text (member gs) (member ls) count integer (many integer) kind in
           ret (AboutSeenProgram p xs f e)
         | RealTime =>
           let* e := evidence_text (member gs) (member ls) count integer kind in ret (AboutTimedProgram p K f e)
         end.

Definition claim_text : reader claim :=
  let* v := integer in
  if negb (v =? version) then fail
  else let* program := flag in let* b := besides_text in if program then about_program b else about_system b.

Definition read (text : list Z) : option claim :=
  match claim_text text with Some (c, []) => Some c | _ => None end.

(** ** What a text proves *)

(** The input that it is about, and the verdict. *)
Definition judged (text : list Z) : option (input * verdict) :=
  match read text with Some c => Some (subject c, judge c) | None => None end.

Theorem judged_sound text i v : judged text = Some (i, v) -> true_of i v.
Proof.
  unfold judged. destruct (read text) as [c|]; [|discriminate]. intros [= <- <-]. apply judge_sound.
Qed.
