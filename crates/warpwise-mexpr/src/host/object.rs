//! Blocks of values: the values that constructors hold, and the fields of records.
//!
//! A block is a head and its values side by side, so that native code can read and make blocks. Blocks of up to [`CLASSES`]
//! values come from free lists of the thread, which are filled by [`CHUNK`] bytes at a time; the memory belongs to the thread
//! until the thread ends. Freeing a long chain takes no stack: a dead block waits in a list, which the outermost release empties,
//! along with the values of sequences and closures ([`release`]).
//!
//! ```text
//! | count of owners, 8 bytes | what it is, 4 | how many values, 4 | values, 16 each ... |
//! ```

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr::{self, NonNull};

use crate::tree::ConId;

use super::code::ShapeId;
use super::value::Value;

/// Maximum number of values of blocks that are kept in free lists.
pub(super) const CLASSES: usize = 8;

/// Number of bytes that are allocated at a time.
const CHUNK: usize = 64 << 10;

/// The head of a block. In a free or dead block its first word is the address of the next such block.
#[repr(C)]
pub(super) struct Head {
    /// Number of owners.
    pub count: Cell<usize>,
    /// The number of a constructor, or of a record's shape.
    pub id: u32,
    /// Number of values that follow.
    pub n: u32,
}

/// The blocks of a thread.
#[repr(C)]
pub(super) struct Heap {
    /// Free blocks, by the number of their values.
    pub free: [Cell<*mut Head>; CLASSES + 1],
    /// Number of blocks in use.
    pub n_live: Cell<usize>,
    dead: Cell<*mut Head>,
    is_releasing: Cell<bool>,
}

