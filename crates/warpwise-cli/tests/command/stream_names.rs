//! Streams of records: columns, inputs and outputs belong to fields by name.

use crate::common::{Folder, Ran, npy};

const PROGRAM: &str = "
type trade = {price: f64, amount: f64, id: i32}
entry value [n] (ts: [n]trade) : [n]f64 = map (\\t -> t.price * 100 + t.amount) ts
entry pairs [n] (ts: [n]trade) : [n]{z: i32, a: f64} = map (\\t -> {z = t.id, a = t.price}) ts
entry two [n] (xs: [n]f64) (ys: [n]f64) : ([n]f64, [n]f64) = (map2 (-) xs ys, map (* 2) xs)
entry uneven [n] (xs: [n]f64) : ([n]f64, []f64) = (xs, filter (> 1) xs)
entry mixed [n] (label: [n]i32) (features: [n][2]f64) : [n]f64 = map2 (\\l f -> f64.i32 l + f[0] * 10 + f[1]) label features
";

fn folder() -> Folder {
    let folder = Folder::with(PROGRAM);
    folder.write("t.csv", "id,price,note,amount\n1,2,10,3\n2,4,10,5\n");
    folder.write("u.csv", "a,b,c\n1,2,3\n");
    folder
}

fn stream(folder: &Folder, words: &[&str]) -> Ran {
    folder.run(&[&["stream", "p.fut", "-e"], words].concat())
}

#[test]
fn columns_of_a_table_go_to_fields_of_their_names() {
    let folder = folder();
    assert_eq!(stream(&folder, &["value", "-i", "t.csv"]).succeeds(), "203\n405\n");
    // The order of the options does not count either.
    for columns in [["price", "amount", "id"], ["id", "amount", "price"]] {
        let options = columns.map(|column| ["--column", column]).concat();
        assert_eq!(
            stream(&folder, &[&["value", "-i", "t.csv"], &options[..]].concat()).succeeds(),
            "203\n405\n"
        );
    }
    let words = ["stream", "p.fut", "-e", "value", "-i", "-", "--input-format", "csv"];
    let table = std::fs::read(folder.path("t.csv")).unwrap();
    assert_eq!(folder.run_with(&words, &table).succeeds(), "203\n405\n");
    let said = "u.csv: no column is called like `ts.amount`, `ts.id`, `ts.price`; the columns are: a, b, c";
    stream(&folder, &["value", "-i", "u.csv"]).fails(1, &[said, "`--column ts.amount=COLUMN`"]);
    let named = ["--column", "price=a", "--column", "ts.amount=b", "--column", "id=c"];
    assert_eq!(stream(&folder, &[&["value", "-i", "u.csv"], &named[..]].concat()).succeeds(), "102\n");
    let columns = ["--column", "a", "--column", "b", "--column", "c"];
    stream(&folder, &[&["value", "-i", "u.csv"], &columns[..]].concat())
        .fails(1, &["which column belongs to which field?", "`ts.amount`, `ts.id`, `ts.price`"]);
    stream(&folder, &["value", "-i", "u.csv", "--no-header"]).fails(1, &["the columns have no names"]);
}

#[test]
fn columns_of_arrow_and_parquet_go_to_fields_of_their_names() {
    let folder = folder();
    for name in ["t.arrow", "t.parquet"] {
        stream(&folder, &["pairs", "-i", "t.csv", "-o", name]).succeeds();
        let words = ["value", "-i", name, "--column", "price=a", "--column", "amount=a", "--column", "id=z"];
        assert_eq!(stream(&folder, &words).succeeds(), "202\n404\n");
        stream(&folder, &["value", "-i", name])
            .fails(1, &["no column is called like", "the columns are: a, z"]);
    }
}

#[test]
fn parameters_take_columns_of_their_names_or_in_order() {
    let folder = folder();
    folder.write("v.csv", "ys,xs\n1,5\n");
    assert_eq!(stream(&folder, &["two", "-i", "v.csv"]).succeeds(), "4,10\n");
    assert_eq!(
        stream(&folder, &["two", "-i", "u.csv", "--column", "b", "--column", "a"]).succeeds(),
        "1,4\n"
    );
    stream(&folder, &["two", "-i", "u.csv"]).fails(1, &["no column is called like `xs`, `ys`"]);
    let words = ["mixed", "-i", "u.csv", "--column", "label=c", "--column", "features=b,a"];
    assert_eq!(stream(&folder, &words).succeeds(), "24\n");
}

