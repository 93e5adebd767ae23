"""DLPack: tensors of other libraries as arguments, and results as tensors."""

import numpy as np
import pytest

import warpwise

PROGRAM = warpwise.compile(
    """
entry total [n] (xs: [n]f32) : f32 = f32.sum xs
entry twice [n][m] (xs: [n][m]f32) : [n][m]f32 = map (map (* 2)) xs
entry first [n] (xs: *[n]f32) : *[n]f32 = xs with [0] = 42
"""
)


class Tensor:
    """A tensor that supports only DLPack."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def test_tensors_are_not_copied():
    xs = np.arange(10_000, dtype=np.float32)
    before = warpwise.copied_bytes()
    assert PROGRAM.total(Tensor(xs)) == xs.sum()
    assert PROGRAM.twice(Tensor(xs.reshape(100, 100))).tolist() == (2 * xs.reshape(100, 100)).tolist()
    assert warpwise.copied_bytes() == before
    assert PROGRAM.twice(Tensor(xs.reshape(100, 100).T)).tolist() == (2 * xs.reshape(100, 100).T).tolist()
    assert warpwise.copied_bytes() == before + xs.nbytes, "but those in another order are"
    assert PROGRAM.first(Tensor(xs))[0] == 42 and xs[0] == 0


def test_tensors_of_other_types_or_places_are_refused():
    with pytest.raises(TypeError, match="argument `xs`: expected \\[\\]f32, found a float64 array"):
        PROGRAM.total(Tensor(np.ones(3)))
    for device, name in [((2, 1), "CUDA"), ((10, 0), "ROCm"), ((99, 0), "kind 99")]:
        with pytest.raises(TypeError, match=f"argument `xs`: the array lies on a device \\({name}.*bring it to the CPU.*\\.cpu\\(\\)"):
            PROGRAM.total(Tensor(np.ones(3, np.float32), device))

    class Broken(Tensor):
        def __dlpack__(self, **options):
            raise BufferError("not now")

    with pytest.raises(ValueError, match="argument `xs`.*not now"):
        PROGRAM.total(Broken(np.ones(3, np.float32)))


def test_results_go_out():
    result = PROGRAM.twice(np.arange(6, dtype=np.float32).reshape(2, 3))
    again = np.from_dlpack(result)
    assert np.shares_memory(again, result) and result.__dlpack_device__() == (1, 0)
    result[1, 2] = 7
    assert again[1, 2] == 7
    result.flags.writeable = False
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert not np.from_dlpack(result).flags.writeable
    del result
    assert PROGRAM.total(again[1]) == 6 + 8 + 7


def test_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    xs = torch.arange(6, dtype=torch.float32)
    before = warpwise.copied_bytes()
    assert PROGRAM.total(xs) == 15
    assert warpwise.copied_bytes() == before
    out = torch.from_dlpack(PROGRAM.twice(xs.reshape(2, 3)))
    assert out.dtype == torch.float32 and out.tolist() == [[0, 2, 4], [6, 8, 10]]
    out[0, 0] = 1
    assert PROGRAM.twice(xs.reshape(3, 2).T).tolist() == [[0, 4, 8], [2, 6, 10]]
    with pytest.raises(ValueError, match="argument `xs`.*grad"):
        PROGRAM.total(xs.clone().requires_grad_())
    with pytest.raises((TypeError, ValueError), match="argument `xs`"):
        PROGRAM.total(xs.to(torch.bfloat16))
    if torch.cuda.is_available():
        with pytest.raises(TypeError, match="lies on a device \\(CUDA"):
            PROGRAM.total(xs.cuda())
        there = warpwise.compile(PROGRAM.source, device="cuda")
        assert there.total(xs.cuda()) == 15
        out = torch.from_dlpack(there.twice.resident(xs.cuda().reshape(2, 3)))
        assert out.is_cuda and out.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    xs = jax.numpy.arange(6, dtype="float32")
    assert PROGRAM.total(xs) == 15
    out = jax.numpy.from_dlpack(PROGRAM.twice(xs.reshape(2, 3)))
    assert out.tolist() == [[0, 2, 4], [6, 8, 10]]
