//! Pooled memory with a byte budget.
//!
//! A [`MemoryPool`] hands out [`Block`]s behind `Arc`; when the last owner drops one it goes back
//! to the pool's free list of its size class and is reused, because touching fresh pages costs
//! more than most kernels. The budget covers everything the pool holds, in use or free: when a
//! request would cross it, free blocks are given back to the system first, and only then does the
//! request fail with [`OutOfMemory`]. Free blocks are also given back before fresh memory makes them
//! more than half of what was ever in use at once (64 MiB may always stay), so that a program with
//! arrays of many sizes does not hold all of them.
//!
//! Invariants: a block starts at a multiple of 64 bytes (2 MiB from 4 MiB up, with huge pages
//! asked for); every byte of it is initialised (zero, or what a former owner left); its capacity
//! exceeds the size asked for by at most an eighth, or by less than 64 bytes.
//!
//! `WARPWISE_GUARD_PAGES=1` in the environment puts every block between pages that nobody may touch, and reuses none
//! ([`MemoryPool::guarded`]): for tests of what the compiler makes.
//!
//! Absent on purpose: global pools, shrinking or growing blocks in place, first touch of fresh
//! pages (the kernels that write them do that, in parallel).

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
