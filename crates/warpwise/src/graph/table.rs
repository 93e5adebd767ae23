//! Which node a scalar handle stands for.
//!
//! Scalar handles are numbers, so that they can be copied; the nodes are kept here, by thread. What is made while
//! a closure runs is forgotten when it ends (its result lives on in the function made of it), so a handle that
//! escapes from its function is found out. What is made outside all closures is remembered while the arrays that it
//! reads exist apart from it; when an expression ends, [`forget`](super::forget) finds the others.

use std::cell::{Cell, RefCell};

use super::forget::{Reads, arrays_read};
use super::{Ref, fresh_id};

/// A handle and its node.
pub(super) struct Entry {
    handle: u64,
    pub(super) node: Ref,
    /// The number of expressions that had ended when it was made or looked up last.
    last_use: Cell<u64>,
}

/// The handles of a thread. Both lists are in the order of the handles.
struct Table {
    /// Those whose nodes are known to read no array of the host.
    without_arrays: Vec<Entry>,
    /// All others.
    entries: Vec<Entry>,
    /// How many closures are running.
    scopes: usize,
    /// How many expressions ended outside all closures.
    ended: u64,
    /// Arrays of the host that entered graphs since nodes were forgotten last, in bytes.
    fresh_bytes: usize,
    /// With so many entries it is worth looking for some to forget.
    enough: usize,
}

/// So many handles outside closures that read no array are known at least, and twice as many at most.
const MOST_WITHOUT_ARRAYS: usize = 4096;

/// Bytes of arrays after which it is worth looking which of them only handles keep.
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

/// A new handle of a node.
pub(crate) fn register(node: Ref) -> u64 {
    let handle = fresh_id();
    TABLE.with_borrow_mut(|table| {
        let last_use = Cell::new(table.ended);
        table.entries.push(Entry { handle, node, last_use });
    });
    handle
}

/// The node of this handle, if it still is known on this thread.
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

/// Notes that an array of the host entered a graph.
pub(crate) fn count_bytes(bytes: usize) {
    TABLE.with_borrow_mut(|table| table.fresh_bytes = table.fresh_bytes.saturating_add(bytes));
}

/// Forgets what `build` registers, also when it panics.
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

/// An expression that is being computed or compiled. Outside all closures, nodes are forgotten when it ends.
pub(crate) struct Expression(());

impl Expression {
    /// Begins one.
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
    /// Gives what is forgotten: it is dropped when the table is free again.
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

    /// Forgets those that were not used for longest, where there are too many. What an array keeps waiting may be older than what is
    /// in the list.
    fn forget_without_arrays(&mut self, forgotten: &mut Vec<Entry>) {
        if self.without_arrays.len() > 2 * MOST_WITHOUT_ARRAYS {
            self.without_arrays.sort_by_key(|entry| std::cmp::Reverse(entry.last_use.get()));
            forgotten.extend(self.without_arrays.drain(MOST_WITHOUT_ARRAYS..));
        }
        self.without_arrays.sort_by_key(|entry| entry.handle);
    }
}
