(* ser-kernel: reads the integers of a claim from standard input and prints what the extracted check says.
   Exit code: 0 accepted, 1 refused, 2 not a claim. *)
open Kernel

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))
let small n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))
let digit c = small (Char.code c - Char.code '0')

(* Of any length; [int_of_string] reads what fits into a machine word. *)
let integer word =
  if String.length word <= 18 then small (int_of_string word)
  else
    let negative = word.[0] = '-' in
    let digits = if negative then String.sub word 1 (String.length word - 1) else word in
    let value = Seq.fold_left (fun z c -> Z.add (Z.mul (small 10) z) (digit c)) Z0 (String.to_seq digits) in
    if negative then Z.sub Z0 value else value

let rec words before = match Scanf.scanf " %s" Fun.id with "" -> List.rev before | word -> words (integer word :: before)

let () =
  match judged (words []) with
  | Some (_, Serializable) -> print_endline "serializable"
  | Some (_, NotSerializable) -> print_endline "not_serializable"
  | Some (_, Refused) -> print_endline "refused"; exit 1
  | None -> print_endline "no claim"; exit 2
