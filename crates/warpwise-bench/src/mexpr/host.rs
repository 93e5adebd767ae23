//! The sequential host against OCaml's native compiler, with which the language was compiled before.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use warpwise_driver::Context;
use warpwise_driver::host::program::Mode;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::measure::Ratio;

use super::program::HostProgram;

/// A program in both languages with the same output. `SIZE` is replaced.
struct Case {
    name: &'static str,
    size: usize,
    ours: &'static str,
    ocaml: &'static str,
}

const CASES: [Case; 7] = [
    Case {
        name: "integer loop",
        size: 20_000_000,
        ours: "recursive let work = lam i. lam acc.
  if eqi i 0 then acc else work (subi i 1) (modi (addi (muli acc 31) i) 1000003)
end
mexpr print (int2string (work SIZE 1))",
        ocaml: "let rec work i acc = if i = 0 then acc else work (i - 1) ((acc * 31 + i) mod 1000003)
let () = print_string (string_of_int (work SIZE 1))",
    },
    Case {
        name: "float loop",
        size: 20_000_000,
        ours: "recursive let work = lam i. lam x. lam y.
  if eqi i 0 then addf x y else work (subi i 1) (addf (mulf 0.5 x) y) (subf (mulf 0.5 y) (mulf 0.25 x))
end
mexpr print (int2string (floorfi (mulf 1e6 (work SIZE 1.0 2.0))))",
        ocaml: "let rec work i x y =
  if i = 0 then x +. y else work (i - 1) (0.5 *. x +. y) (0.5 *. y -. 0.25 *. x)
let () = print_string (string_of_int (int_of_float (floor (1e6 *. work SIZE 1.0 2.0))))",
    },
    Case {
        name: "trees",
        size: 21,
        ours: "type Tree
con Leaf : Int -> Tree
con Node : (Tree, Tree) -> Tree
recursive let make = lam d. lam n.
  if eqi d 0 then Leaf n else Node (make (subi d 1) (muli 2 n), make (subi d 1) (addi (muli 2 n) 1))
end
recursive let sum = lam t. match t with Leaf n then n else match t with Node (a, b) in addi (sum a) (sum b) end
mexpr print (int2string (sum (make SIZE 1)))",
        ocaml: "type tree = Leaf of int | Node of tree * tree
let rec make d n = if d = 0 then Leaf n else Node (make (d - 1) (2 * n), make (d - 1) (2 * n + 1))
let rec sum = function Leaf n -> n | Node (a, b) -> sum a + sum b
let () = print_string (string_of_int (sum (make SIZE 1)))",
    },
    Case {
        name: "balanced map",
        size: 200_000,
        ours: "type Map
con Empty : () -> Map
con Node : (Int, Map, Int, Int, Map) -> Map
let height = lam m. match m with Node (h, _, _, _, _) then h else 0
let node = lam l. lam k. lam v. lam r.
  let a = height l in let b = height r in Node (addi 1 (if geqi a b then a else b), l, k, v, r)
let balance = lam l. lam k. lam v. lam r.
  let a = height l in let b = height r in
  if gti a (addi b 1) then
    match l with Node (_, ll, lk, lv, lr) in
    if geqi (height ll) (height lr) then node ll lk lv (node lr k v r)
    else match lr with Node (_, m, mk, mv, n) in node (node ll lk lv m) mk mv (node n k v r)
  else if gti b (addi a 1) then
    match r with Node (_, rl, rk, rv, rr) in
    if geqi (height rr) (height rl) then node (node l k v rl) rk rv rr
    else match rl with Node (_, m, mk, mv, n) in node (node l k v m) mk mv (node n rk rv rr)
  else node l k v r
recursive let insert = lam k. lam v. lam m.
  match m with Node (h, l, k2, v2, r) then
    if lti k k2 then balance (insert k v l) k2 v2 r
    else if gti k k2 then balance l k2 v2 (insert k v r)
    else Node (h, l, k, v, r)
  else Node (1, Empty (), k, v, Empty ())
end
recursive let find = lam k. lam m.
  match m with Node (_, l, k2, v, r) then
    if lti k k2 then find k l else if gti k k2 then find k r else v
  else 0
end
recursive let fill = lam i. lam x. lam m.
  if eqi i 0 then m else fill (subi i 1) (modi (addi (muli x 1103) 12345) 1000003) (insert x i m)
end
recursive let total = lam i. lam x. lam m. lam acc.
  if eqi i 0 then acc
  else total (subi i 1) (modi (addi (muli x 1103) 12345) 1000003) m (addi acc (find x m))
end
mexpr print (int2string (total (muli 2 SIZE) 1 (fill SIZE 1 (Empty ())) 0))",
        ocaml: "type map = Empty | Node of int * map * int * int * map
let height = function Empty -> 0 | Node (h, _, _, _, _) -> h
let node l k v r = let a = height l and b = height r in Node (1 + (if a >= b then a else b), l, k, v, r)
let balance l k v r =
  let a = height l and b = height r in
  if a > b + 1 then match l with
    | Node (_, ll, lk, lv, lr) when height ll >= height lr -> node ll lk lv (node lr k v r)
    | Node (_, ll, lk, lv, Node (_, m, mk, mv, n)) -> node (node ll lk lv m) mk mv (node n k v r)
    | _ -> assert false
  else if b > a + 1 then match r with
    | Node (_, rl, rk, rv, rr) when height rr >= height rl -> node (node l k v rl) rk rv rr
    | Node (_, Node (_, m, mk, mv, n), rk, rv, rr) -> node (node l k v m) mk mv (node n rk rv rr)
    | _ -> assert false
  else node l k v r
let rec insert k v = function
  | Empty -> Node (1, Empty, k, v, Empty)
  | Node (h, l, k2, v2, r) ->
    if k < k2 then balance (insert k v l) k2 v2 r
    else if k > k2 then balance l k2 v2 (insert k v r)
    else Node (h, l, k, v, r)
let rec find k = function
  | Empty -> 0
  | Node (_, l, k2, v, r) -> if k < k2 then find k l else if k > k2 then find k r else v
let rec fill i x m = if i = 0 then m else fill (i - 1) ((x * 1103 + 12345) mod 1000003) (insert x i m)
let rec total i x m acc =
  if i = 0 then acc else total (i - 1) ((x * 1103 + 12345) mod 1000003) m (acc + find x m)
let () = print_string (string_of_int (total (2 * SIZE) 1 (fill SIZE 1 Empty) 0))",
    },
    Case {
        name: "queens",
        size: 10,
        ours: "recursive let safe = lam q. lam d. lam qs.
  match qs with [x] ++ rest then
    if eqi x q then false else if eqi x (addi q d) then false else if eqi x (subi q d) then false
    else safe q (addi d 1) rest
  else true
end
recursive let place = lam n. lam row. lam qs. if eqi row n then 1 else columns n row qs 0 0
let columns = lam n. lam row. lam qs. lam q. lam acc.
  if eqi q n then acc
  else columns n row qs (addi q 1) (if safe q 1 qs then addi acc (place n (addi row 1) (cons q qs)) else acc)
end
mexpr print (int2string (place SIZE 0 []))",
        ocaml: "let rec safe q d = function
  | [] -> true
  | x :: rest -> x <> q && x <> q + d && x <> q - d && safe q (d + 1) rest
let rec place n row qs = if row = n then 1 else columns n row qs 0 0
and columns n row qs q acc =
  if q = n then acc
  else columns n row qs (q + 1) (if safe q 1 qs then acc + place n (row + 1) (q :: qs) else acc)
let () = print_string (string_of_int (place SIZE 0 []))",
    },
    Case {
        name: "text",
        size: 1_000_000,
        ours: "recursive let build = lam i. lam acc.
  if eqi i 0 then acc else build (subi i 1) (snoc (concat acc (int2string i)) ' ')
end
let hash = foldl (lam h. lam c. modi (addi (muli h 31) (char2int c)) 1000003) 7
mexpr print (int2string (hash (build SIZE \"\")))",
        ocaml: "let rec build i acc =
  if i = 0 then acc else (Buffer.add_string acc (string_of_int i); Buffer.add_char acc ' '; build (i - 1) acc)
let hash s = let h = ref 7 in String.iter (fun c -> h := (!h * 31 + Char.code c) mod 1000003) s; !h
let () = print_string (string_of_int (hash (Buffer.contents (build SIZE (Buffer.create 16)))))",
    },
    Case {
        name: "map and fold",
        size: 5_000_000,
        ours: "mexpr print (int2string
  (foldl (lam s. lam x. modi (addi s x) 1000003) 0 (map (lam x. muli x x) (create SIZE (lam i. addi i 7)))))",
        ocaml: "let () = print_string (string_of_int (Array.fold_left (fun s x -> (s + x) mod 1000003) 0
  (Array.map (fun x -> x * x) (Array.init SIZE (fun i -> i + 7)))))",
    },
];

