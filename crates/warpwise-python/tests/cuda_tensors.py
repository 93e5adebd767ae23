"""Tensors on a CUDA device that are not made by Warpwise: memory of the driver, by `ctypes`, passed by DLPack."""

import ctypes

import numpy as np


class Place(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class Element(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Layout(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Place),
        ("rank", ctypes.c_int32),
        ("element", Element),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Layout), ("owner", ctypes.c_void_p), ("release", RELEASE)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("owner", ctypes.c_void_p),
        ("release", RELEASE),
        ("flags", ctypes.c_uint64),
        ("tensor", Layout),
    ]


CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
PYTHON = ctypes.pythonapi
PYTHON.PyCapsule_New.restype = ctypes.py_object
PYTHON.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
PYTHON.PyCapsule_GetPointer.restype = ctypes.c_void_p
PYTHON.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
PYTHON.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
PYTHON.PyCapsule_GetName.restype = ctypes.c_char_p
PYTHON.PyCapsule_GetName.argtypes = [ctypes.py_object]
# Capsules hold the addresses of their names, so the names must stay alive.
NAMES = {Managed: b"dltensor", Versioned: b"dltensor_versioned", "used": b"used_dltensor"}


def driver():
    return ctypes.CDLL("libcuda.so")


def called(name, *arguments):
    status = getattr(driver(), name)(*arguments)
    assert status == 0, f"{name} gives {status}"


class Tensor:
    """A tensor on the device with the elements of an array, and a record of its uses."""

    def __init__(self, array, *, versioned=True, read_only=False, strides=True, offset=0, place=(2, 0), version=(1, 0)):
        self.bytes, self.dtype, self.shape = array.nbytes, array.dtype, array.shape
        self.versioned, self.place = versioned, place
        self.lent = self.given_back = 0
        self.asked = []
        self.address = ctypes.c_uint64()
        called("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(offset + max(1, self.bytes)))
        dense = np.array(array, order="K")
        called("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address.value + offset), ctypes.c_void_p(dense.ctypes.data), ctypes.c_size_t(self.bytes))
        sizes = ctypes.c_int64 * max(1, array.ndim)
        steps = sizes(*(step // array.itemsize for step in dense.strides)) if strides else None
        element = Element(CODES[array.dtype.kind], 8 * array.itemsize, 1)
        self.tensor = Layout(self.address.value, Place(2, 0), array.ndim, element, sizes(*array.shape), steps, offset)
        self.release = RELEASE(self.back)
        if versioned:
            self.managed = Versioned((ctypes.c_uint32 * 2)(*version), None, self.release, int(read_only), self.tensor)
        else:
            self.managed = Managed(self.tensor, None, self.release)

    def back(self, _):
        self.given_back += 1

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, **options):
        self.asked.append(options)
        if "max_version" in options and not self.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.lent += 1
        return PYTHON.PyCapsule_New(ctypes.addressof(self.managed), NAMES[type(self.managed)], None)

    def numpy(self):
        array = np.empty(self.shape, self.dtype)
        called("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), self.address, ctypes.c_size_t(self.bytes))
        return array

    def free(self):
        called("cuMemFree_v2", self.address)


class Taken:
    """A tensor taken from a capsule."""

    def __init__(self, capsule):
        self.name = PYTHON.PyCapsule_GetName(capsule)
        kind = next(kind for kind, name in NAMES.items() if name == self.name)
        self.managed = kind.from_address(PYTHON.PyCapsule_GetPointer(capsule, self.name))
        PYTHON.PyCapsule_SetName(capsule, NAMES["used"])
        tensor = self.tensor = self.managed.tensor
        self.shape = tensor.shape[: tensor.rank]
        self.strides = tensor.strides[: tensor.rank]
        self.element = (tensor.element.code, tensor.element.bits, tensor.element.lanes)
        self.place = (tensor.device.kind, tensor.device.number)

    def write(self, at, array):
        to = ctypes.c_uint64(self.tensor.data + at * array.itemsize)
        called("cuMemcpyHtoD_v2", to, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))

    def read(self, dtype, count):
        array = np.empty(count, dtype)
        called("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(self.tensor.data), ctypes.c_size_t(array.nbytes))
        return array

    def give_back(self):
        self.managed.release(ctypes.addressof(self.managed))
