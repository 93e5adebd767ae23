#!/usr/bin/env bash
# Tests each feature of the embedding alone, and the crates as a registry has them: packaged, unpacked outside the repository, and depended on by version.
#
# usage: scripts/test-package.sh
#
# All published crates are packaged as for crates.io. A folder outside the repository contains them and their dependencies as a
# directory source, which replaces the registry, so that no path leads back to the repository. There the script builds and runs a dot product, a program that
# renames the dependency, a library that re-exports it with a program that uses this library, and an exported library, and installs the command.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

say() { printf 'test-package: %s\n' "$*"; }

# The published packages: all except those with `publish = false`.
published=$(cargo metadata --no-deps --format-version 1 --offline | python3 -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
names = [p["name"] for p in packages if p["publish"] != []]
missing = [(p["name"], field) for p in packages if p["name"] in names
           for field in ("description", "license", "documentation", "readme", "keywords", "categories") if not p[field]]
assert not missing, f"without metadata: {missing}"
print("\n".join(names))')

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
vendor=$folder/vendor

say 'compiling the embedding with each of its features alone'
for features in cpu static-llvm opencl cuda seq files arrow csv gzip parquet wav include ndarray export; do
  cargo check --package warpwise --lib --no-default-features --features "$features" --quiet
done

say "packaging $(wc -w <<<"$published") crates"
cargo package --quiet --allow-dirty --no-verify --target-dir "$folder/packed" $(printf -- '-p %s ' $published)

say 'vendoring what they depend on'
cargo vendor --quiet --locked --versioned-dirs "$vendor" >/dev/null
for package in "$folder"/packed/package/*.crate; do
  tar -xzf "$package" -C "$vendor"
  unpacked=$vendor/$(basename "$package" .crate)
  for file in LICENSE-MIT LICENSE-APACHE README.md Cargo.toml.orig; do
    [[ -f $unpacked/$file && ! -L $unpacked/$file ]] || { say "$unpacked lacks $file"; exit 1; }
  done
  # A directory source needs the package's checksum; checksums of files may be omitted.
  printf '{"files":{},"package":"%s"}' "$(sha256sum "$package" | cut -d' ' -f1)" >"$unpacked/.cargo-checksum.json"
done

mkdir -p "$folder/user/.cargo"
cd "$folder/user"
cat >.cargo/config.toml <<END
[source.crates-io]
replace-with = "packaged"
[source.packaged]
directory = "$vendor"
[net]
offline = true
END
cat >Cargo.toml <<'END'
[workspace]
resolver = "3"
members = ["dot", "renamed", "library", "above", "exported"]
END

# Makes a package with this name and these dependencies; its source comes from standard input.
package() {
  mkdir -p "$1/src"
  printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n%s\n' "$1" "$3" >"$1/Cargo.toml"
  cat >"$1/src/$2.rs"
}

package dot main 'warpwise = { version = "0.1", default-features = false }

[features]
cpu = ["warpwise/cpu"]
static-llvm = ["warpwise/static-llvm"]' <<'END'
use warpwise::{Acc, Array, Context, Vector};

fn main() -> Result<(), warpwise::Error> {
    let context = if cfg!(feature = "cpu") { Context::new()? } else { Context::interpreter() };
    let dot = context.compile(|xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| xs.zip_with(&ys, |x, y| x * y).sum())?;
    let xs = Array::from_vec([3], vec![1.0, 2.0, 3.0])?;
    let ys = Array::from_vec([3], vec![4.0, 5.0, 6.0])?;
    println!("{:?}", dot.run(&xs, &ys)?.to_vec());
    Ok(())
}
END

package renamed main 'arrays = { package = "warpwise", version = "0.1" }' <<'END'
use arrays::{Array, Context, Elt, use_};

#[derive(Clone, Debug, PartialEq, Elt)]
#[elt(crate = "arrays")]
struct Point { x: f32, y: f32 }

#[derive(Clone, Debug, PartialEq, Elt)]
#[elt(crate = "arrays")]
enum Shape { Circle(f32), Box { width: f32, height: f32 } }

fn main() -> Result<(), arrays::Error> {
    let context = Context::new()?;
    let points = use_(&Array::from_vec([2], vec![Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }])?);
    let shapes = use_(&Array::from_vec([2], vec![Shape::Circle(1.0), Shape::Box { width: 2.0, height: 3.0 }])?);
    let areas = shapes.map(|shape| shape.cases(|radius| radius * radius * 3.0, |width, height| width * height));
    let (products, areas) = context.run(&(points.map(|p| p.x * p.y), areas))?;
    println!("{:?} {:?}", products.to_vec(), areas.to_vec());
    Ok(())
}
END

package library lib 'warpwise = "0.1"' <<'END'
//! A library whose users need not name what it is built on.
pub use warpwise;
use warpwise::{Acc, Exp, Vector};

pub fn norm(xs: &Acc<Vector<f64>>) -> Exp<f64> {
    xs.map(|x| x * x).sum().the().sqrt()
}
END

package above main 'library = { path = "../library" }' <<'END'
use library::warpwise::{self, Array, Context, Elt, use_};

#[derive(Clone, Debug, PartialEq, Elt)]
#[elt(crate = "library::warpwise")]
struct Side(f64);

fn main() -> Result<(), warpwise::Error> {
    let sides = use_(&Array::from_vec([2], vec![Side(3.0), Side(4.0)])?);
    println!("{}", Context::cpu()?.run(&library::norm(&sides.map(|side| side.0)))?);
    Ok(())
}
END

package exported main 'warpwise = { version = "0.1", features = ["export", "files", "include", "ndarray", "cuda", "opencl"] }' <<'END'
use warpwise::{Acc, Exp, Export, Vector};

warpwise::include_fut!("mean.fut");

fn main() -> Result<(), warpwise::Error> {
    let axpy = |a: Exp<f64>, xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| xs.zip_with(&ys, move |x, y| a * x + y);
    let files = Export::new().entry("axpy", axpy)?.library(std::path::Path::new("libraries/linear"))?;
    println!("{} {}", files.len(), mean(&warpwise::Context::cpu()?, &vec![1.0, 2.0, 6.0].try_into()?)?);
    Ok(())
}
END
printf 'entry mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n\n' >exported/mean.fut
mkdir libraries

# Runs the program with this name and compares its output.
prints() {
  local expected=$1 name=$2 printed
  shift 2
  printed=$(cargo run --quiet -p "$name" "$@")
  say "$name $* prints $printed"
  [[ $printed == "$expected" ]]
}
# Prints the libraries that a program was last built with.
libraries() { ldd "target/debug/$1"; }

prints '[32.0]' dot
! libraries dot | grep -q LLVM || { say 'LLVM is loaded without the feature cpu'; exit 1; }
prints '[32.0]' dot --features cpu
libraries dot | grep -q LLVM || { say 'LLVM is not loaded with the feature cpu'; exit 1; }
prints '[2.0, 12.0] [3.0, 6.0]' renamed
prints '5' above
prints '5 3' exported
if "$root/scripts/setup.sh" wheel --check >/dev/null 2>&1; then
  prints '[32.0]' dot --features cpu,static-llvm
  ! libraries dot | grep -q LLVM || { say 'LLVM is loaded with the feature static-llvm'; exit 1; }
else
  say 'skipped: the feature static-llvm (scripts/setup.sh wheel installs the static libraries)'
fi

say 'installing the command'
# `cargo install` ignores a folder's configuration.
cargo install --quiet --debug --config .cargo/config.toml --version 0.1.0 --root "$folder/installed" --target-dir target warpwise-cli
printed=$("$folder/installed/bin/warpwise" run exported/mean.fut '[1.0, 2.0, 6.0]')
[[ $printed == '3.0f64' ]]
say 'passed'
