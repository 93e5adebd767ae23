//! The table from scalar handles to nodes.
//!
//! Scalar handles are numbers, so that they can be copied; this table holds their nodes, one table per thread. Handles made while
//! a closure runs are removed when it ends (its result lives on in the function made of it), so a handle that escapes from its
//! function is detected. Handles made outside all closures stay while the arrays that they read are also kept by something other
//! than handles; when an expression ends, [`forget`](super::forget) finds the others.

use std::cell::{Cell, RefCell};

use super::forget::{Reads, arrays_read};
use super::{Ref, fresh_id};

/// A handle and its node.
pub(super) struct Entry {
    handle: u64,
    pub(super) node: Ref,
    /// Number of expressions that had ended when the handle was made or last looked up.
    last_use: Cell<u64>,
}

/// The handles of a thread. Both lists are ordered by handle.
struct Table {
    /// Entries whose nodes are known to read no host array.
    without_arrays: Vec<Entry>,
    /// All other entries.
    entries: Vec<Entry>,
    /// Number of running closures.
    scopes: usize,
    /// Number of expressions that have ended outside all closures.
    ended: u64,
    /// Size in bytes of the host arrays that entered graphs since the last removal.
    fresh_bytes: usize,
    /// Number of entries from which a search for removable ones is worthwhile.
    enough: usize,
}

/// Number of handles kept that were made outside closures and read no array; up to twice as many may be present.
const MOST_WITHOUT_ARRAYS: usize = 4096;

/// Size of new host arrays, in bytes, from which a search for abandoned arrays is worthwhile.
const MANY_BYTES: usize = 16 << 20;

thread_local! {
    static TABLE: RefCell<Table> = const {
        RefCell::new(Table {
            without_arrays: Vec::new(),
            entries: Vec::new(),
            scopes: 0,
            ended: 0,
            fresh_bytes: 0,
            enough: 0,
        })
    };
}

/// Returns a new handle of a node.
pub(crate) fn register(node: Ref) -> u64 {
    let handle = fresh_id();
    TABLE.with_borrow_mut(|table| {
        let last_use = Cell::new(table.ended);
        table.entries.push(Entry { handle, node, last_use });
    });
    handle
}

/// Returns the node of this handle, if this thread still has it.
pub(crate) fn find(handle: u64) -> Option<Ref> {
    TABLE.with_borrow(|table| {
        let entry = at(&table.entries, handle).or_else(|| at(&table.without_arrays, handle))?;
        entry.last_use.set(table.ended);
        Some(entry.node.clone())
    })
}

fn at(entries: &[Entry], handle: u64) -> Option<&Entry> {
    let position = entries.binary_search_by_key(&handle, |entry| entry.handle).ok()?;
    entries.get(position)
}

/// Records that a host array of this size entered a graph.
pub(crate) fn count_bytes(bytes: usize) {
    TABLE.with_borrow_mut(|table| table.fresh_bytes = table.fresh_bytes.saturating_add(bytes));
}

/// Runs `build`, and removes the handles that it registers, also when it panics.
pub(crate) fn scope<T>(build: impl FnOnce() -> T) -> T {
    struct Forget(usize);
    impl Drop for Forget {
        fn drop(&mut self) {
            let forgotten = TABLE.with_borrow_mut(|table| {
                table.scopes -= 1;
                let start = self.0.min(table.entries.len());
                table.entries.split_off(start)
            });
            drop(forgotten);
        }
    }
    let _forget = Forget(TABLE.with_borrow_mut(|table| {
        table.scopes += 1;
        table.entries.len()
    }));
    build()
}

/// An expression that is being computed or compiled. When one ends outside all closures, nodes are removed.
pub(crate) struct Expression(());

impl Expression {
    /// Begins an expression.
    pub fn begin() -> Expression {
        Expression(())
    }
}

impl Drop for Expression {
    fn drop(&mut self) {
        drop(TABLE.with_borrow_mut(Table::end_expression));
    }
}

impl Table {
    /// Returns the removed entries, to be dropped when the table is no longer borrowed.
    fn end_expression(&mut self) -> Vec<Entry> {
        if self.scopes > 0 || self.entries.is_empty() {
            return Vec::new();
        }
        let current = self.ended;
        self.ended += 1;
        if self.entries.len() < self.enough && self.fresh_bytes < MANY_BYTES {
            return Vec::new();
        }
        let reads = arrays_read(&self.entries);
        let (mut kept, mut forgotten) = (Vec::new(), Vec::new());
        for (entry, reads) in self.entries.drain(..).zip(reads) {
            match reads {
                Reads::None => self.without_arrays.push(entry),
                Reads::Abandoned if entry.last_use.get() < current => forgotten.push(entry),
                Reads::Abandoned | Reads::Held => kept.push(entry),
            }
        }
        self.enough = 2 * kept.len();
        self.entries = kept;
        self.fresh_bytes = 0;
        self.forget_without_arrays(&mut forgotten);
        forgotten
    }

    /// Removes the least recently used of these entries if there are too many. The list is sorted again by handle: entries that
    /// waited for an array may be older than entries already in the list.
    fn forget_without_arrays(&mut self, forgotten: &mut Vec<Entry>) {
        if self.without_arrays.len() > 2 * MOST_WITHOUT_ARRAYS {
            self.without_arrays.sort_by_key(|entry| std::cmp::Reverse(entry.last_use.get()));
            forgotten.extend(self.without_arrays.drain(MOST_WITHOUT_ARRAYS..));
        }
        self.without_arrays.sort_by_key(|entry| entry.handle);
    }
}
