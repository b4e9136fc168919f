(** * Executable systems: lists of successors instead of relations

    [succ] may give up ([None]); whatever depends on it is then refused. *)
From Coq Require Import List Bool Permutation.
From Seriatim Require Import Semantics Lists Serial Prompt.
Import ListNotations.

Record exec {G L Q R} (N : ns G L Q R) := {
  eqG : G -> G -> bool; eqG_ok : decides eqG;
  eqL : L -> L -> bool; eqL_ok : decides eqL;
  eqQ : Q -> Q -> bool; eqQ_ok : decides eqQ;
  eqR : R -> R -> bool; eqR_ok : decides eqR;
  fresh_list : list (Q * L);
  fresh_ok : forall q l, fresh N q l <-> In (q, l) fresh_list;
  succ : L -> G -> option (list (L * G));
  succ_ok : forall l g xs, succ l g = Some xs -> forall m h, step N l g m h <-> In (m, h) xs;
  answers : L -> list R;
  answers_ok : forall l r, resp N l r <-> In r (answers l);
  stays : L -> Prop;                  (** where requests may stay in flight *)
  stays_ok : stays_to_move N stays;
  final : L -> bool;
  final_ok : forall l, final l = true -> ~ stays l
}.
Arguments eqG {G L Q R N}. Arguments eqL {G L Q R N}. Arguments eqQ {G L Q R N}. Arguments eqR {G L Q R N}.
Arguments fresh_list {G L Q R N}. Arguments succ {G L Q R N}. Arguments answers {G L Q R N}.
Arguments final {G L Q R N}. Arguments stays {G L Q R N}.

Section Exec.
Context {G L Q R : Type} {N : ns G L Q R} (X : exec N).
Notation flight := (Q * L)%type.
Notation answer := (Q * R)%type.

Definition eqS : L * G -> L * G -> bool := eqb_pair (eqL X) (eqG X).
Lemma eqS_ok : decides eqS. Proof. apply pair_decides; [apply eqL_ok|apply eqG_ok]. Qed.
Definition eqF : flight -> flight -> bool := eqb_pair (eqQ X) (eqL X).
Lemma eqF_ok : decides eqF. Proof. apply pair_decides; [apply eqQ_ok|apply eqL_ok]. Qed.
Definition eqA : answer -> answer -> bool := eqb_pair (eqQ X) (eqR X).
Lemma eqA_ok : decides eqA. Proof. apply pair_decides; [apply eqQ_ok|apply eqR_ok]. Qed.
Definition eqT : flight + answer -> flight + answer -> bool := eqb_sum eqF eqA.
Lemma eqT_ok : decides eqT. Proof. apply sum_decides; [apply eqF_ok|apply eqA_ok]. Qed.

(** ** A request alone: all that it can come to *)

Fixpoint close (fuel : nat) (todo seen : list (L * G)) : option (list (L * G)) :=
  match todo with
  | [] => Some seen
  | s :: rest =>
    match fuel with
    | O => None
    | S n =>
      if mem eqS s seen then close n rest seen
      else match succ X (fst s) (snd s) with
           | None => None
           | Some xs => close n (xs ++ rest) (s :: seen)
           end
    end
  end.

Lemma close_nil n seen res : close n [] seen = Some res -> res = seen.
Proof. destruct n; simpl; congruence. Qed.

Lemma close_sound (P : L * G -> Prop) : (forall l g m h, P (l, g) -> step N l g m h -> P (m, h)) ->
  forall n todo seen res, Forall P todo -> Forall P seen -> close n todo seen = Some res -> Forall P res.
