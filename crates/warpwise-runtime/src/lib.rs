//! The run time of compiled programs: arrays, memory, threads, devices, the host's register machine, value formats.
//!
//! Absent: compilation, device drivers, global pools.

pub mod arena;
pub mod array;
pub mod compare;
pub mod copy;
pub mod device;
pub mod execute;
pub mod formats;
pub mod kernel;
pub mod machine;
pub mod mathematics;
pub mod memory;
pub mod pool;
