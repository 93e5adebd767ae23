//! Which node a scalar handle stands for.
//!
//! Scalar handles are numbers, so that they can be copied; the nodes are kept here, by thread. What is made while
//! a closure runs is forgotten when it ends (its result lives on in the function made of it), so a handle that
//! escapes from its function is found out. What is made outside all closures lives as long as the thread.

use std::cell::RefCell;

use super::{Ref, fresh_id};

thread_local! {
    /// By handle, in order.
    static NODES: RefCell<Vec<(u64, Ref)>> = const { RefCell::new(Vec::new()) };
}

/// A new handle of a node.
pub(crate) fn register(node: Ref) -> u64 {
    let handle = fresh_id();
    NODES.with(|nodes| nodes.borrow_mut().push((handle, node)));
    handle
}

/// The node of this handle, if it still is known on this thread.
pub(crate) fn find(handle: u64) -> Option<Ref> {
    NODES.with(|nodes| {
        let nodes = nodes.borrow();
        let position = nodes.binary_search_by_key(&handle, |(handle, _)| *handle).ok()?;
        nodes.get(position).map(|(_, node)| node.clone())
    })
}

/// Forgets what `build` registers, also when it panics.
pub(crate) fn scope<T>(build: impl FnOnce() -> T) -> T {
    struct Forget(usize);
    impl Drop for Forget {
        fn drop(&mut self) {
            let forgotten = NODES.with(|nodes| {
                let mut nodes = nodes.borrow_mut();
                let start = self.0.min(nodes.len());
                nodes.split_off(start)
            });
            drop(forgotten);
        }
    }
    let _forget = Forget(NODES.with(|nodes| nodes.borrow().len()));
    build()
}
