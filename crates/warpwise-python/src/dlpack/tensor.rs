//! The structures of DLPack, as `dlpack.h` has them.

use std::ffi::{CStr, c_void};

use warpwise_prim::ValueType;

use super::Device;

/// The version that is spoken here; every 1.x is laid out alike.
pub const VERSION: (u32, u32) = (1, 0);

/// The flag of tensors that nobody may write.
pub const READ_ONLY: u64 = 1;

/// A type of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Element {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// Elements, and where they lie.
#[repr(C)]
pub struct Tensor {
    /// The start of the memory.
    pub data: *mut c_void,
    /// Whose memory.
    pub device: Device,
    /// The number of dimensions.
    pub rank: i32,
    /// The type of the elements.
    pub element: Element,
    /// The size of each dimension.
    pub shape: *mut i64,
    /// The stride of each dimension, in elements; null if the tensor is row-major without gaps.
    pub strides: *mut i64,
    /// Where the first element is, from the start of the memory on.
    pub offset: u64,
}

/// A tensor with its owner, as it was before the protocol had versions.
#[repr(C)]
pub struct Managed {
    /// The tensor.
    pub tensor: Tensor,
    /// The owner's.
    pub owner: *mut c_void,
    /// Gives the tensor back.
    pub release: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// A tensor with its owner.
#[repr(C)]
pub struct Versioned {
    /// The version: what follows is laid out so if the first number is 1.
    pub version: (u32, u32),
    /// The owner's.
    pub owner: *mut c_void,
    /// Gives the tensor back.
    pub release: Option<unsafe extern "C" fn(*mut Versioned)>,
    /// What holds of the tensor.
    pub flags: u64,
    /// The tensor.
    pub tensor: Tensor,
}

/// One of the two ways in which a tensor is handed over: a capsule of Python's of this name has it until somebody takes it.
pub trait Handover: Sized {
    /// The name of the capsule.
    const NAME: &'static CStr;
    /// Its name once the tensor was taken.
    const TAKEN: &'static CStr;

    /// A tensor with its owner, a box that was given up.
    fn new<T>(tensor: Tensor, owner: Box<T>) -> Self;

    /// Gives a tensor back to its owner.
    ///
    /// # Safety
    /// It is somebody's who has not given it back.
    unsafe fn give_back(this: *mut Self);
}

impl Handover for Managed {
    const NAME: &'static CStr = c"dltensor";
    const TAKEN: &'static CStr = c"used_dltensor";

    fn new<T>(tensor: Tensor, owner: Box<T>) -> Managed {
        unsafe extern "C" fn release<T>(this: *mut Managed) {
            // SAFETY: both were boxed by who lent them, and are given back once.
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
            // SAFETY: both were boxed by who lent them, and are given back once.
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
    /// A type of elements that programs have, as the protocol writes it.
    pub fn of(ty: ValueType) -> Element {
        let code = match ty {
            ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 => 0,
            ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 => 1,
            ValueType::F16 | ValueType::F32 | ValueType::F64 => 2,
            ValueType::Bool => 6,
        };
        Element { code, bits: 8 * ty.scalar().bytes() as u8, lanes: 1 }
    }

    /// The type that programs call so, if they have it.
    pub fn value_type(self) -> Option<ValueType> {
        ValueType::ALL.into_iter().find(|&ty| Element::of(ty) == self)
    }
}
