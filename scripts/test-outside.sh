#!/usr/bin/env bash
# Builds README's Rust program as a separate package outside the workspace, like a new user.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

# Prints a code block of README's section on Rust, by number.
block() {
  sed -n '/^## In Rust/,/^## Host programs/p' README.md |
    awk -v wanted="$1" '/^```/ { inside = !inside; number += inside; next } inside && number == wanted'
}

package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
mkdir "$package/src"
{
  printf '[package]\nname = "outside"\nversion = "0.1.0"\nedition = "2024"\n\n'
  block 1 | sed "s|path = \"[^\"]*\"|path = \"$root/crates/warpwise\"|"
} >"$package/Cargo.toml"
block 2 >"$package/src/main.rs"
cp Cargo.lock "$package/"

printed=$(CARGO_TARGET_DIR=$root/target/outside cargo run --quiet --manifest-path "$package/Cargo.toml")
echo "README's program in Rust prints $printed"
[[ $printed == '[11.0]' ]]
