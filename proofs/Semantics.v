(** * What is proved: network systems, their runs, serializability

    This page is to be read: every statement about an input rests on it. [true_of] in Kernel.v says what is stated of
    which input, and README.md which other pages that needs.

    A network system (section 2.3 of the SER paper) has global states [G], local states [L], names of requests [Q]
    and responses [R]. All four may be infinite. *)
From Coq Require Import List Permutation.
Import ListNotations.

Section Semantics.
Context {G L Q R : Type}.

Record ns := {
  init : G;                          (** the initial global state *)
  fresh : Q -> L -> Prop;            (** where a new request of this name can be *)
  step : L -> G -> L -> G -> Prop;   (** a request at ℓ, in g, moves to ℓ' and leaves g' *)
  resp : L -> R -> Prop              (** a request at ℓ can answer r *)
}.

Definition flight := (Q * L)%type.   (** a request in flight: its name, and where it is *)
Definition answer := (Q * R)%type.   (** a completion: the name of a request, and its response *)
Definition config := (G * list flight)%type.

(** A request is spawned, takes a step, or answers and is gone. Several requests may have the same name, and any
    number of them may be in flight. *)
Inductive move (N : ns) : config -> list answer -> config -> Prop :=
| spawn g fs q l : fresh N q l -> move N (g, fs) [] (g, (q, l) :: fs)
| advance g a b q l m h : step N l g m h -> move N (g, a ++ (q, l) :: b) [] (h, a ++ (q, m) :: b)
| reply g a b q l r : resp N l r -> move N (g, a ++ (q, l) :: b) [(q, r)] (g, a ++ b).

(** A run, with the answers that are given in it. *)
Inductive run (N : ns) : config -> list answer -> config -> Prop :=
| run_nil c : run N c [] c
| run_cons c o c1 w c2 : move N c o c1 -> run N c1 w c2 -> run N c (o ++ w) c2.

(** A serial run: at most one request is in flight at any time. *)
Inductive serial_run (N : ns) : config -> list answer -> config -> Prop :=
| serial_nil c : serial_run N c [] c
| serial_cons c o c1 w c2 : length (snd c) <= 1 -> length (snd c1) <= 1 ->
    move N c o c1 -> serial_run N c1 w c2 -> serial_run N c (o ++ w) c2.

(** A run is complete if it begins and ends with no request in flight. Its outcome is the multiset of its answers.
    A system is serializable if every outcome of a complete run is the outcome of a complete serial run. *)
Definition serializable (N : ns) : Prop :=
  forall w g, run N (init N, []) w (g, []) ->
  exists w' g', serial_run N (init N, []) w' (g', []) /\ Permutation w w'.

End Semantics.
Arguments ns : clear implicits.
