#!/usr/bin/env bash
# Runs the programs of this repository on the first CUDA device.
#
# usage: scripts/gpu.sh test [PART/PARTS]     test blocks of all programs: the language's, examples, benchmarks
#        scripts/gpu.sh bench [PART/PARTS]    the table: arrays on the device, against other programs and the device's limits
#        scripts/gpu.sh copies [PART/PARTS]   times of all benchmarks with copies to and from the device, beside the processor's
#
# All commands check results. A part is one PARTSth of the programs or rows. The time limit is SECONDS_LIMIT, by default 460 seconds, so that a run ends
# within eight minutes; the script names the programs that are left out then, and fails.
#
# `bench` writes benchmarks/results/gpu-<device>-resident.md and .json, to which parts add. It compiles calls of CUB and cuBLAS if
# nvcc is on the path or in /usr/local/cuda/bin, and runs CuPy, PyTorch, JAX and Numba with WARPWISE_PYTHON, or python3; the table names
# the missing ones. BENCH_ARGS are more arguments of warpwise-bench-gpu, such as `sgemm`. `copies` writes
# benchmarks/results/gpu-<device>/<program>.json (and .cpu.json), and makes gpu-<device>.json and .md from all files there, including those of other parts.
#
# WARPWISE and WARPWISE_BENCH_GPU name commands built elsewhere; without them, the commands are built here. WARPWISE_NVRTC names NVIDIA's compiler if it is
# not on the library path; a Python installation that has it is found, too. Without a CUDA device the script prints a message and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '/^# usage/,/gpu.sh copies/s/^# //p' "$0" >&2; exit 2; }

what=${1:-} part=${2:-1/1}
[[ $what =~ ^(test|bench|copies)$ ]] && [[ $part =~ ^[1-9][0-9]*/[1-9][0-9]*$ ]] || usage
number=${part%/*} parts=${part#*/}
((number <= parts)) || usage

if [[ -z ${WARPWISE:-} ]]; then
  cargo build --release --quiet -p warpwise-cli
  WARPWISE=target/release/warpwise
fi
if [[ $what == bench && -z ${WARPWISE_BENCH_GPU:-} ]]; then
  cargo build --release --quiet -p warpwise-bench --bin warpwise-bench-gpu
  WARPWISE_BENCH_GPU=target/release/warpwise-bench-gpu
fi

# Without a CUDA toolkit, NVRTC comes from Python packages or from `scripts/setup.sh test`.
if [[ -z ${WARPWISE_NVRTC:-} && $(ldconfig -p 2>/dev/null) != *libnvrtc.so* ]] && command -v python3 >/dev/null; then
  found=$(python3 - <<'PYTHON'
import glob, os, site, sys
folders = ["target/nvrtc"] + site.getsitepackages() + [p for p in sys.path if p.endswith("-packages")]
found = [f for p in folders for f in glob.glob(p + "/nvidia/*/lib/libnvrtc.so.[0-9]*")]
print(os.path.abspath(found[-1]) if found else "")
PYTHON
  )
  if [[ -n $found ]]; then export WARPWISE_NVRTC=$found; fi
fi

devices=$("$WARPWISE" devices 2>&1)
device=$(sed -n 's/^cuda:0  //p' <<<"$devices")
if [[ -z $device ]]; then
  printf 'skipped: programs on a CUDA device, because there is none here: %s\n' "$(grep -i cuda <<<"$devices" | head -n 1)"
  exit 0
fi
printf 'on %s, part %s\n' "$device" "$part"

end=$((SECONDS + ${SECONDS_LIMIT:-460}))
remaining() { echo $((end - SECONDS > 1 ? end - SECONDS : 1)); }

if [[ $what == test ]]; then
  mapfile -t chosen < <(scripts/part.sh "$part" tests examples benchmarks)
  exec timeout "$(remaining)" "$WARPWISE" test --device cuda "${chosen[@]}"
fi

if [[ $what == bench ]]; then
  # A started row takes at most half a minute.
  seconds=$(($(remaining) - 30))
  exec timeout "$(remaining)" "$WARPWISE_BENCH_GPU" --device cuda --part "$part" --seconds $((seconds > 1 ? seconds : 1)) \
    --python "${WARPWISE_PYTHON:-python3}" ${BENCH_ARGS:-}
fi

name=$(sed 's/ (.*//; s/[^A-Za-z0-9]\+/-/g' <<<"$device" | tr '[:upper:]' '[:lower:]')
results=benchmarks/results/gpu-$name
mkdir -p "$results"
failed=()

# Measures a program into a file, in at most a minute.
measure() {
  local program=$1 out=$2 most
  shift 2
  most=$(remaining)
  timeout $((most < 60 ? most : 60)) "$WARPWISE" bench --runs 20 --json "$out" "$@" "$program"
}

mapfile -t chosen < <(programs benchmarks)
for program in "${chosen[@]}"; do
  if ((SECONDS >= end)); then
    failed+=("$program (no time left)")
    continue
  fi
  base=$(basename "$program" .fut)
  [[ $program == */micro/* ]] && base=micro-$base
  if measure "$program" "$results/$base.json" --device cuda; then
    measure "$program" "$results/$base.cpu.json" >/dev/null || failed+=("$program (processor)")
  else
    failed+=("$program")
    rm -f "$results/$base.json"
  fi
done

python3 - "$results" "$device" <<'PYTHON'
import glob, json, os, sys
folder, device = sys.argv[1:]
rows = []
for path in sorted(glob.glob(folder + "/*.json")):
    if path.endswith(".cpu.json"):
        continue
    beside = path[:-5] + ".cpu.json"
    cpu = {}
    if os.path.exists(beside):
        cpu = {(row["entry"], row["case"]): row["median_us"] for row in json.load(open(beside))["cases"]}
    for row in json.load(open(path))["cases"]:
        rows.append({**row, "cpu_median_us": cpu.get((row["entry"], row["case"]))})
json.dump({"device": device, "rows": rows}, open(folder + ".json", "w"), indent=1)
with open(folder + ".md", "w") as table:
    print(f"# Benchmarks on {device}\n\nMedians in milliseconds, copies to and from the device included.\n", file=table)
    print("| program | entry | case | device | processor |\n|---|---|---|---:|---:|", file=table)
    for row in rows:
        there, here = row["median_us"] / 1000, row["cpu_median_us"]
        here = "" if here is None else f"{here / 1000:.3f}"
        print(f"| {row['program']} | {row['entry']} | {row['case']} | {there:.3f} | {here} |", file=table)
print(open(folder + ".md").read())
PYTHON

if ((${#failed[@]})); then
  printf 'failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
