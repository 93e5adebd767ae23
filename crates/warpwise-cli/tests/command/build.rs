//! Built programs: they behave like `warpwise run`, without the compiler.

use crate::common::{Folder, Ran, binary};

const PROGRAM: &str = "-- Sums, and what goes wrong.
entry main [n] (xs: [n]i32) (y: i32) : i32 = i32.sum xs + y
entry both (x: i32) (y: f64) : (f64, i32) = (y, x)
entry none : i32 = 42
entry inc [n] (xs: *[n]i64) : *[n]i64 = map (+ 1) xs
entry at [n] (xs: [n]f32) (i: i64) : f32 = xs[i]
entry halves [n] (xs: [n]f16) : [n]f16 = map (/ 2) xs
entry waves [n] (xs: [n]f64) : [n]f64 = map (\\x -> f64.sin x + f64.sinpi x) xs
entry same [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys
entry huge (n: i64) : i64 = i64.sum (scan (+) 0 (iota n))
";

/// Returns a folder with the program, built.
fn built(words: &[&str]) -> Folder {
    let folder = Folder::with(PROGRAM);
    let words: Vec<&str> = ["build", "p.fut"].iter().chain(words).copied().collect();
    assert_eq!(folder.run(&words).succeeds(), "");
    folder
}

fn text(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.output).into_owned()
}

/// Entry points and inputs for which built programs and `warpwise run` must have the same output and messages.
const CASES: &[(&str, &str)] = &[
    ("main", "[1, 2, 3] 10"),
    ("main", "empty([0]i32) -5"),
    ("main", "[1i32]\n-- a comment\n2i32"),
    ("both", "-3 0.5"),
    ("none", ""),
    ("inc", "[1, 2]"),
    ("inc", "empty([0]i64)"),
    ("at", "[1.5, 2.5] 1"),
    ("halves", "[1, 0.5, f16.inf]"),
    ("waves", "[0.25, 1.5, -2.75, 1e10, 4, 5, 6, 7, 8]"),
    ("at", "[1.5, 2.5] 2"),
    ("at", "empty([0]f32) 0"),
    ("same", "[1, 2] [1, 2, 3]"),
    ("main", "[1, 2"),
    ("main", "[1, 2] 3.5"),
    ("main", "[1] 2 3"),
    ("main", ""),
    ("other", "1"),
    ("huge", "1000000000000000"),
];

#[test]
fn executables_do_what_run_does() {
    let folder = built(&[]);
    for (entry, input) in CASES {
        let ran = folder.run_with(&["run", "p.fut", "-e", entry], input.as_bytes());
        let executed = folder.execute("p", &["-e", entry], input.as_bytes());
        assert_eq!(text(&executed), text(&ran), "{entry} {input}");
        assert_eq!(executed.code, ran.code, "{entry} {input}: {}", executed.errors);
        // The amounts of used and held memory depend on more than the program.
        let words = |ran: &Ran| ran.errors.split(" with ").next().unwrap_or_default().to_string();
        assert_eq!(words(&executed), words(&ran), "{entry} {input}");
    }
}

#[test]
fn portable_executables_compute_the_same() {
    let folder = built(&["--portable", "-o", "anywhere"]);
    for (entry, input) in CASES.iter().filter(|(entry, _)| *entry != "huge") {
        let ran = folder.run_with(&["run", "p.fut", "-e", entry], input.as_bytes());
        let executed = folder.execute("anywhere", &["-e", entry], input.as_bytes());
        assert_eq!((text(&executed), executed.code), (text(&ran), ran.code), "{entry} {input}");
    }
}

