#!/usr/bin/env bash
# Runs unchanged third-party clients of Futhark's libraries, servers and compiler, from the registries of Python and Rust, against Warpwise.
set -euo pipefail
cd "$(dirname "$0")/.."
warpwise=$(realpath "${WARPWISE:-target/debug/warpwise}")

environment=target/clients
[[ -x $environment/bin/build_futhark_ffi ]] || {
  python3 -m venv "$environment" || {
    echo 'the clients need an environment of Python (on Debian: apt-get install python3-venv)' >&2
    exit 1
  }
  "$environment/bin/pip" install --quiet futhark-ffi==0.16.0 futhark-data==1.0.3 futhark-server==1.0.1 setuptools
}
bin=$(realpath "$environment")/bin

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >p.fut <<'FUT'
entry main [n] (xs: [n]f64) (k: f64) : ([n]f64, f64) = (map (* k) xs, f64.sum xs)
entry grid (n: i64) : [n][n]i32 = tabulate_2d n n (\i j -> i32.i64 (i - j))
entry fails (i: i64) : i64 = (iota 3)[i]
FUT

"$warpwise" build p.fut --library --api 0.25
"$bin/build_futhark_ffi" p >/dev/null
cat >ffi.py <<'PY'
import numpy, _p
from futhark_ffi import Futhark

program = Futhark(_p)
scaled, total = program.main(numpy.array([1.0, 2.0, 3.5]), 2.0)
assert program.from_futhark(scaled).tolist() == [2.0, 4.0, 7.0]
assert total == 6.5
assert program.from_futhark(program.grid(2)).tolist() == [[0, -1], [1, 0]]
try:
    program.fails(7)
    raise SystemExit("an index out of bounds is no error")
except ValueError as error:
    assert "Index [7] out of bounds" in str(error), error
PY
"$bin/python" ffi.py
echo 'futhark-ffi: right'

"$warpwise" build p.fut --server -o server
cat >server.py <<'PY'
import futhark_server, numpy

with futhark_server.Server("./server") as server:
    assert sorted(server.cmd_entry_points()) == ["fails", "grid", "main"]
    server.put_value("xs", numpy.array([1.0, 2.0, 3.5]))
    server.put_value("k", numpy.float64(2))
    server.cmd_call("main", "scaled", "total", "xs", "k")
    assert server.get_value("scaled").tolist() == [2.0, 4.0, 7.0]
    assert server.get_value("total") == 6.5
    for wrong in [lambda: server.get_value("nowhere"), lambda: server.cmd_free("nowhere")]:
        try:
            wrong()
            raise SystemExit("a variable that is not there is no error")
        except futhark_server.Failure:
            pass
PY
"$bin/python" server.py
echo 'futhark-server, futhark-data: right'

# Under the name `futhark` the command accepts Futhark's command line.
mkdir futhark rust rust/src
ln -s "$warpwise" futhark/futhark
PATH=$PWD/futhark:$PATH
cp p.fut rust/p.fut
cat >rust/Cargo.toml <<'TOML'
[package]
name = "client"
version = "0.1.0"
edition = "2021"

[build-dependencies]
futhark-bindgen = { version = "=0.2.8", default-features = false, features = ["build"] }
TOML
cat >rust/build.rs <<'RS'
fn main() {
    futhark_bindgen::build(futhark_bindgen::Backend::Multicore, "p.fut", "p.rs");
}
RS
cat >rust/src/main.rs <<'RS'
include!(concat!(env!("OUT_DIR"), "/p.rs"));

fn main() {
    let context = Context::new().unwrap();
    let xs = ArrayF64D1::new(&context, [3], [1.0, 2.0, 3.5]).unwrap();
    let (scaled, total) = context.main(&xs, 2.0).unwrap();
    assert_eq!((scaled.get().unwrap(), total), (vec![2.0, 4.0, 7.0], 6.5));
    assert_eq!(context.grid(2).unwrap().get().unwrap(), [0, -1, 1, 0]);
    assert!(context.fails(7).is_err());
    assert!(context.get_error().unwrap().contains("Index [7] out of bounds"));
}
RS
(cd rust && RUSTFLAGS=--cap-lints=allow cargo run --quiet)
echo 'futhark-bindgen: right'
