//! Pooled memory with a byte budget.
//!
//! A [`MemoryPool`] hands out [`Block`]s behind `Arc`. When the last owner drops a block, it goes back to the free list of its
//! size class in the pool and is reused, because touching fresh pages costs more than most kernels. The budget covers everything
//! the pool holds, in use or free: when a request would exceed the budget, free blocks are given back to the system first, and
//! only then does the request fail with [`OutOfMemory`]. Free blocks are also given back before fresh memory makes them more than
//! half of the peak in use (64 MiB may always stay), so that a program with arrays of many sizes does not hold memory for all of
//! them.
//!
//! Invariants: a block starts at a multiple of 64 bytes (from 4 MiB up, at a multiple of 2 MiB, with huge pages requested). Every
//! byte is initialised (zero, or left by a former owner). The capacity exceeds the requested size by at most an eighth, or by
//! less than 64 bytes.
//!
//! `WARPWISE_GUARD_PAGES=1` in the environment puts every block between inaccessible pages and reuses none
//! ([`MemoryPool::guarded`]): for tests of generated code.
//!
//! Absent on purpose: global pools, shrinking or growing blocks in place, first touch of fresh pages (the kernels that write them
//! do that, in parallel).

mod amount;
mod block;
mod builder;
mod classes;
mod guarded;
mod limit;
mod pool;
mod system;

pub use amount::{Bytes, parse_bytes};
pub use block::{Block, Provider};
pub use builder::BlockBuilder;
pub use limit::{default_limit, resident};
pub use pool::{MemoryPool, OutOfMemory, PoolStatistics};
