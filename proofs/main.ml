(* ser-kernel: reads claims, one a line, each a list of integers, and prints what the extracted check says of each;
   `ser-kernel statement` prints what that means of the input that was read, as [true_of] in Kernel.v defines it.
   Exit code: 0 all accepted, 1 some refused, 2 some are no claims. `ser-kernel steps` executes atomic steps instead. *)
open Kernel

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))
let small n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))

(* Integers of any length; a machine word holds what has 18 characters. Anything but digits is a failure. *)
let integer word =
  let negative = word.[0] = '-' in
  let digits = if negative then String.sub word 1 (String.length word - 1) else word in
  let digit c = if '0' <= c && c <= '9' then small (Char.code c - Char.code '0') else failwith word in
  if digits = "" then failwith word;
  String.iter (fun c -> ignore (digit c)) digits;
  if String.length word <= 18 then small (int_of_string word)
  else
    let value = Seq.fold_left (fun z c -> Z.add (Z.mul (small 10) z) (digit c)) Z0 (String.to_seq digits) in
    if negative then Z.sub Z0 value else value

let text line = String.split_on_char ' ' line |> List.filter (( <> ) "") |> List.rev_map integer |> List.rev

let rec nat = function O -> 0 | S n -> 1 + nat n
let asked = function
  | InputSystem _ -> "serializable (system_ns s)"
  | InputProgram _ -> "serializable (program_ns p)"
  | SeenSystem _ -> "serializable_seen (system_ns s) (fun g => g)"
  | SeenProgram (_, xs) ->
    let places = String.concat "; " (List.map (fun x -> string_of_int (nat x)) xs) in
    "serializable_seen (program_ns p) (values_of [" ^ places ^ "])"
  | TimedSystem (_, k) -> "strictly_serializable " ^ string_of_int (nat k) ^ " (system_ns s)"
  | TimedProgram (_, k) -> "strictly_serializable " ^ string_of_int (nat k) ^ " (program_ns p)"

let say of_verdict line =
  match (try judged (text line) with Failure _ -> None) with
  | Some (_, Refused) -> print_endline "refused"; 1
  | Some (input, verdict) -> print_endline (of_verdict input verdict); 0
  | None -> print_endline "no claim"; 2

let word _ = function
  | Serializable -> "serializable"
  | NotSerializable -> "not_serializable"
  | NeverFails -> "never_fails"
  | Fails -> "fails"
  | Refused -> "refused"
let statement input = function
  | Serializable -> asked input
  | NotSerializable -> "~ " ^ asked input
  | NeverFails -> "never_fails p"
  | Fails -> "~ never_fails p"
  | Refused -> "True"

let rec magnitude = function XH -> 1 | XO p -> 2 * magnitude p | XI p -> 2 * magnitude p + 1
let shown = function Z0 -> "0" | Zpos p -> string_of_int (magnitude p) | Zneg p -> string_of_int (-magnitude p)

let say_steps line =
  match (try steps (text line) with Failure _ -> None) with
  | Some ends -> print_endline (String.concat ";" (List.map (fun e -> String.concat " " (List.map shown e)) ends)); 0
  | None -> print_endline "unknown"; 1

let rec each say worst =
  match input_line stdin with
  | line -> each say (max worst (say line))
  | exception End_of_file -> worst

let () =
  match Sys.argv with
  | [| _ |] -> exit (each (say word) 0)
  | [| _; "statement" |] -> exit (each (say statement) 0)
  | [| _; "steps" |] -> exit (each say_steps 0)
  | _ -> prerr_endline "usage: ser-kernel [statement | steps]"; exit 2
