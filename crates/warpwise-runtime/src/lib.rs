//! What compiled programs run on: arrays, memory, threads, devices, the host machine, value formats.

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