#[test]
fn executables_have_the_options_of_others() {
    let folder = built(&[]);
    let binary_input =
        [binary("i32", &[2], &[1, 0, 0, 0, 2, 0, 0, 0]), binary("i32", &[], &[3, 0, 0, 0])].concat();
    assert_eq!(folder.execute("p", &[], &binary_input).succeeds(), "6i32\n");
    let ran = folder.execute("p", &["-b"], b"[1, 2] 3");
    assert_eq!(ran.output, binary("i32", &[], &[6, 0, 0, 0]));
    assert_eq!(folder.execute("p", &["-n"], b"[1, 2] 3").succeeds(), "");
    folder
        .execute("p", &["-t", "times", "-r", "4", "--entry-point=inc", "--num-threads", "1"], b"[1]")
        .succeeds();
    let times = std::fs::read_to_string(folder.path("times")).unwrap();
    assert_eq!(times.lines().filter(|line| line.parse::<u64>().is_ok()).count(), 4, "{times}");
    assert_eq!(
        folder.execute("p", &["-r3", "-einc"], b"[1, 2]").succeeds(),
        "[2i64, 3i64]\n",
        "consumed once a run"
    );
    assert!(folder.execute("p", &["--help"], b"").succeeds().contains("--write-runtime-to FILE"));
    let logged = folder.execute("p", &["-D"], b"[1, 2] 3");
    assert!(logged.errors.contains("run 0: "), "{}", logged.errors);
    assert_eq!(folder.execute("p", &["--print-params"], b"").succeeds(), "");
    folder.execute("p", &["-x"], b"").fails(1, &["there is no option `-x`"]);
    folder.execute("p", &["3"], b"").fails(1, &["`3` is no option"]);
    folder.execute("p", &["--param", "a=1"], b"").fails(1, &["there is no parameter `a`"]);
    folder.execute("p", &["-t", "no/such/folder"], b"[1] 1").fails(1, &["no/such/folder: cannot write"]);
}