Proof.
  intros HP n. induction n as [|n IH]; intros [|[l g] t] seen res Ht Hs H;
    try (apply close_nil in H; subst; assumption); simpl in H; [discriminate|].
  inversion Ht as [|? ? Hl Ht']; subst. destruct (mem eqS (l, g) seen).
  - apply (IH t seen); auto.
  - destruct (succ X l g) as [xs|] eqn:E; [|discriminate].
    apply (IH (xs ++ t) ((l, g) :: seen)); auto. apply Forall_app. split; auto.
    apply Forall_forall. intros [m h] Hi. apply (succ_ok N X l g xs E) in Hi. eauto.
Qed.

Lemma close_complete n : forall todo seen res,
  (forall l g m h, In (l, g) seen -> step N l g m h -> In (m, h) seen \/ In (m, h) todo) ->
  close n todo seen = Some res ->
  incl seen res /\ incl todo res /\ forall l g m h, In (l, g) res -> step N l g m h -> In (m, h) res.
Proof.
  assert (nothing_left : forall n seen res,
    (forall l g m h, In (l, g) seen -> step N l g m h -> In (m, h) seen \/ In (m, h) []) ->
    close n [] seen = Some res ->
    incl seen res /\ incl [] res /\ forall l g m h, In (l, g) res -> step N l g m h -> In (m, h) res).
  { intros k seen res Hinv H. apply close_nil in H. subst.
    repeat split; auto using incl_refl; [intros ? []|].
    intros l g m h Hi Hs. destruct (Hinv _ _ _ _ Hi Hs) as [?|[]]; auto. }
  induction n as [|n IH]; intros [|[l g] t] seen res Hinv H; eauto; simpl in H; [discriminate|].
  destruct (mem eqS (l, g) seen) eqn:M.
  - apply (mem_in _ eqS_ok) in M. destruct (IH t seen res) as (H1 & H2 & H3); auto.
    + intros l' g' m h Hi Hs. destruct (Hinv _ _ _ _ Hi Hs) as [?|[E|?]]; auto. left. now rewrite <- E.
    + repeat split; auto. intros x [<-|Hx]; auto.
  - destruct (succ X l g) as [xs|] eqn:E; [|discriminate].
    destruct (IH (xs ++ t) ((l, g) :: seen) res) as (H1 & H2 & H3); auto.
    + intros l' g' m h [Eq|Hi] Hs.
      * injection Eq as <- <-. right. apply in_or_app. left. now apply (succ_ok N X l g xs E).
      * destruct (Hinv _ _ _ _ Hi Hs) as [?|[Eq|?]];
          [left; right; auto|left; left; auto|right; apply in_or_app; auto].
    + repeat split; auto; intros x Hx.
      * apply H1. right. exact Hx.
      * destruct Hx as [<-|Hx]; [apply H1; left; auto|apply H2; apply in_or_app; auto].
Qed.

Definition starts (q : Q) (g : G) : list (L * G) :=
  flat_map (fun f => if eqQ X q (fst f) then [(snd f, g)] else []) (fresh_list X).

Lemma starts_in q g l h : In (l, h) (starts q g) <-> fresh N q l /\ h = g.
Proof.
  unfold starts. rewrite in_flat_map, (fresh_ok N X). split.
  - intros ([q' l'] & Hi & H). simpl in H. destruct (eqQ X q q') eqn:E; [|destruct H].
    apply (eqQ_ok N X) in E. destruct H as [H|[]]. injection H as <- <-. subst. auto.
  - intros [H ->]. exists (q, l). split; auto. simpl. rewrite (decides_refl _ (eqQ_ok N X)). simpl. auto.
Qed.

(** All (response, global state) with which a request that runs alone from g can end. *)
Definition alone (fuel : nat) (q : Q) (g : G) : option (list (R * G)) :=
  match close fuel (starts q g) [] with
  | None => None
  | Some res => Some (flat_map (fun s => map (fun r => (r, snd s)) (answers X (fst s))) res)
  end.

Lemma solo_snoc l g m h k j : solo N l g m h -> step N m h k j -> solo N l g k j.
Proof. induction 1; intro Hs; econstructor; eauto. constructor. Qed.

Theorem alone_ok fuel q g es : alone fuel q g = Some es -> forall r h, In (r, h) es <-> edge N g (q, r) h.
Proof.
  unfold alone. destruct (close fuel (starts q g) []) as [res|] eqn:E; [|discriminate].
  intros [= <-] r h. rewrite in_flat_map. split.
  - intros ([l k] & Hi & H). apply in_map_iff in H as (r' & Eq & Hr). simpl in *. injection Eq as -> ->.
    pose (P := fun s : L * G => exists l0, fresh N q l0 /\ solo N l0 g (fst s) (snd s)).
    assert (F : Forall P res).
    { apply (fun steps todo => close_sound P steps fuel (starts q g) [] res todo (Forall_nil P) E).
      - intros l1 g1 m1 h1 (l0 & Hf & Hl) Hs. exists l0. split; auto. apply (solo_snoc _ _ _ _ _ _ Hl Hs).
      - apply Forall_forall. intros [l1 g1] Hx. apply starts_in in Hx as [Hf ->]. exists l1. split; auto.
        constructor. }
    rewrite Forall_forall in F. destruct (F _ Hi) as (l0 & Hf & Hl).
    exists l0, l. repeat split; auto. now apply (answers_ok N X).
  - intros (l0 & l & Hf & Hl & Hr). simpl in *.
    destruct (close_complete fuel (starts q g) [] res) as (_ & H2 & H3); [intros ? ? ? ? []|exact E|].
    assert (H0 : In (l0, g) res) by (apply H2; apply starts_in; auto).
    exists (l, h). split.
    + clear - Hl H0 H3. induction Hl; eauto.
    + apply in_map_iff. exists r. split; auto. now apply (answers_ok N X).
Qed.

(** A table of such lists, for the requests and global states that a certificate names. *)
Definition serial_table (fuel : nat) (wanted : list (Q * G)) : list (Q * G * option (list (R * G))) :=
  map (fun qg => (qg, alone fuel (fst qg) (snd qg))) wanted.
Definition eqQG : Q * G -> Q * G -> bool := eqb_pair (eqQ X) (eqG X).
Definition serial_ends (table : list (Q * G * option (list (R * G)))) (q : Q) (g : G) : option (list (R * G)) :=
  match lookup eqQG (q, g) table with Some (Some es) => Some es | _ => None end.

Lemma serial_ends_ok fuel wanted q g es : serial_ends (serial_table fuel wanted) q g = Some es ->
  forall r h, In (r, h) es <-> edge N g (q, r) h.
Proof.
  unfold serial_ends. destruct (lookup eqQG (q, g) _) as [[es'|]|] eqn:E; try discriminate. intros [= ->].
  apply lookup_in in E; [|apply pair_decides; [apply eqQ_ok|apply eqG_ok]].
  apply in_map_iff in E as ([q' g'] & Eq & _). injection Eq as -> -> Ha. now apply (alone_ok fuel).
Qed.

(** ** Prompt steps *)

(** Where a request of this name that comes to ℓ may be taken to be: in flight there, or gone with an answer. *)
Definition arrivals (q : Q) (l : L) : list (flight + answer) :=
  (if final X l then [] else [inl (q, l)]) ++ map (fun r => inr (q, r)) (answers X l).
Definition ways_on (q : Q) (l : L) (g : G) : option (list ((flight + answer) * G)) :=
  match succ X l g with
  | None => None
  | Some xs => Some (flat_map (fun mh => map (fun t => (t, snd mh)) (arrivals q (fst mh))) xs)
  end.
(** Steps that change nothing. *)
Definition skips (l : L) (g : G) (m : L) (h : G) : bool := if eqL X l m then eqG X g h else false.
Lemma skips_ok : skips_nothing N skips.
Proof.
  intros q l g m h Hf H. apply if_and in H as [H1 H2].
  apply (eqL_ok N X) in H1. apply (eqG_ok N X) in H2. subst. auto.
Qed.
Definition changes (l : L) (g : G) (th : (flight + answer) * G) : bool :=
  match fst th with inl f => negb (skips l g (snd f) (snd th)) | inr _ => true end.
Fixpoint first_ways (fs : list flight) (g : G) : option (list ((flight + answer) * G)) :=
  match fs with
  | [] => Some []
  | (q, l) :: rest =>
    match ways_on q l g, first_ways rest g with
    | Some xs, Some ys => Some (map (fun r => (inr (q, r), g)) (answers X l) ++ filter (changes l g) xs ++ ys)
    | _, _ => None
    end
  end.
Definition ways (f : option flight) (g : G) : option (list ((flight + answer) * G)) :=
  match f with Some (q, l) => ways_on q l g | None => first_ways (fresh_list X) g end.

Lemma ways_on_step q l g xs m h :
  ways_on q l g = Some xs -> step N l g m h -> stays X m -> In (inl (q, m), h) xs.
Proof.
  unfold ways_on. destruct (succ X l g) as [ys|] eqn:E; [|discriminate]. intros [= <-] Hs Hm.
  apply in_flat_map. exists (m, h). split; [now apply (succ_ok N X l g ys E)|].
  apply in_map_iff. exists (inl (q, m)). split; auto. apply in_or_app. left. simpl.
  destruct (final X m) eqn:F; [|left; auto]. now apply (final_ok N X) in F.
Qed.
Lemma ways_on_answer q l g xs m h r :
  ways_on q l g = Some xs -> step N l g m h -> resp N m r -> In (inr (q, r), h) xs.
Proof.
  unfold ways_on. destruct (succ X l g) as [ys|] eqn:E; [|discriminate]. intros [= <-] Hs Hr.
  apply in_flat_map. exists (m, h). split; [now apply (succ_ok N X l g ys E)|].
  apply in_map_iff. exists (inr (q, r)). split; auto. apply in_or_app. right.
  apply in_map_iff. exists r. split; auto. now apply (answers_ok N X).
Qed.
Lemma first_ways_in fs g xs : first_ways fs g = Some xs -> forall q l, In (q, l) fs ->
  exists ys, ways_on q l g = Some ys /\ incl (filter (changes l g) ys) xs /\ forall r, resp N l r ->
    In (inr (q, r), g) xs.
Proof.
  revert xs. induction fs as [|[q' l'] fs IH]; simpl; intros xs H q l Hi; [destruct Hi|].
  destruct (ways_on q' l' g) as [ys|] eqn:E; [|discriminate].
  destruct (first_ways fs g) as [zs|]; [|discriminate]. injection H as <-. destruct Hi as [Eq|Hi].
  - injection Eq as -> ->. exists ys. repeat split; auto.
    + intros x Hx. apply in_or_app. right. apply in_or_app. auto.
    + intros r Hr. apply in_or_app. left. apply in_map_iff. exists r. split; auto. now apply (answers_ok N X).
  - destruct (IH zs eq_refl q l Hi) as (ys' & E' & Hincl & Hr). exists ys'. repeat split; auto.
    + intros x Hx. apply in_or_app. right. apply in_or_app. right. auto.
    + intros r Hres. apply in_or_app. right. apply in_or_app. right. auto.
Qed.

Lemma ways_complete f g t h xs : ways f g = Some xs -> prompt_step N skips (stays X) f g t h -> In (t, h) xs.
Proof.
  intros E Hs.
  inversion Hs as [q l g' m h' Hf Hst Hsk Hm|q l g' m h' r Hf Hst Hr|q l g' r Hf Hr|q l g' m h' Hst Hm|q l g' m h' r Hst Hr];
    subst; simpl in E; try (apply (fresh_ok N X) in Hf;
      destruct (first_ways_in _ _ _ E _ _ Hf) as (ys & E' & Hi & Hr')).
  - apply Hi. apply filter_In. split; [now apply (ways_on_step _ _ _ _ _ _ E' Hst)|]. unfold changes. simpl.
    now rewrite Hsk.
  - apply Hi. apply filter_In. split; [now apply (ways_on_answer _ _ _ _ _ _ _ E' Hst)|reflexivity].
  - auto.
  - now apply (ways_on_step _ _ _ _ _ _ E Hst).
  - now apply (ways_on_answer _ _ _ _ _ _ _ E Hst).
Qed.
End Exec.

(** The same system, in which requests may stay in flight anywhere: for runs that need not be complete. *)
Definition exec_all {G L Q R} {N : ns G L Q R} (X : exec N) : exec N := {|
  eqG := eqG X; eqG_ok := eqG_ok N X; eqL := eqL X; eqL_ok := eqL_ok N X;
  eqQ := eqQ X; eqQ_ok := eqQ_ok N X; eqR := eqR X; eqR_ok := eqR_ok N X;
  fresh_list := fresh_list X; fresh_ok := fresh_ok N X; succ := succ X; succ_ok := succ_ok N X;
  answers := answers X; answers_ok := answers_ok N X;
  stays := fun _ => True; stays_ok := fun _ _ _ _ _ => I;
  final := fun _ => false; final_ok := fun _ F => False_ind _ (diff_false_true F)
|}.
