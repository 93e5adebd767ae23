"""Programs, entry points, values and errors that are sent to other processes."""

import concurrent.futures
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import warpwise

TEXT = """
-- | The sum of squares.
entry sum [n] (xs: [n]f32) : f32 = f32.sum (map (\\x -> x * x + 1.1) xs)
entry at [n] (xs: [n]i32) (i: i64) : i32 = xs[i]
type point = {x: f64, y: f64}
type shape = #circle f64 | #nothing
entry point (x: f64) : point = {x = x, y = 2 * x}
entry points (n: i64) : [n]point = tabulate n (\\i -> {x = f64.i64 i, y = 1})
entry total [n] (ps: [n]point) : f64 = f64.sum (map (\\p -> p.x * p.y) ps)
entry shape (x: f64) : shape = if x > 0 then #circle x else #nothing
"""
PROGRAM = warpwise.compile(TEXT, name="travel.fut")
XS = (np.random.default_rng(1).random(100_003) ** 5).astype(np.float32)


def copied(value):
    return pickle.loads(pickle.dumps(value))


def elsewhere(text, *pickled, **environment):
    """Runs text in a new process, in which `given` holds the pickled values, and returns the printed lines."""
    text = "import pickle, sys\ngiven = pickle.load(sys.stdin.buffer)\n" + textwrap.dedent(text)
    ended = subprocess.run(
        [sys.executable, "-c", text], input=pickle.dumps(pickled), capture_output=True, timeout=120, env={**os.environ, **environment}
    )
    assert ended.returncode == 0, ended.stderr.decode()
    return ended.stdout.decode().splitlines()


def test_what_comes_back_is_what_left():
    there = copied(PROGRAM)
    assert there.sum(XS) == PROGRAM.sum(XS) and there.threads == PROGRAM.threads
    assert copied(PROGRAM.sum)(XS) == PROGRAM.sum(XS)
    assert copied(there).entries == PROGRAM.entries and copied(PROGRAM.sum).__doc__ == PROGRAM.sum.__doc__


def test_another_process_computes_the_same():
    printed = elsewhere(
        """
        import numpy
        program, entry, xs = given
        print(entry(xs).hex(), program.sum(xs).hex(), program.source)
        print(program.sum.__doc__.splitlines()[-1], program["sum"].signature)
        print("sum" in program.ir(), program.cached)
        """,
        PROGRAM,
        PROGRAM.sum,
        XS,
    )
    expected = float(PROGRAM.sum(XS)).hex()
    assert printed[0] == f"{expected} {expected} travel.fut"
    assert printed[1] == f"The sum of squares. {PROGRAM.sum.signature}"
    assert printed[2] == "True True"


def spawned_sum(entry, xs):
    return entry(xs), entry.program.threads


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_pools_of_processes(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.starmap(spawned_sum, [(PROGRAM.sum, XS[: 10_000 * k]) for k in range(4)])
    assert [value for value, _ in found] == [PROGRAM.sum(XS[: 10_000 * k]) for k in range(4)]
    chosen = os.environ.get("OMP_NUM_THREADS")
    assert {threads for _, threads in found} == {int(chosen) if chosen else 1}


def test_an_entry_point_is_the_function_of_an_executor():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(PROGRAM.sum, [XS, XS[:10]])) == [PROGRAM.sum(XS), PROGRAM.sum(XS[:10])]
        with pytest.raises(warpwise.RunError, match="out of bounds") as caught:
            pool.submit(PROGRAM.at, np.zeros(3, np.int32), 7).result()
    assert caught.value.place == "travel.fut:4:44"


def test_closures_travel_by_cloudpickle():
    cloudpickle = pytest.importorskip("cloudpickle")
    program = PROGRAM
    work = cloudpickle.loads(cloudpickle.dumps(lambda xs: program.sum(xs) + 1))
    assert work(XS) == PROGRAM.sum(XS) + 1


def test_threads_follow_the_engine():
    text = "print(given[0].threads, given[1].threads)"
    mine = PROGRAM.with_resources(threads=3)
    assert elsewhere(text, PROGRAM, mine, OMP_NUM_THREADS="2,1") == ["2 3"]
    assert elsewhere(text, PROGRAM, mine, OMP_NUM_THREADS="") == [f"{warpwise.compile(TEXT).threads} 3"]


def test_errors_keep_what_they_say():
    with pytest.raises(warpwise.RunError) as caught:
        PROGRAM.at(np.zeros(3, np.int32), 5)
    error = copied(caught.value)
    assert type(error) is warpwise.RunError and str(error) == str(caught.value)
    assert (error.message, error.place, error.calls) == (caught.value.message, caught.value.place, caught.value.calls)
    with pytest.raises(warpwise.CompileError) as caught:
        warpwise.compile("entry f (x: i32) : i32 = x + y")
    error = copied(caught.value)
    assert error.diagnostics == caught.value.diagnostics and error.diagnostics[0]["code"] == "E0202"


