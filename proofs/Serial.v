(** * Serial runs are paths: from global state to global state, one request after the other *)
From Coq Require Import List Permutation Lia.
From Seriatim Require Import Semantics.
Import ListNotations.

Section Serial.
Context {G L Q R : Type} (N : ns G L Q R).
Notation answer := (Q * R)%type.

(** A request that runs alone takes some steps. *)
Inductive solo : L -> G -> L -> G -> Prop :=
| solo_refl l g : solo l g l g
| solo_step l g m h l' g' : step N l g m h -> solo m h l' g' -> solo l g l' g'.

(** It runs from its start to its answer. *)
Definition edge (g : G) (a : answer) (h : G) : Prop :=
  exists l0 l, fresh N (fst a) l0 /\ solo l0 g l h /\ resp N l (snd a).

Inductive path : G -> list answer -> G -> Prop :=
| path_nil g : path g [] g
| path_cons g a h w k : edge g a h -> path h w k -> path g (a :: w) k.

Lemma path_app g v h w k : path g v h -> path h w k -> path g (v ++ w) k.
Proof. induction 1; simpl; auto. intro. econstructor; eauto. Qed.

Lemma path_snoc g v h a k : path g v h -> edge h a k -> path g (v ++ [a]) k.
Proof. intros Hp He. apply (path_app _ _ _ _ _ Hp). econstructor; eauto. constructor. Qed.

Lemma serial_app c v d w e : serial_run N c v d -> serial_run N d w e -> serial_run N c (v ++ w) e.
Proof. induction 1; simpl; auto. intro. rewrite <- app_assoc. econstructor; eauto. Qed.

Lemma solo_is_serial l g l' g' q : solo l g l' g' -> serial_run N (g, [(q, l)]) [] (g', [(q, l')]).
Proof.
  induction 1 as [l g|l g m h l' g' Hs _ IH]; [constructor|].
  apply (serial_cons N _ [] (h, [(q, m)]) []); simpl; auto.
  apply (advance N g [] [] q l m h Hs).
Qed.

Lemma path_is_serial g w h : path g w h -> serial_run N (g, []) w (h, []).
Proof.
  induction 1 as [g|g [q r] h w k (l0 & l & Hf & Hl & Hr) _ IH]; [constructor|]. simpl in *.
  apply (serial_cons N _ [] (g, [(q, l0)]) ((q, r) :: w)); simpl; auto; [now constructor|].
  apply (serial_app _ [] (h, [(q, l)])); [now apply solo_is_serial|].
  apply (serial_cons N _ [(q, r)] (h, []) w); simpl; auto. apply (reply N h [] [] q l r Hr).
Qed.

(** A flight that stands alone is the whole list. *)
Lemma lonely {A} (a b : list A) x : length (a ++ x :: b) <= 1 -> a = [] /\ b = [].
Proof. rewrite app_length. simpl. destruct a, b; simpl; try lia. auto. Qed.

Lemma serial_is_path_from c w d : serial_run N c w d -> snd d = [] ->
  match snd c with
  | [] => path (fst c) w (fst d)
  | [(q, l)] => exists r v l' h, w = (q, r) :: v /\ solo l (fst c) l' h /\ resp N l' r /\ path h v (fst d)
  | _ => True
  end.
Proof.
  induction 1 as [c|c o c1 w c2 H1 H2 Hm Hr IH]; intro Hd.
  - rewrite Hd. constructor.
  - specialize (IH Hd). inversion Hm as [g fs q l H|g a b q l m h H|g a b q l r H]; subst; simpl in *.
    + destruct fs as [|f fs]; simpl in *; [|destruct fs; simpl in *; auto; lia].
      destruct IH as (r & v & l' & h & -> & Hl & Hrr & Hp). econstructor; eauto. exists l, l'. auto.
    + destruct (lonely _ _ _ H1) as [-> ->]. simpl in *.
      destruct IH as (r & v & l' & k & -> & Hl & Hrr & Hp).
      exists r, v, l', k. repeat split; auto. econstructor; eauto.
    + destruct (lonely _ _ _ H1) as [-> ->]. simpl in *.
      exists r, w, l, g. repeat split; auto. constructor.
Qed.

Lemma serial_is_path g w h : serial_run N (g, []) w (h, []) -> path g w h.
Proof. intro H. apply (serial_is_path_from _ _ _ H eq_refl). Qed.

(** Proofs need one direction of this, refutations the other. *)
Theorem serializable_by_paths : serializable N <->
  forall w g, run N (init N, []) w (g, []) -> exists w' h, path (init N) w' h /\ Permutation w w'.
Proof.
  split; intros H w g Hr; destruct (H w g Hr) as (w' & h & Hp & HP); exists w', h; split;
    auto using path_is_serial, serial_is_path.
Qed.
End Serial.