#[test]
fn long_tables_are_read_in_one_pass() {
    let folder = folder();
    let line = |i: i32| format!("{},{}\n", 3 * i, i);
    let mut table = "xs,ys\n".to_string() + &(0..10_000).map(line).collect::<String>();
    let expected: String = (0..10_000).map(|i| format!("{},{}\n", 2 * i, 6 * i)).collect();
    let words = ["stream", "p.fut", "-e", "two", "-i", "-", "--input-format", "csv"];
    for options in [&["--block", "7000"][..], &["--elementwise"], &["--block", "1"]] {
        let ran = folder.run_with(&[&words[..], options].concat(), table.as_bytes());
        assert!(ran.succeeds() == expected, "{options:?}");
    }
    // All columns end before the line with the error.
    table += "7,x\n8,8\n";
    let ran = folder.run_with(&[&words[..], &["--block", "7000"]].concat(), table.as_bytes());
    assert!(String::from_utf8_lossy(&ran.output) == expected);
    ran.fails(1, &["standard input: element 10000: line 10002: `x` is no f64 (column `ys`)"]);
}

#[test]
fn files_belong_to_fields_by_name() {
    let folder = folder();
    for (name, values) in [("p.npy", [2.0_f64, 4.0]), ("a.npy", [3.0, 5.0])] {
        folder.write(name, npy("<f8", "(2,)", &values.map(f64::to_le_bytes).concat()));
    }
    folder.write("i.npy", npy("<i4", "(2,)", &[1, 0, 0, 0, 2, 0, 0, 0]));
    let words = ["value", "-i", "id=i.npy", "-i", "price=p.npy", "-i", "ts.amount=a.npy"];
    assert_eq!(stream(&folder, &words).succeeds(), "203\n405\n");
    let words = ["value", "-i", "i.npy", "-i", "p.npy", "-i", "a.npy"];
    stream(&folder, &words).fails(1, &["cannot hold all of", "--input ts.amount=FILE"]);
    stream(&folder, &["value", "-i", "weight=p.npy"]).fails(1, &["is called `weight`", "`ts.amount`"]);
}

#[test]
fn results_are_columns_by_name() {
    let folder = folder();
    assert_eq!(stream(&folder, &["pairs", "-i", "t.csv"]).succeeds(), "a,z\n2,1\n4,2\n");
    assert_eq!(stream(&folder, &["pairs", "-i", "t.csv", "-o", "o.tsv"]).succeeds(), "");
    assert_eq!(std::fs::read_to_string(folder.path("o.tsv")).unwrap(), "a\tz\n2\t1\n4\t2\n");
    stream(&folder, &["pairs", "-i", "t.csv", "-o", "z=z.csv", "-o", "a=a.csv"]).succeeds();
    assert_eq!(std::fs::read_to_string(folder.path("a.csv")).unwrap(), "a\n2\n4\n");
    assert_eq!(std::fs::read_to_string(folder.path("z.csv")).unwrap(), "z\n1\n2\n");
    stream(&folder, &["pairs", "-i", "t.csv", "-o", "1.npy", "-o", "2.npy"])
        .fails(1, &["which output is for which field?", "`a`, `z`"]);
    stream(&folder, &["pairs", "-i", "t.csv", "-o", "o.npy"])
        .fails(1, &["o.npy: such an output holds one result"]);
    let ran = stream(&folder, &["uneven", "-i", "u.csv", "--column", "a"]);
    ran.fails(1, &["column `0` has 1 rows and column `1` has 0"]);
    assert!(!folder.path("1.npy").exists() && !folder.path("o.npy").exists());
}

#[test]
fn results_never_mix_on_one_output() {
    let folder = folder();
    folder.write("v.csv", "ys,xs\n1,5\n");
    for outputs in [["-o", "-", "-o", "-"], ["-o", "/dev/stdout", "-o", "-"]] {
        let ran = stream(&folder, &[&["two", "-i", "v.csv"], &outputs[..]].concat());
        ran.fails(1, &["is named for two results, which would mix"]);
    }
}

#[cfg(unix)]
#[test]
fn who_stops_reading_one_result_does_not_cut_the_others_short() {
    let folder = folder();
    folder.write("xs.raw", vec![0; 8 * 300_000]);
    let words =
        ["stream", "p.fut", "-e", "two", "-i", "xs=xs.raw", "-i", "ys=xs.raw", "-o", "-", "-o", "y.npy"];
    let mut child = folder.command(&words).spawn().unwrap();
    drop(child.stdout.take());
    crate::common::ended(child).succeeds();
    let written = std::fs::read(folder.path("y.npy")).unwrap();
    assert!(written.len() > 8 * 300_000 && String::from_utf8_lossy(&written).contains("(300000,)"));
    assert!(!folder.path("y.npy.partial").exists());
}

