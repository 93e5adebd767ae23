//! The structures of DLPack, as `dlpack.h` has them.

use std::ffi::{CStr, c_void};

use warpwise_prim::ValueType;

use super::Device;

/// The protocol version of this module; every 1.x has the same layout.
pub const VERSION: (u32, u32) = (1, 0);

/// The flag of read-only tensors.
pub const READ_ONLY: u64 = 1;

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Element {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// A tensor: its elements' type, shape and place in memory.
#[repr(C)]
pub struct Tensor {
    /// Start of the memory.
    pub data: *mut c_void,
    /// Device whose memory it is.
    pub device: Device,
    /// Number of dimensions.
    pub rank: i32,
    /// Element type.
    pub element: Element,
    /// Size of each dimension.
    pub shape: *mut i64,
    /// Stride of each dimension, in elements; null if the tensor is row-major without gaps.
    pub strides: *mut i64,
    /// Offset of the first element from `data`, in bytes.
    pub offset: u64,
}

/// A tensor with its owner, from before the protocol had versions.
#[repr(C)]
pub struct Managed {
    /// The tensor.
    pub tensor: Tensor,
    /// Data of the owner.
    pub owner: *mut c_void,
    /// Gives the tensor back.
    pub release: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// A tensor with its owner.
#[repr(C)]
pub struct Versioned {
    /// Version; the following fields have this layout if the first number is 1.
    pub version: (u32, u32),
    /// Data of the owner.
    pub owner: *mut c_void,
    /// Gives the tensor back.
    pub release: Option<unsafe extern "C" fn(*mut Versioned)>,
    /// Properties of the tensor, such as [`READ_ONLY`].
    pub flags: u64,
    /// The tensor.
    pub tensor: Tensor,
}

/// One of the two ways to hand over a tensor: a Python capsule of this name holds it until somebody takes it.
pub trait Handover: Sized {
    /// Name of the capsule.
    const NAME: &'static CStr;
    /// Name of the capsule once the tensor was taken.
    const TAKEN: &'static CStr;

    /// Creates a tensor with its owner, a box that `release` frees.
    fn new<T>(tensor: Tensor, owner: Box<T>) -> Self;

    /// Gives a tensor back to its owner.
    ///
    /// # Safety
    /// The caller owns the tensor and has not given it back.
    unsafe fn give_back(this: *mut Self);
}

impl Handover for Managed {
    const NAME: &'static CStr = c"dltensor";
    const TAKEN: &'static CStr = c"used_dltensor";

    fn new<T>(tensor: Tensor, owner: Box<T>) -> Managed {
        unsafe extern "C" fn release<T>(this: *mut Managed) {
            // SAFETY: the lender boxed both, and each is given back once.
            unsafe { drop(Box::from_raw(Box::from_raw(this).owner.cast::<T>())) };
        }
        Managed { tensor, owner: Box::into_raw(owner).cast(), release: Some(release::<T>) }
    }

    unsafe fn give_back(this: *mut Managed) {
        // SAFETY: as the caller promises.
        unsafe {
            if let Some(release) = (*this).release {
                release(this);
            }
        }
    }
}

impl Handover for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
    const TAKEN: &'static CStr = c"used_dltensor_versioned";

    fn new<T>(tensor: Tensor, owner: Box<T>) -> Versioned {
        unsafe extern "C" fn release<T>(this: *mut Versioned) {
            // SAFETY: the lender boxed both, and each is given back once.
            unsafe { drop(Box::from_raw(Box::from_raw(this).owner.cast::<T>())) };
        }
        let owner = Box::into_raw(owner).cast();
        Versioned { version: VERSION, owner, release: Some(release::<T>), flags: 0, tensor }
    }

    unsafe fn give_back(this: *mut Versioned) {
        // SAFETY: as the caller promises.
        unsafe {
            if let Some(release) = (*this).release {
                release(this);
            }
        }
    }
}

impl Element {
    /// Returns the protocol's description of an element type.
    pub fn of(ty: ValueType) -> Element {
        let code = match ty {
            ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 => 0,
            ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 => 1,
            ValueType::F16 | ValueType::F32 | ValueType::F64 => 2,
            ValueType::Bool => 6,
        };
        Element { code, bits: 8 * ty.scalar().bytes() as u8, lanes: 1 }
    }

    /// Returns the value type with this description, if programs have one.
    pub fn value_type(self) -> Option<ValueType> {
        ValueType::ALL.into_iter().find(|&ty| Element::of(ty) == self)
    }
}