/// The figures of a program.
#[derive(serde::Serialize)]
pub struct Figures {
    /// Name of the program.
    pub name: String,
    /// Seconds on Warpwise's host.
    pub time: f64,
    /// Ratio of that time to OCaml's.
    pub over_ocaml: Ratio,
}

/// Measures all programs; returns none if there is no OCaml.
pub fn figures(rounds: usize, share: f64) -> Result<Vec<Figures>, String> {
    if Command::new("ocamlopt").arg("-version").output().is_err() {
        return Ok(Vec::new());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    CASES.iter().map(|case| figures_of(case, folder.path(), rounds, share)).collect()
}

fn figures_of(case: &Case, folder: &Path, rounds: usize, share: f64) -> Result<Figures, String> {
    // The size of a tree is its depth.
    let size = match case.size {
        depth @ 0..100 => (depth as f64 + share.log2()) as usize,
        size => (size as f64 * share) as usize,
    };
    let with_size = |text: &str| text.replace("SIZE", &size.max(4).to_string());
    let ours = folder.join("program.mc");
    let written = |path: &Path, text: String| std::fs::write(path, text).map_err(|error| error.to_string());
    written(&ours, format!("include \"string.mc\"\n{}\n", with_size(case.ours)))?;
    written(&folder.join("program.ml"), with_size(case.ocaml))?;
    // Without the flambda middle end, `-O3` is accepted and has no effect.
    let compiled =
        Command::new("ocamlopt").args(["-O3", "-o", "program", "program.ml"]).current_dir(folder).output();
    let compiled = compiled.map_err(|error| error.to_string())?;
    if !compiled.status.success() {
        return Err(format!("{}: {}", case.name, String::from_utf8_lossy(&compiled.stderr)));
    }
    let context = Context::with(ThreadPool::new(1), MemoryPool::with_default_limit());
    let mut program = HostProgram::new(&ours, &context, Mode::Sequential)?;
    let (mut times, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, printed) = program.run(&[])?;
        let start = Instant::now();
        let theirs = Command::new(folder.join("program")).output().map_err(|error| error.to_string())?;
        let their_time = start.elapsed();
        if theirs.stdout != printed.as_bytes() {
            return Err(format!(
                "{}: {printed} against {}",
                case.name,
                String::from_utf8_lossy(&theirs.stdout)
            ));
        }
        ratios.push(time.as_secs_f64() / their_time.as_secs_f64());
        times.push(time.as_secs_f64());
    }
    Ok(Figures { name: case.name.to_string(), time: Ratio::of(times).median, over_ocaml: Ratio::of(ratios) })
}