#[test]
fn a_file_and_a_pipe_may_end_together() {
    let folder = folder();
    let numbers: Vec<u8> = (0..1000).flat_map(|x| f64::from(x).to_le_bytes()).collect();
    folder.write("xs.raw", &numbers);
    let words = ["stream", "p.fut", "-e", "two", "-i", "xs.raw", "-i", "-", "--input-format", "raw"];
    for block in ["7", "1000", "5000"] {
        let with = |input: &[u8]| folder.run_with(&[&words[..], &["--block", block]].concat(), input);
        let output = with(&numbers).succeeds();
        assert_eq!((output.lines().count(), output.lines().last()), (1000, Some("0,1998")));
        let said = "the input ends here, but that of another source does not";
        with(&numbers[..80]).fails(1, &["standard input: element 10: ", said]);
        with(&[&numbers[..], &[0; 8]].concat()).fails(1, &["xs.raw: element 1000: ", said]);
    }
}

#[test]
fn tables_that_are_not_what_they_seem_are_said() {
    let folder = Folder::with(&(PROGRAM.to_string() + "\nentry not [n] (bs: [n]bool) = map (\\b -> !b) bs"));
    folder.write("s.csv", "xs;ys\n1;2\n");
    stream(&folder, &["two", "-i", "s.csv"]).fails(1, &["--delimiter ';' says it"]);
    stream(&folder, &["two", "-i", "s.csv", "--column", "xs", "--column", "ys"])
        .fails(1, &["--delimiter ';'"]);
    folder.write("e.csv", "");
    stream(&folder, &["two", "-i", "e.csv"]).fails(1, &["e.csv: the table is empty"]);
    folder.write("plain.csv.gz", "xs,ys\n1,2\n");
    stream(&folder, &["two", "-i", "plain.csv.gz"]).fails(1, &["its contents are not compressed by gzip"]);
    folder.write("skip.csv", "made by hand\n\nxs,ys\n1,2\n3,x\n");
    let ran = stream(&folder, &["two", "-i", "skip.csv", "--skip", "2"]);
    assert_eq!(String::from_utf8_lossy(&ran.output), "-1,2\n");
    ran.fails(1, &["skip.csv: element 1: line 5: `x` is no f64 (column `ys`)"]);
    stream(&folder, &["two", "-i", "skip.csv", "--skip", "9"]).fails(1, &["no more than 5 whole lines"]);
    folder.write("b.csv", "b\nTrue\nFALSE\n0\n");
    assert_eq!(stream(&folder, &["not", "-i", "b.csv"]).succeeds(), "false\ntrue\ntrue\n");
}

#[test]
fn several_files_follow_one_another() {
    let folder = folder();
    folder.write("m/1.csv", "price,amount,id\n1,2,3\n");
    folder.write("m/2.csv", "id,amount,price\n9,8,7\n6,5,4\n");
    folder.write("m/3.csv", "id,amount,price\n");
    for inputs in [&["-i", "m/1.csv", "-i", "m/2.csv", "-i", "m/3.csv"][..], &["-i", "m/*.csv"]] {
        assert_eq!(stream(&folder, &[&["value"], inputs].concat()).succeeds(), "102\n708\n405\n");
    }
    let ran = stream(&folder, &["value", "-i", "m/1.csv", "-i", "u.csv"]);
    assert_eq!(String::from_utf8_lossy(&ran.output), "102\n");
    ran.fails(1, &["u.csv: no column is called like"]);
    stream(&folder, &["value", "-i", "m/*.tsv"]).fails(1, &["m/*.tsv: no file matches"]);
    stream(&folder, &["value", "-i", "m/1.csv", "-i", "no.csv"]).fails(1, &["no.csv: there is no such file"]);
}

#[test]
fn options_that_describe_no_input_are_errors() {
    let folder = folder();
    folder.write("x.npy", npy("<f8", "(1,)", &1.5_f64.to_le_bytes()));
    for (options, said) in [
        (&["--delimiter", ";"][..], "--delimiter describes tables"),
        (&["--no-header"], "--no-header describes tables"),
        (&["--missing", "0"], "--missing describes tables (csv, tsv, arrow, parquet)"),
        (&["--column", "x"], "--column describes inputs with columns"),
        (&["--shape", "3"], "--shape describes raw data"),
    ] {
        stream(&folder, &[&["uneven", "-i", "x.npy", "-o", "a.npy", "-o", "b.npy"], options].concat())
            .fails(1, &[said]);
    }
}
