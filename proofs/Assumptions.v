(** Printed when the proofs are built: everything must be closed under the global context. *)
From Seriatim Require Import Reader.
Print Assumptions judged_sound.
