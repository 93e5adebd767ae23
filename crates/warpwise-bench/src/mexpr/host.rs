//! The sequential host against OCaml's native compiler, which is what the language was compiled with before.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use warpwise_driver::host_files::check_host;

use crate::measure::Ratio;

use super::program::in_order;

/// A program in both languages; each prints the same. `SIZE` is replaced.
struct Case {
    name: &'static str,
    size: usize,
    ours: &'static str,
    ocaml: &'static str,
}

const CASES: [Case; 3] = [
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
];

/// The figures of a program.
#[derive(serde::Serialize)]
pub struct Figures {
    /// What it does.
    pub name: String,
    /// Seconds on our host.
    pub time: f64,
    /// How many times as long as OCaml's.
    pub over_ocaml: Ratio,
}

/// Measures all programs; none where there is no OCaml.
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
    // Without its other middle end, `-O3` is accepted and does nothing.
    let compiled =
        Command::new("ocamlopt").args(["-O3", "-o", "program", "program.ml"]).current_dir(folder).output();
    let compiled = compiled.map_err(|error| error.to_string())?;
    if !compiled.status.success() {
        return Err(format!("{}: {}", case.name, String::from_utf8_lossy(&compiled.stderr)));
    }
    let (checked, _) = check_host(&ours, None).map_err(|error| error.to_string())?;
    let (mut times, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, printed) = in_order(&checked, &[])?;
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
