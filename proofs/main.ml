(* ser-kernel: reads claims, one a line, each a list of integers, and prints what the extracted check says of each.
   Exit code: 0 all accepted, 1 some refused, 2 some are no claims. `ser-kernel steps` executes atomic steps instead. *)
open Kernel

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))
let small n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))

(* Integers of any length; a machine word holds what has 18 characters. *)
let integer word =
  if String.length word <= 18 then small (int_of_string word)
  else
    let negative = word.[0] = '-' in
    let digits = if negative then String.sub word 1 (String.length word - 1) else word in
    let digit c = small (Char.code c - Char.code '0') in
    let value = Seq.fold_left (fun z c -> Z.add (Z.mul (small 10) z) (digit c)) Z0 (String.to_seq digits) in
    if negative then Z.sub Z0 value else value

let text line = String.split_on_char ' ' line |> List.filter (( <> ) "") |> List.rev_map integer |> List.rev

let say_verdict line =
  match judged (text line) with
  | Some (_, Serializable) -> print_endline "serializable"; 0
  | Some (_, NotSerializable) -> print_endline "not_serializable"; 0
  | Some (_, NeverFails) -> print_endline "never_fails"; 0
  | Some (_, Fails) -> print_endline "fails"; 0
  | Some (_, Refused) -> print_endline "refused"; 1
  | None -> print_endline "no claim"; 2

let rec magnitude = function XH -> 1 | XO p -> 2 * magnitude p | XI p -> 2 * magnitude p + 1
let shown = function Z0 -> "0" | Zpos p -> string_of_int (magnitude p) | Zneg p -> string_of_int (-magnitude p)

let say_steps line =
  match steps (text line) with
  | Some ends -> print_endline (String.concat ";" (List.map (fun e -> String.concat " " (List.map shown e)) ends)); 0
  | None -> print_endline "unknown"; 1

let rec each say worst =
  match input_line stdin with
  | line -> each say (max worst (say line))
  | exception End_of_file -> worst

let () = exit (each (if Array.length Sys.argv > 1 then say_steps else say_verdict) 0)
