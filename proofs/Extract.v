(** The kernel as OCaml, for [main.ml]. Booleans, options, pairs and lists become OCaml's own; numbers stay ours. *)
From Coq Require Import Extraction ExtrOcamlBasic ZArith.
From Seriatim Require Import Kernel Reader Steps.
Extraction Language OCaml.
Extraction "build/kernel.ml" judged steps Z.add Z.sub Z.mul.
