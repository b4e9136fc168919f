(** * Atomic steps as texts, to compare [bigs] with the interpreter of Seriatim

    Nothing is proved here and no claim depends on it: it is how `ser-kernel steps` executes one atomic step. *)
From Coq Require Import List Bool NArith ZArith.
From Seriatim Require Import Program Reader.
Import ListNotations.
Open Scope Z_scope.

Definition operator_number (o : op) : Z :=
  match o with
  | Equal => 0 | Unequal => 1 | Less => 2 | AtMost => 3 | Greater => 4 | AtLeast => 5
  | Plus => 6 | Minus => 7 | Times => 8 | Modulo => 9
  end.
Definition variable_number (x : Program.variable) : list Z :=
  match x with Local i => [0; Z.of_nat i] | Global i => [1; Z.of_nat i] end.
Definition array_number (a : array) : list Z := Z.of_nat (length a) :: flat_map variable_number a.
Definition policy_number (p : policy) : Z := match p with Refuse => 0 | Wrap => 1 | Saturate => 2 end.
(** An expression with its parts written out, numbered as in [expr_text]. *)
Fixpoint written (e : expr) : list Z :=
  match e with
  | Num z => [0; z]
  | Choice => [1]
  | GetLocal x => [2; Z.of_nat x]
  | GetGlobal x => [3; Z.of_nat x]
  | SetLocal x a => 4 :: Z.of_nat x :: written a
  | SetGlobal x a => 5 :: Z.of_nat x :: written a
  | Not a => 6 :: written a
  | Neg a => 7 :: written a
  | Bin o a b => 8 :: operator_number o :: written a ++ written b
  | And a b => 9 :: written a ++ written b
  | Or a b => 10 :: written a ++ written b
  | If a b c => 11 :: written a ++ written b ++ written c
  | While a b => 12 :: written a ++ written b
  | Yield => [13]
  | Return a => 14 :: written a
  | Seq a b => 15 :: written a ++ written b
  | Fault => [16]
  | GetCell a i => 17 :: array_number a ++ written i
  | SetCell a i b => 18 :: array_number a ++ written i ++ written b
  | Fit low high p a => 19 :: low :: high :: policy_number p :: written a
  | Lock x => 20 :: variable_number x
  | LockCell a i => 21 :: array_number a ++ written i
  | Await a => 22 :: written a
  | Assert a => 23 :: written a
  | Choose low high => [24; low; high]
  end.

(** ⟨e, ρ, g⟩: fuel, a table of expressions, the place of e in it, ρ, g. *)
Definition configuration_text : reader (nat * (expr * list Z * list Z)) :=
  let* fuel := count in let* n := count in let* table := exprs_text n [] in
  let* e := member table in let* r := many integer in let* g := many integer in ret (fuel, (e, r, g)).

(** All ⟨e', ρ', g'⟩ with ⟨e, ρ, g⟩ ⇒ ⟨e', ρ', g'⟩, each as the integers of e', ρ' and g'. *)
Definition steps (text : list Z) : option (list (list Z)) :=
  match configuration_text text with
  | Some ((fuel, c), []) =>
    match bigs fuel c with
    | Some ends => Some (map (fun mh => written (fst (fst mh)) ++ snd (fst mh) ++ snd mh) ends)
    | None => None
    end
  | _ => None
  end.
