# The commands of README.md.  Most targets first install missing dependencies (scripts/setup.sh).

CARGO ?= cargo
WARPWISE := target/release/warpwise

.PHONY: help setup build wheel demo test test-all bench bench-embedded bench-streams bench-mexpr bench-python bench-scale bench-suite bench-cliffs bench-memory ablation bench-check test-gpu bench-gpu bench-gpu-copies

help:
	@echo 'make demo        build and run Warpwise: pictures, hotspot, k-means, Mandelbrot, one table'
	@echo 'make test        run all tests: formatting, lints, unit tests, programs'
	@echo 'make test-all    make test, then the programs with other options, and optimised tests'
	@echo 'make bench       compare with C, ISPC, OpenBLAS and Futhark (those that are installed)'
	@echo 'make bench-embedded  compare programs embedded in Rust with C and with ndarray and rayon'
	@echo 'make bench-streams   measure streams and sequences over temporary files of up to 4 GB; writes benchmarks/results/streams.md and .json'
	@echo 'make bench-mexpr compare host programs with the array language, the sequential host and OCaml; writes benchmarks/results/mexpr.md and .json'
	@echo 'make bench-python  measure the Python module beside NumPy, Numba and JAX; writes benchmarks/results/python.md and .json'
	@echo 'make bench-scale  measure blocks on Dask: overhead of a block, workers against threads, NumPy on Dask; writes benchmarks/results/scale.md'
	@echo 'make bench-suite CORPUS=FOLDER  run the unchanged programs of a folder, with all their data sets, beside Futhark; writes benchmarks/results/suite.md and .json; with SUITE_ARGS="--device cuda" on a CUDA device, benchmarks/results/gpu-<device>-suite.md and .json'
	@echo 'make bench-cliffs  search for nests and shapes that compile to slow or wrong code (SEED, SAMPLES); writes benchmarks/results/cliffs.md and .svg'
	@echo 'make bench-memory  count allocations and copies with and without `short_circuit`, beside Futhark; writes benchmarks/results/memory.md'
	@echo 'make ablation    measure the effect of each optimisation; writes docs/ablation.md and docs/ablation.svg'
	@echo 'make bench-check validate the benchmark programs on the reference data at full size'
	@echo 'make test-gpu    test the programs on a CUDA device; a quarter of them with PART=1/4'
	@echo 'make bench-gpu   compare with hand-written CUDA, CUB, cuBLAS and Python on a CUDA device; writes benchmarks/results/gpu-<device>-resident.md and .json'
	@echo 'make bench-gpu-copies  measure all benchmarks on a CUDA device, including copies; writes benchmarks/results/gpu-<device>.md and .json'
	@echo 'make build       build the command line tool, $(WARPWISE)'
	@echo 'make wheel       build the Python wheel, which includes the command, in target/wheels'
	@echo 'make setup       only install the build dependencies'

setup:
	@scripts/setup.sh build

build: setup
	$(CARGO) build --release -p warpwise-cli

wheel:
	@scripts/setup.sh wheel
	scripts/wheel.sh

demo: setup
	$(CARGO) build --release -p warpwise-cli -p warpwise-bench --bin warpwise --bin warpwise-demo
	target/release/warpwise-demo --warpwise $(WARPWISE)

test:
	@scripts/setup.sh test
	scripts/test.sh

test-all: test
	scripts/bench-check.sh
	scripts/test-programs.sh --threads 1 --heap=30000000
	scripts/test-programs.sh --threads 7
	scripts/test-programs.sh --strict-fp
	WARPWISE_GUARD_PAGES=1 scripts/test-programs.sh
	scripts/test-device.sh opencl all
	scripts/test-device.sh cuda all
	FUZZ_SECONDS=300 $(CARGO) test --package warpwise-fuzz --test fuzz --quiet
	scripts/valgrind.sh
	scripts/sanitize.sh
	scripts/test-outside.sh
	scripts/test-package.sh
	scripts/test-clients.sh
	WARPWISE_TESTS=all scripts/test-python.sh
	$(MAKE) wheel
	scripts/test-wheel.sh
	WARPWISE_TESTS=all $(CARGO) test --profile optimised-tests --workspace --quiet

bench:
	@scripts/setup.sh bench
	$(CARGO) build --release -p warpwise-cli -p warpwise-bench
	target/release/warpwise-bench --warpwise $(WARPWISE) $(BENCH_ARGS)

bench-embedded:
	@scripts/setup.sh bench
	$(CARGO) build --release -p warpwise-bench --bin warpwise-bench-embedded
	target/release/warpwise-bench-embedded $(BENCH_ARGS)

# STREAMS_ARGS='--numbers 100000000' for a smaller file.
bench-streams: setup
	$(CARGO) build --release -p warpwise-bench --bin warpwise-bench-streams
	target/release/warpwise-bench-streams $(STREAMS_ARGS)

# MEXPR_ARGS='--share 0.1' for a quick look.
bench-mexpr:
	@scripts/setup.sh bench
	$(CARGO) build --release -p warpwise-bench --bin warpwise-bench-mexpr
	target/release/warpwise-bench-mexpr $(MEXPR_ARGS)

# PYTHON_ARGS='--share 0.1' for a quick look.
bench-python: setup
	scripts/bench-python.sh $(PYTHON_ARGS)

# SCALE_ARGS='--share 0.1' for a quick look.
bench-scale: setup
	scripts/bench-scale.sh $(SCALE_ARGS)

# SUITE_ARGS='--runs 10 fft' for a quick look at some programs.
bench-suite: setup
	$(CARGO) build --release -p warpwise-cli -p warpwise-bench --bin warpwise --bin warpwise-bench-suite
	target/release/warpwise-bench-suite --warpwise $(WARPWISE) $(CORPUS) $(SUITE_ARGS)

SEED ?= 1
SAMPLES ?= 300

# CLIFFS_ARGS='--element u8 reverse' for a quick look at some cases.
bench-cliffs: setup
	$(CARGO) build --release -p warpwise-bench --bin warpwise-bench-cliffs
	target/release/warpwise-bench-cliffs --seed $(SEED) --samples $(SAMPLES) --results benchmarks/results $(CLIFFS_ARGS)

# MEMORY_ARGS='--rounds 0 rows' for the counts of some programs.
bench-memory: setup
	$(CARGO) build --release -p warpwise-bench --bin warpwise-bench-memory
	target/release/warpwise-bench-memory $(MEMORY_ARGS)

ablation: setup
	$(CARGO) build --release -p warpwise-bench --bin warpwise-ablation
	target/release/warpwise-ablation $(ABLATION_ARGS)

bench-check: setup
	scripts/bench-check.sh

# PART=2/4 runs the second quarter only.
test-gpu: setup
	scripts/gpu.sh test $(PART)

bench-gpu: setup
	scripts/gpu.sh bench $(PART)

bench-gpu-copies: setup
	scripts/gpu.sh copies $(PART)