#[test]
fn servers_answer() {
    let folder = built(&["--server", "-o", "server"]);
    folder.write("xs", "[1i32, 2i32, 3i32]");
    let commands = "entry_points\n\
        inputs inc\n\
        output both\n\
        restore xs xs []i32\n\
        new_array ys []i32 2 \n\
        type xs\n\
        shape xs\n\
        index x xs 2\n\
        call main sum xs x\n\
        store \"a file\" sum xs\n\
        call both pair x x\n\
        index far xs 3\n\
        free xs\n\
        type xs\n\
        nonsense\n\
        kind \"(f64, i32)\"\n\
        fields \"(f64, i32)\"\n";
    let answer = folder.execute("server", &[], commands.as_bytes()).succeeds();
    let answer: Vec<&str> = answer.lines().filter(|line| !line.starts_with("runtime: ")).collect();
    let expected = "%%% OK
main
both
none
inc
at
halves
waves
same
huge
%%% OK
*[]i64
%%% OK
(f64, i32)
%%% OK
%%% OK
%%% FAILURE
the number of elements does not fit the sizes
%%% OK
[]i32
%%% OK
3
%%% OK
%%% OK
%%% OK
%%% OK
%%% FAILURE
Wrong input type.  Expected f64, got i32.
%%% OK
%%% FAILURE
Index out of bounds.
%%% OK
%%% OK
%%% FAILURE
Unknown variable: xs
%%% OK
%%% FAILURE
Unknown command, or wrong number of arguments: nonsense
%%% OK
record
%%% OK
0 f64
1 i32
%%% OK";
    assert_eq!(answer.join("\n"), expected);
    let stored = std::fs::read(folder.path("a file")).unwrap();
    let array = binary("i32", &[3], &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(stored, [binary("i32", &[], &[9, 0, 0, 0]), array].concat());
}

#[test]
fn what_is_stored_is_in_the_file_that_the_client_has_open() {
    let folder = built(&["--server", "-o", "server"]);
    folder.write("xs", "[1i32, 2i32, 3i32]");
    folder.write("stored", "longer than what is written");
    let mut stored = std::fs::File::open(folder.path("stored")).unwrap();
    folder.execute("server", &[], b"restore xs xs []i32\nstore stored xs\n").succeeds();
    let mut found = Vec::new();
    std::io::Read::read_to_end(&mut stored, &mut found).unwrap();
    let bytes: Vec<u8> = [1i32, 2, 3].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(found, binary("i32", &[3], &bytes));
}

#[test]
fn what_is_consumed_is_gone() {
    let folder = built(&[]);
    folder.write("xs", "[1i64, 2i64]");
    let commands = "restore xs xs []i64\ncall inc ys xs\nindex y ys 1\nstore out y\nindex x xs 0\nfree xs\n";
    let answer = folder.execute("p", &["--server"], commands.as_bytes()).succeeds();
    assert!(answer.contains("%%% FAILURE\nthe value was consumed by a call of `inc`\n"), "{answer}");
    assert_eq!(answer.matches("%%% FAILURE").count(), 1, "{answer}");
    assert_eq!(std::fs::read(folder.path("out")).unwrap(), binary("i64", &[], &3_i64.to_le_bytes()));
}

#[test]
fn refused_calls_consume_nothing() {
    let program = "entry both [n] (xs: *[n]i64) (ys: [n]i64) : [n]i64 = map2 (+) xs ys";
    let folder = Folder::with(program);
    folder.run(&["build", "p.fut", "--server"]).succeeds();
    folder.write("values", "[1i64, 2i64] [5i64]");
    let commands = "restore values xs []i64 ys []i64\n\
        call both a xs xs\n\
        call both a xs ys\n\
        call both a xs zs\n\
        index x xs 0\n\
        store first x\n";
    let answer = folder.execute("p", &[], commands.as_bytes()).succeeds();
    let failures: Vec<&str> = answer.lines().filter(|line| !line.starts_with("%%%")).collect();
    let expected = [
        "argument 2 (`ys`) is also argument 1 (`xs`): what is consumed can be given once",
        "argument 2 (`ys`): dimension 0 has size 1, but 2 is expected, as dimension 0 of argument 1 (`xs`) has",
        "Unknown variable: zs",
    ];
    assert_eq!(failures, expected);
    assert_eq!(std::fs::read(folder.path("first")).unwrap(), binary("i64", &[], &1_i64.to_le_bytes()));
}

#[test]
fn lines_that_are_no_text_are_errors_of_their_own() {
    let folder = built(&["--server"]);
    let mut commands = b"kind i32\nkind \xff\xfe\nkind ".to_vec();
    commands.resize(commands.len() + (65 << 20), b'x');
    commands.extend(b"\nkind i64\n");
    let answer = folder.execute("p", &[], &commands).succeeds();
    let expected = format!(
        "%%% OK\nprimitive\n%%% OK\n%%% FAILURE\nThe line is not UTF-8: byte 6 is wrong.\n%%% OK\n\
         %%% FAILURE\nThe line is longer than {} bytes.\n%%% OK\nprimitive\n%%% OK\n",
        64 << 20
    );
    assert_eq!(answer, expected);
}

#[test]
fn older_clients_name_a_variable_for_each_part() {
    let folder = built(&["--server"]);
    folder.write("xs", "1i32 2f64");
    let commands = "outputs both\nrestore xs x i32 y f64\ncall both a b x y\nstore out a b\n";
    let answer = folder.execute("p", &[], commands.as_bytes()).succeeds();
    assert!(answer.starts_with("%%% OK\nf64\ni32\n%%% OK\n"), "{answer}");
    let expected = [binary("f64", &[], &2_f64.to_le_bytes()), binary("i32", &[], &[1, 0, 0, 0])].concat();
    assert_eq!(std::fs::read(folder.path("out")).unwrap(), expected);
}

#[test]
fn what_cannot_be_built_is_said() {
    let folder = Folder::with("entry main (x: i32) = x + true");
    folder.run(&["build", "p.fut"]).fails(2, &["p.fut:1:"]);
    folder.run(&["build", "nothing.fut"]).fails(1, &["nothing.fut"]);
    folder.write("q.fut", PROGRAM);
    folder.run(&["build", "q.fut", "-o", "no/such/folder"]).fails(1, &["no/such/folder: cannot write"]);
    folder.run(&["build", "q.fut", "--device", "opencl"]).fails(1, &["q.fut:2:7", "run on the processor"]);
}

#[test]
fn building_runs_no_tool_of_the_system() {
    let folder = Folder::with(PROGRAM);
    for words in [["build", "p.fut"].as_slice(), &["build", "p.fut", "--library"]] {
        let mut command = folder.command(words);
        crate::common::ended(command.env("PATH", "").spawn().unwrap()).succeeds();
    }
    assert_eq!(folder.execute("p", &["-e", "none"], b"").succeeds(), "42i32\n");
}
