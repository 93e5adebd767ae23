#!/usr/bin/env bash
# Installs the missing dependencies of building, testing or benchmarking Warpwise.
#
# usage: scripts/setup.sh build|test|bench|wheel [--check]
#
# Each dependency is probed by its header, library or command instead of a package name, so
# software from other sources counts and a second run does nothing.  Missing dependencies are
# installed through apt if possible; otherwise the script says what is missing and how
# to get it, and fails.  `--check` only reports.  Rust itself is never installed.  For tests NVIDIA's kernel compiler
# is installed from Python's registry into target/nvrtc, if possible; for the wheel, the build tools into target/wheel-tools.
set -euo pipefail

# Probes: each succeeds if the dependency is present.
has_header() { echo "#include <$1>" | cc -E -x c - >/dev/null 2>&1; }
has_library() { [[ $(cc -print-file-name="$1") == /* ]]; }
has_shared_object() { [[ $(ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) == *"$1"* ]]; }
# Runs the first `llvm-config` of LLVM 19.1 whose development files are installed, with these arguments.
llvm_config() {
  local candidate
  for candidate in ${LLVM_SYS_191_PREFIX:+"$LLVM_SYS_191_PREFIX/bin/llvm-config"} \
    llvm-config-19 llvm-config19 llvm-config-19-64 llvm-config; do
    if [[ $("$candidate" --version 2>/dev/null) == 19.1.* ]]; then
      [[ -e $("$candidate" --includedir)/llvm-c/Core.h ]] && "$candidate" "$@" && return 0
    fi
  done
  return 1
}
has_llvm() { llvm_config --version >/dev/null; }
has_lld() { compgen -G "$(llvm_config --libdir)/liblldELF.a" >/dev/null; }
has_libstdcxx() { command -v c++ >/dev/null && has_library libstdc++.so; }
has_zstd() { has_header zstd.h && has_library libzstd.so; }
has_static_libstdcxx() { has_library libstdc++.a; }
has_static_zstd() { has_library libzstd.a; }
has_static_zlib() { has_library libz.a; }
has_zlib() { has_header zlib.h && has_library libz.so; }
has_valgrind() { command -v valgrind >/dev/null; }
has_binutils() { command -v objcopy >/dev/null; }
has_opencl_loader() { has_shared_object libOpenCL.so.1; }
has_opencl_device() { [[ -n ${OCL_ICD_VENDORS:-}${OCL_ICD_FILENAMES:-} ]] || compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null; }
has_venv() { python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }
has_oclgrind() { command -v oclgrind >/dev/null; }
has_debootstrap() { command -v debootstrap >/dev/null; }
has_openblas() { has_library libopenblas.so; }
has_hashcat() { command -v hashcat >/dev/null && has_opencl_device; }
has_ocaml() { command -v ocamlopt >/dev/null; }
has_clang() { command -v clang-19 >/dev/null; }
has_clang_openmp() { compgen -G '/usr/lib/llvm-19/lib/libomp.so*' >/dev/null; }

# dependency: probe | Debian package | purpose
build_needs=(
  "has_llvm|llvm-19-dev|LLVM 19.1 with its development files (code generation)"
  "has_lld|liblld-19-dev|LLD 19 as a library (linking what is built)"
  "has_libstdcxx|g++|a compiler for C++ and its standard library, to link LLVM and LLD against"
  "has_binutils|binutils|objcopy (the run time of built programs)"
  "has_zstd|libzstd-dev|zstd (LLVM's object compression)"
  "has_zlib|zlib1g-dev|zlib (LLVM's object compression)"
)
# The static libraries of LLVM are needed, too; Debian's development package contains them.
wheel_needs=(
  "has_static_libstdcxx|g++|the static C++ standard library"
  "has_static_zstd|libzstd-dev|the static zstd"
  "has_static_zlib|zlib1g-dev|the static zlib"
)
test_needs=(
  "has_valgrind|valgrind|valgrind (tests of libraries for C)"
  "has_opencl_loader|ocl-icd-libopencl1|the OpenCL loader (tests of the GPU kernels)"
  "has_opencl_device|pocl-opencl-icd|PoCL, an OpenCL device on the CPU (tests of the GPU kernels)"
  "has_venv|python3-venv|Python 3.10 or later with venv (tests of the Python module)"
)
# Without these some tests are skipped with a message.
test_wishes=(
  "has_debootstrap|debootstrap|debootstrap (tests of the wheel in systems without compilers)"
  "has_oclgrind|oclgrind|oclgrind, an OpenCL device that looks for races (tests of the GPU kernels)"
)
bench_needs=(
  "has_openblas|libopenblas-dev|OpenBLAS (the matrix product to compare with)"
  "has_clang|clang-19|clang 19 (a second compiler for the C baselines)"
  "has_clang_openmp|libomp-19-dev|clang's OpenMP run time"
)
bench_wishes=(
  "has_opencl_device|pocl-opencl-icd|PoCL, an OpenCL device on the CPU (for hashcat)"
  "has_ocaml|ocaml-nox|OCaml (the host language to compare with)"
  "has_hashcat|hashcat|hashcat on PoCL (the dictionary search to compare with)"
)

say() { printf 'setup: %s\n' "$*"; }

require_rust() {
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    say "Rust is missing. Get it from https://rustup.rs (version 1.89 or later)."
    exit 1
  fi
  local version minor
  version=$(rustc --version | cut -d' ' -f2)
  minor=${version#1.} minor=${minor%%.*}
  if [[ $version != 1.* ]] || ((minor < 89)); then
    say "Rust 1.89 or later is needed, this is $version. Try: rustup update stable"
    exit 1
  fi
  command -v cc >/dev/null || { say "a C compiler is missing (on Debian: apt-get install gcc libc6-dev)"; exit 1; }
}

# rustfmt and clippy come with rustup's default profile but not with its minimal one.
require_rust_tools() {
  local missing=()
  cargo fmt --version >/dev/null 2>&1 || missing+=(rustfmt)
  cargo clippy --version >/dev/null 2>&1 || missing+=(clippy)
  ((${#missing[@]})) || return 0
  if ((check_only)) || ! command -v rustup >/dev/null; then
    say "missing: ${missing[*]} (part of Rust; with rustup: rustup component add ${missing[*]})"
    return 1
  fi
  say "adding ${missing[*]} to the Rust toolchain"
  rustup component add "${missing[@]}"
}

# Fills `packages` and `reasons` for the missing ones of the given dependencies.
probe() {
  local need test package reason
  for need in "$@"; do
    IFS='|' read -r test package reason <<<"$need"
    "$test" && continue
    packages+=("$package")
    reasons+=("$reason")
  done
}

explain_and_fail() {
  local i
  say "$1; missing:"
  for i in "${!packages[@]}"; do printf '  - %s: Debian package %s\n' "${reasons[i]}" "${packages[i]}"; done
  say "on Debian 12 or later, as root:"
  printf '  apt-get update && apt-get install --no-install-recommends %s\n' "${packages[*]}"
  say "elsewhere install the same by your system's means; an LLVM 19.1 outside the usual places is found"
  say "through the variable LLVM_SYS_191_PREFIX (the folder that holds bin/llvm-config)."
  exit 1
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

install_packages() {
  command -v apt-get >/dev/null || explain_and_fail "this system has no apt-get"
  ((EUID == 0)) || sudo -n true 2>/dev/null || { [[ -t 0 ]] && command -v sudo >/dev/null; } ||
    explain_and_fail "not root, and sudo is not available"
  local i
  for i in "${!packages[@]}"; do say "will install ${packages[i]}: ${reasons[i]}"; done
  say "apt-get update"
  as_root apt-get -o DPkg::Lock::Timeout=900 update -q || say "apt-get update reported errors; going on with the lists there are"
  say "apt-get install ${packages[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 install -q -y \
    --no-install-recommends "${packages[@]}" || explain_and_fail "apt-get could not install everything"
}

# Installs optional dependencies, if possible.
install_wishes() {
  local need test package reason
  for need in "$@"; do
    IFS='|' read -r test package reason <<<"$need"
    "$test" && continue
    if command -v apt-get >/dev/null && { ((EUID == 0)) || sudo -n true 2>/dev/null; }; then
      say "will try to install $package: $reason"
      as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 install -q -y \
        --no-install-recommends "$package" || true
    fi
    "$test" || say "not there, and not needed: $reason"
  done
}

# Installs NVIDIA's kernel compiler from Python's registry; it needs no GPU. Without it, its tests are skipped with a message.
nvrtc_version=13.5.37
install_nvrtc() {
  [[ -z ${WARPWISE_NVRTC:-} ]] || return 0
  local root folder
  root=$(cd "$(dirname "$0")/.." && pwd) folder=target/nvrtc
  cd "$root"
  [[ ! -e $folder/$nvrtc_version ]] || return 0
  rm -rf "$folder" && mkdir -p "$folder"
  if python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$folder" \
    "nvidia-cuda-nvrtc==$nvrtc_version" && python3 -m zipfile -e "$folder"/*.whl "$folder"; then
    rm -f "$folder"/*.whl
    touch "$folder/$nvrtc_version"
    say "NVIDIA's compiler for kernels lies in $folder"
  else
    say "not there, and not needed: NVIDIA's compiler for kernels (Python's package nvidia-cuda-nvrtc; it compiles CUDA text in tests)"
  fi
}

# Installs the tools that build and inspect wheels, from Python's registry.
install_wheel_tools() {
  local root tools=target/wheel-tools
  root=$(cd "$(dirname "$0")/.." && pwd)
  cd "$root"
  [[ ! -x $tools/bin/maturin || ! -x $tools/bin/auditwheel ]] || return 0
  rm -rf "$tools"
  if ! { python3 -m venv "$tools" &&
    "$tools/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2' 'auditwheel>=6,<7'; }; then
    say "maturin and auditwheel, from Python's registry, cannot be put into $tools (on Debian Python needs python3-venv for that)"
    exit 1
  fi
  say "maturin and auditwheel lie in $tools"
}

install_all_wishes() {
  install_wishes "${wishes[@]}"
  case $1 in
    test) install_nvrtc ;;
    wheel) install_wheel_tools ;;
  esac
}

main() {
  local needs=() wishes=()
  case ${1:-} in
    build) needs=("${build_needs[@]}") ;;
    test) needs=("${build_needs[@]}" "${test_needs[@]}") wishes=("${test_wishes[@]}") ;;
    bench) needs=("${build_needs[@]}" "${bench_needs[@]}") wishes=("${bench_wishes[@]}") ;;
    wheel) needs=("${build_needs[@]}" "${wheel_needs[@]}") ;;
    *) say "usage: scripts/setup.sh build|test|bench|wheel [--check]"; exit 2 ;;
  esac
  check_only=0
  [[ ${2:-} == --check ]] && check_only=1
  require_rust
  [[ $1 != test ]] || require_rust_tools || exit 1
  packages=() reasons=()
  probe "${needs[@]}"
  if ((${#packages[@]} == 0)); then
    say "everything for '$1' is there"
    ((check_only)) || install_all_wishes "$1"
    return
  fi
  ((check_only)) && explain_and_fail "only checking"
  install_packages
  packages=() reasons=()
  probe "${needs[@]}"
  ((${#packages[@]} == 0)) || explain_and_fail "after the installation something is still not found"
  install_all_wishes "$1"
  say "done"
}

main "$@"