def test_values_travel():
    point = PROGRAM.point(1.5)
    assert copied(point) == point and type(copied(point)) is PROGRAM.records["point"]
    for shape in (PROGRAM.shape(2), PROGRAM.shape(-1)):
        assert copied(shape) == shape
    points = copied(PROGRAM.points(5))
    assert points.shape == (5,) and PROGRAM.total(points) == 10 and points[3].x == 3
    empty = copied(PROGRAM.points(0))
    assert len(empty) == 0 and PROGRAM.total(empty) == 0
    assert elsewhere("print(given[0], given[1].x, given[2])", point, point, PROGRAM.points(2)) == [
        "point(x=1.5, y=3.0) 1.5 <[2]point>"
    ]


def test_imports_travel(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/a.fut").write_text('import "b"\ndef three = 3 * one')
    (tmp_path / "lib/b.fut").write_text("def one = 1i32")
    main = tmp_path / "main.fut"
    main.write_text('import "lib/a"\nlocal open import "lib/b"\nentry f (x: i32) : i32 = x + three + one')
    program = warpwise.compile(main)
    sent = pickle.dumps(program)
    for file in (main, tmp_path / "lib/a.fut", tmp_path / "lib/b.fut"):
        file.unlink()
    forced = sent_to_another_cpu(sent)
    assert elsewhere("print(pickle.loads(given[0]).f(1), pickle.loads(given[1]).f(1))", sent, forced) == ["5 5"]


def sent_to_another_cpu(sent):
    """Returns the pickle of a program whose machine code no process can use, as if it came from another processor."""
    assert sent.count(b'CpuTarget { name: "') == 1
    return sent.replace(b'CpuTarget { name: "', b'CpuTarget { name: ?')


def test_what_came_from_another_cpu_is_compiled_once(tmp_path):
    sent = sent_to_another_cpu(pickle.dumps(warpwise.compile(TEXT, cache=tmp_path / "cache")))
    text = "program = pickle.loads(given[0]); print(program.cached, float(program.sum(given[1])).hex())"
    expected = float(PROGRAM.sum(XS)).hex()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        printed = [line for [line] in pool.map(lambda _: elsewhere(text, sent, XS), range(3))]
    assert sorted(printed) == [f"False {expected}", f"True {expected}", f"True {expected}"]


def test_vectors_keep_their_width():
    sent = pickle.dumps(PROGRAM.sum)
    # The end of the text, no imports, the device, three switches, and the vector width in bits as a number of two bytes.
    widths = {bits: b"#nothing\n\0\0\0\0\0\x80" + bytes([bits // 128]) for bits in (128, 256, 512, 1024)}
    [own] = [bits for bits, packed in widths.items() if packed in sent]
    as_from = lambda bits: sent_to_another_cpu(sent).replace(widths[own], widths[bits])
    text = "print(float(pickle.loads(given[0])(given[1])).hex())"
    [same], [narrow] = (elsewhere(text, as_from(bits), XS) for bits in (own, 128))
    assert same == float(PROGRAM.sum(XS)).hex()
    assert narrow != same or own == 128, "the order of a sum depends on the width"
    assert float.fromhex(narrow) == pytest.approx(float(PROGRAM.sum(XS)), rel=1e-5)
    with pytest.raises(warpwise.Error, match="results depend on its vectors.*1024 is not supported"):
        arrive, (version, _, packed, entry) = PROGRAM.sum.__reduce__()
        arrive(version, 3, packed.replace(widths[own], widths[1024]), entry)


def test_what_does_not_fit_is_refused():
    arrive, (version, fingerprint, packed, entry) = PROGRAM.sum.__reduce__()
    with pytest.raises(warpwise.Error, match="sent by warpwise 0.0.0.*the same version"):
        arrive("0.0.0", 1, packed, entry)
    with pytest.raises(warpwise.Error, match="no program"):
        arrive(version, 2, packed[:20], entry)
    with pytest.raises(AttributeError, match="no entry point `other`"):
        arrive(version, fingerprint, packed, "other")


def test_a_program_of_a_device_travels_as_text():
    # Drivers install signal handlers, so this process loads no driver.
    if "opencl:0" not in elsewhere("import warpwise; print(*(found['device'] for found in warpwise.devices()), sep='\\n')"):
        pytest.skip("there is no OpenCL device")
    text = "entry twice [n] (xs: [n]f32) : [n]f32 = map (* 2) xs"
    [sent] = elsewhere(f"import warpwise; print(pickle.dumps(warpwise.compile({text!r}, device='opencl')).hex())")
    printed = elsewhere("p = pickle.loads(given[0]); print(p.device, p.twice(given[1]).tolist())", bytes.fromhex(sent), XS[:0])
    assert printed == ["opencl:0 []"]


def test_equal_programs_have_equal_tokens():
    again = warpwise.compile(TEXT, name="travel.fut")
    assert again.__dask_tokenize__() == PROGRAM.__dask_tokenize__() != warpwise.compile(TEXT, name="x.fut").__dask_tokenize__()
    assert again.sum.__dask_tokenize__() == PROGRAM.sum.__dask_tokenize__() != PROGRAM.at.__dask_tokenize__()
