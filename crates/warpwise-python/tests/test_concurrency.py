"""Threads, signals, forks, memory."""

import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import warpwise

TEXT = """
entry sum [n] (xs: [n]i64) : i64 = i64.sum xs
entry twice [n] (xs: [n]i64) : [n]i64 = map (* 2) xs
entry counted [n] (xs: *[n]i64) : *[n]i64 = map (+ 1) xs
-- Takes years, in every thread.
entry spin (n: i64) : i64 = i64.sum (map (\\i -> loop x = i for _j < 1000000000000i64 do x * 3 + 1) (iota n))
-- Takes a quarter of a second or more for 10^8.
entry waves (n: i64) : f64 = f64.sum (map (\\i -> f64.sin (f64.i64 i)) (iota n))
entry bumped [n] (xs: *[n]f64) (times: i64) : *[n]f64 =
  loop xs for _j < times do map (\\x -> f64.sin x + 1) xs
"""
PROGRAM = warpwise.compile(TEXT)


def test_one_program_is_called_by_many_threads():
    failed = []

    def work(seed):
        xs = np.arange(seed, seed + 10_000)
        for _ in range(50):
            if PROGRAM.sum(xs) != xs.sum() or PROGRAM.twice(xs)[-1] != 2 * xs[-1]:
                failed.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failed


def test_the_lock_is_released_while_a_call_runs():
    busy = warpwise.compile(
        "entry busy (n: i64) : i64 = i64.sum (map (\\i -> loop x = i for _j < 20000i64 do (x ^ 5) * 3) (iota n))"
    )
    busy.busy(8)
    seen = threading.Event()
    thread = threading.Thread(target=lambda: (busy.busy(400_000), seen.set()))
    thread.start()
    steps = 0
    while not seen.is_set():
        steps += 1
        time.sleep(0)
    thread.join()
    assert steps > 10, "this thread went on meanwhile"


def test_the_number_of_threads_is_chosen():
    one = PROGRAM.with_resources(threads=1)
    assert one.threads == 1 and one.sum(np.arange(100)) == 4950
    assert warpwise.compile(TEXT, threads=3).threads == 3
    available = len(os.sched_getaffinity(0))
    assert PROGRAM.threads <= available


def test_memory_is_bounded():
    small = PROGRAM.with_resources(memory_limit="1M")
    with pytest.raises(MemoryError, match="1 MiB"):
        small.twice(np.zeros(1 << 20, np.int64))
    assert small.sum(np.arange(10)) == 45
    assert PROGRAM.twice(np.ones(1 << 20, np.int64)).sum() == 2 << 20


def interrupted(seconds, call):
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        call()
    return time.monotonic() - start


def test_ctrl_c_ends_a_call():
    for _ in range(3):
        assert interrupted(0.1, lambda: PROGRAM.spin(64)) < 5
        assert PROGRAM.sum(np.arange(10)) == 45, "all is well afterwards"
    # Python's own code is still interrupted as usual.
    assert interrupted(0.1, lambda: time.sleep(20)) < 5


def test_ctrl_c_at_the_beginning_of_a_call():
    for step in range(150):
        interrupted(step * 2e-5, lambda: PROGRAM.spin(64))


class Handled:
    """Handles a signal by a function while a `with` statement runs, and sends it after `seconds`, or after all of several times."""

    def __init__(self, number, handler, *seconds):
        self.number, self.handler, self.calls = number, handler, 0
        self.timers = [threading.Timer(after, lambda: os.kill(os.getpid(), number)) for after in seconds]

    def __enter__(self):
        self.before = signal.signal(self.number, self.handle)
        [timer.start() for timer in self.timers]
        return self

    def handle(self, *_):
        self.calls += 1
        self.handler()

    def __exit__(self, *_):
        [timer.join() for timer in self.timers]
        time.sleep(0)
        signal.signal(self.number, self.before)


class Alarm(Exception):
    pass


def ring():
    raise Alarm


NUMBERS = [signal.SIGINT, signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_handler_that_does_not_raise_runs_while_the_call_goes_on(number):
    expected = PROGRAM.waves(10**8)
    ran = []
    with Handled(number, lambda: ran.append(time.monotonic()), 0.05, 0.1) as handled:
        assert PROGRAM.waves(10**8) == expected
        ended = time.monotonic()
    assert handled.calls == 2 and ran[0] < ended


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("short_before", [False, True])
def test_an_exception_of_a_handler_ends_the_call(number, short_before):
    for _ in range(2):
        if short_before:
            PROGRAM.spin(0)
            PROGRAM.spin(0)
        start = time.monotonic()
        with Handled(number, ring, 0.1):
            with pytest.raises(Alarm):
                PROGRAM.spin(64)
        assert time.monotonic() - start < 5
        assert PROGRAM.sum(np.arange(10)) == 45, "all is well afterwards"


@pytest.mark.parametrize("number", NUMBERS)
def test_a_call_that_is_unexpectedly_long_starts_again(number):
    expected = PROGRAM.waves(10**8)
    for _ in range(2):
        PROGRAM.waves(10)
    with Handled(number, lambda: None, 0.1) as handled:
        assert PROGRAM.waves(10**8) == expected
    assert handled.calls == 1


@pytest.mark.parametrize("number", NUMBERS)
def test_arrays_that_are_given_away_survive_a_signal(number):
    xs = np.zeros(1000)
    expected = PROGRAM.bumped(xs, 100_000)
    with Handled(number, lambda: None, 0.05, 0.1) as handled:
        assert (PROGRAM.bumped(warpwise.consume(xs), 100_000) == expected).all()
    assert handled.calls == 2


def test_a_signal_that_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        assert PROGRAM.waves(10**8) == PROGRAM.waves(10**8)
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_within_asyncio():
    import asyncio

    async def main():
        threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        results.append(PROGRAM.waves(10**8))
        await asyncio.sleep(5)

    results = []
    expected = PROGRAM.waves(10**8)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())
    # Before Python 3.11 asyncio does not handle the signal.
    assert results == ([expected] if sys.version_info >= (3, 11) else [])