thread_local! {
    static HEAP: Heap = const {
        Heap {
            free: [const { Cell::new(ptr::null_mut()) }; CLASSES + 1],
            n_live: Cell::new(0),
            dead: Cell::new(ptr::null_mut()),
            is_releasing: Cell::new(false),
        }
    };
    static CHUNKS: Chunks = const { Chunks(RefCell::new(Vec::new())) };
    /// Values that are waiting to be freed.
    static WAITING: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// The chunks that a thread has allocated.
struct Chunks(RefCell<Vec<NonNull<u8>>>);

impl Drop for Chunks {
    fn drop(&mut self) {
        // Blocks in use may be released later. Then the memory is never freed.
        if HEAP.with(|heap| heap.n_live.get()) > 0 {
            return;
        }
        HEAP.with(|heap| heap.free.iter().for_each(|first| first.set(ptr::null_mut())));
        for chunk in self.0.get_mut().drain(..) {
            // SAFETY: it was allocated with this layout, and nothing in it is in use or in a free list.
            unsafe { dealloc(chunk.as_ptr(), chunk_layout()) };
        }
    }
}

fn chunk_layout() -> Layout {
    Layout::from_size_align(CHUNK, 16).expect("a small constant")
}

fn layout(n: usize) -> Layout {
    let size = size_of::<Head>() + n * size_of::<Value>();
    Layout::from_size_align(size, 16).expect("a block fits into memory")
}

fn allocated(layout: Layout) -> NonNull<u8> {
    // SAFETY: the layout does not have size 0.
    NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Returns the place of a free block's link to the next one.
fn next(head: *mut Head) -> *mut *mut Head {
    head.cast()
}

impl Heap {
    /// Returns a block whose head and values are not written yet.
    fn take(&self, n: usize) -> *mut Head {
        self.n_live.set(self.n_live.get() + 1);
        let Some(first) = self.free.get(n) else { return allocated(layout(n)).as_ptr().cast() };
        if first.get().is_null() {
            self.fill(n);
        }
        let head = first.get();
        // SAFETY: the block is free, so its first word is the link to the next one.
        first.set(unsafe { *next(head) });
        head
    }

    /// Fills a free list with new blocks.
    #[cold]
    fn fill(&self, n: usize) {
        let chunk = allocated(chunk_layout());
        // A thread that is ending keeps no list.
        let _ = CHUNKS.try_with(|chunks| chunks.0.borrow_mut().push(chunk));
        let size = layout(n).size();
        for number in (0..CHUNK / size).rev() {
            // SAFETY: the block lies in the chunk, which was just allocated and has the alignment of blocks.
            unsafe {
                let head = chunk.as_ptr().add(number * size).cast::<Head>();
                *next(head) = self.free[n].get();
                self.free[n].set(head);
            }
        }
    }

    /// Frees a block whose values have been dropped.
    ///
    /// # Safety
    /// The block has `n` values and no owner.
    unsafe fn give(&self, head: *mut Head, n: usize) {
        self.n_live.set(self.n_live.get() - 1);
        match self.free.get(n) {
            Some(first) => {
                // SAFETY: the block has no owner.
                unsafe { *next(head) = first.get() };
                first.set(head);
            }
            // SAFETY: blocks that have no free list are allocated one by one.
            None => unsafe { dealloc(head.cast(), layout(n)) },
        }
    }

    /// Frees a block and everything that only it holds.
    ///
    /// # Safety
    /// The block has no owner.
    unsafe fn bury(&self, head: *mut Head) {
        // SAFETY: the count is not needed any more.
        unsafe { *next(head) = self.dead.get() };
        self.dead.set(head);
        self.work_off();
    }

    fn work_off(&self) {
        if self.is_releasing.replace(true) {
            return;
        }
        loop {
            let head = self.dead.get();
            if !head.is_null() {
                // SAFETY: a dead block has no owner. Its values are dropped once, and the values that they held are put on the
                // lists instead of being freed here.
                unsafe {
                    self.dead.set(*next(head));
                    let n = (*head).n as usize;
                    ptr::drop_in_place(ptr::slice_from_raw_parts_mut(values(head), n));
                    self.give(head, n);
                }
            } else if let Some(value) = WAITING.with_borrow_mut(Vec::pop) {
                drop(value);
            } else {
                break;
            }
        }
        self.is_releasing.set(false);
    }
}

/// Returns the address of a block's values.
fn values(head: *mut Head) -> *mut Value {
    head.wrapping_add(1).cast()
}

/// Frees values without recursion.
pub(super) fn release(values: impl Iterator<Item = Value>) {
    let are_there = WAITING.with_borrow_mut(|waiting| {
        let before = waiting.len();
        waiting.extend(values.filter(Value::is_shared));
        waiting.len() > before
    });
    if are_there {
        HEAP.with(Heap::work_off);
    }
}

/// Returns the blocks of this thread, for native code.
pub(super) fn heap() -> *const Heap {
    HEAP.with(ptr::from_ref)
}

/// Returns the number of blocks of this thread that are in use.
pub fn n_live() -> usize {
    HEAP.with(|heap| heap.n_live.get())
}

/// Returns a block whose head and values are not written yet.
pub(super) fn take(n: usize) -> *mut Head {
    HEAP.with(|heap| heap.take(n))
}

/// Returns the number of bytes that must be allocated to take a block of `n` values.
pub(super) fn taken(n: usize) -> usize {
    let is_there = |heap: &Heap| heap.free.get(n).is_some_and(|first| !first.get().is_null());
    match n {
        _ if HEAP.with(is_there) => 0,
        0..=CLASSES => CHUNK,
        _ => layout(n).size(),
    }
}

/// Frees a block that has no owner any more.
///
/// # Safety
/// The block has no owner.
pub(super) unsafe extern "C" fn bury(head: *mut Head) {
    // SAFETY: guaranteed by the caller.
    HEAP.with(|heap| unsafe { heap.bury(head) });
}

/// A shared block of immutable values.
pub struct Object(NonNull<Head>);

impl Object {
    /// Makes a block of these values.
    ///
    /// # Panics
    /// If there are fewer values than the iterator announces.
    pub fn new<I: ExactSizeIterator<Item = Value>>(
        id: u32,
        fields: impl IntoIterator<IntoIter = I>,
    ) -> Object {
        let fields = fields.into_iter();
        let n = fields.len();
        let head = HEAP.with(|heap| heap.take(n));
        let mut n_written = 0;
        for value in fields.take(n) {
            // SAFETY: the block has room for `n` values; this place is not written yet.
            unsafe { values(head).add(n_written).write(value) };
            n_written += 1;
        }
        assert_eq!(n_written, n, "an iterator ends before it said");
        // SAFETY: nobody else has the block.
        unsafe { head.write(Head { count: Cell::new(1), id, n: n as u32 }) };
        Object(NonNull::new(head).expect("blocks have addresses"))
    }

    fn head(&self) -> &Head {
        // SAFETY: the block lives as long as it has an owner, and only its count changes.
        unsafe { self.0.as_ref() }
    }

    /// Returns the number of a constructor, or of a record's shape.
    pub fn id(&self) -> u32 {
        self.head().id
    }

    /// Returns the labels, if this is a record.
    pub fn shape(&self) -> ShapeId {
        ShapeId(self.id())
    }

    /// Returns the constructor, if this is one.
    pub fn con(&self) -> ConId {
        ConId(self.id())
    }

    /// Returns the values.
    pub fn fields(&self) -> &[Value] {
        // SAFETY: the block has this many values, all written.
        unsafe { std::slice::from_raw_parts(values(self.0.as_ptr()), self.head().n as usize) }
    }

    /// Returns the value that a constructor holds.
    pub fn held(&self) -> &Value {
        &self.fields()[0]
    }

    /// Returns the values for changes; copies the block if it has other owners.
    pub fn fields_mut(&mut self) -> &mut [Value] {
        if self.head().count.get() != 1 {
            *self = Object::new(self.id(), self.fields().to_vec());
        }
        // SAFETY: as for `fields`; the block has no other owner.
        unsafe { std::slice::from_raw_parts_mut(values(self.0.as_ptr()), self.head().n as usize) }
    }

    /// Returns the block; its ownership passes to the caller.
    pub(super) fn into_raw(self) -> *mut Head {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// Takes back a block from [`into_raw`](Object::into_raw).
    ///
    /// # Safety
    /// The caller owns the block and gives up the ownership.
    pub(super) unsafe fn from_raw(head: *mut Head) -> Object {
        // SAFETY: the address of a block is not null.
        Object(unsafe { NonNull::new_unchecked(head) })
    }
}

impl Clone for Object {
    fn clone(&self) -> Object {
        let count = &self.head().count;
        count.set(count.get() + 1);
        Object(self.0)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let count = &self.head().count;
        match count.get() {
            // SAFETY: this was the last owner.
            1 => unsafe { bury(self.0.as_ptr()) },
            n => count.set(n - 1),
        }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Object").field(&self.id()).field(&self.fields()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_chains_are_freed_without_stack() {
        let before = n_live();
        let mut chain = Value::Unit;
        for index in 0..1_000_000 {
            chain = Value::con(ConId(0), Value::record(ShapeId(0), [Value::Int(index), chain]));
        }
        assert_eq!(n_live(), before + 2_000_000);
        drop(chain);
        assert_eq!(n_live(), before);
    }

    #[test]
    fn blocks_of_any_size_are_shared_and_copied_on_change() {
        let before = n_live();
        for n in 0..2 * CLASSES {
            let one = Object::new(7, (0..n as i64).map(Value::Int).collect::<Vec<_>>());
            let mut other = one.clone();
            other.fields_mut().iter_mut().for_each(|value| *value = Value::Unit);
            assert_eq!((one.id(), other.id(), one.fields().len()), (7, 7, n));
            let is_kept =
                |(index, value): (usize, &Value)| matches!(value, Value::Int(i) if *i == index as i64);
            assert!(one.fields().iter().enumerate().all(is_kept));
            assert!(other.fields().iter().all(|value| matches!(value, Value::Unit)));
            let address = other.fields_mut().as_ptr();
            assert_eq!(other.fields_mut().as_ptr(), address);
        }
        assert_eq!(n_live(), before);
    }
}