def test_ctrl_c_leaves_calls_of_other_threads_alone():
    results = []
    xs = np.arange(1000)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            results.append(PROGRAM.sum(xs))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        interrupted(0.2, lambda: PROGRAM.spin(64))
    finally:
        stop.set()
        thread.join()
    assert set(results) == {xs.sum()}


def test_ctrl_c_while_something_is_compiled():
    many = "\n".join(f"entry f{i} (x: i32) : i32 = x + {i}" for i in range(40_000))
    try:
        interrupted(0.1, lambda: warpwise.compile(many, cache=False))
    finally:
        assert PROGRAM.sum(np.arange(10)) == 45


def in_child(results):
    results.put((int(PROGRAM.sum(np.arange(100))), PROGRAM.twice(np.arange(3)).tolist()))


def test_a_child_of_a_fork_works():
    PROGRAM.sum(np.arange(100_000))
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    children = [context.Process(target=in_child, args=(results,)) for _ in range(3)]
    [child.start() for child in children]
    assert [results.get(timeout=60) for _ in children] == [(4950, [0, 2, 4])] * 3
    [child.join(60) for child in children]
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert PROGRAM.sum(np.arange(100)) == 4950


def test_a_pool_of_processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(PROGRAM_sum, range(8)) == [sum(range(n)) for n in range(8)]


def PROGRAM_sum(n):
    return int(PROGRAM.sum(np.arange(n)))


def test_a_fork_during_a_call():
    thread = threading.Thread(target=lambda: [PROGRAM.twice(np.arange(1 << 18)) for _ in range(20)])
    thread.start()
    for _ in range(5):
        child = os.fork()
        if child == 0:
            os._exit(0 if PROGRAM.sum(np.arange(100)) == 4950 else 1)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.01)
        else:
            os.kill(child, signal.SIGKILL)
            pytest.fail("the child hangs")
        assert os.waitstatus_to_exitcode(status) == 0
    thread.join()


def run(text, **options):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=120, **options)


def test_the_interpreter_ends_during_a_call():
    text = f"""
        import threading, time, numpy as np, warpwise
        program = warpwise.compile({TEXT!r})
        threading.Thread(target=lambda: program.spin(64), daemon=True).start()
        time.sleep(0.3)
        print("done")
        """
    ended = run(text)
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr


@pytest.mark.parametrize("threads", [1, 2])
def test_the_interpreter_ends_during_calls_of_daemons(threads):
    text = f"""
        import atexit, threading, time, warpwise
        program = warpwise.compile({TEXT!r}, threads={threads})
        def work():
            while True:
                program.waves(3 * 10**8)
        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
        """
    for _ in range(6):
        ended = run(text)
        assert (ended.returncode, ended.stderr) == (0, "")


def test_exit_hooks_call_programs():
    text = f"""
        import atexit
        atexit.register(lambda: print(program.sum([1, 2, 3])))
        import warpwise
        program = warpwise.compile({TEXT!r})
        """
    assert run(text).stdout == "6\n"


def test_results_outlive_programs():
    text = f"""
        import gc, numpy as np, warpwise
        program = warpwise.compile({TEXT!r}, threads=2, memory_limit="1G")
        out = program.twice(np.arange(1000000))
        del program
        gc.collect()
        print(out.sum(), warpwise.compile({TEXT!r}).sum(out))
        """
    ended = run(text)
    assert ended.stdout == "999999000000 999999000000\n", ended.stderr


def test_importing_is_quick_and_needs_no_numpy():
    ended = run("import sys, warpwise; print('numpy' in sys.modules); p = warpwise.compile('entry f (x: i64) : i64 = x + 1'); print(p.f(1), 'numpy' in sys.modules)")
    assert ended.stdout == "False\n2 False\n", ended.stderr


def test_arrays_resized_or_freed_meanwhile():
    xs = np.arange(1000)
    out = PROGRAM.twice(xs)
    xs.resize(5, refcheck=True)
    del xs
    gc.collect()
    assert out[999] == 1998
    held = [PROGRAM.twice(np.arange(1000)) for _ in range(100)]
    gc.collect()
    assert all(array[999] == 1998 for array in held)


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_many_calls_keep_nothing():
    xs = np.arange(10)
    records = warpwise.compile("type p = {x: i64, y: [3]i64}\nentry f (p: p) : p = {x = p.x + 1, y = map (+ p.x) p.y}\nentry g (x: i64) : i64 = x")

    def calls(count):
        for _ in range(count):
            PROGRAM.sum(xs)
            PROGRAM.twice(xs)
            PROGRAM.counted(xs)
            records.f({"x": 1, "y": [1, 2, 3]})
            with pytest.raises(TypeError):
                records.g(1.5)

    calls(2000)
    before = resident()
    calls(20_000)
    assert resident() < before + (4 << 20)
