//! Slots: sources of sequences, as parameters of functions of an element.

use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

use super::Element;
use super::feed::Feed;
use super::program::Given;
use super::scan::Scan;
use crate::error::Error;
use crate::graph::{self, ArrayTy, Ref, Ty};

/// A source of elements; equal only to its clones.
#[derive(Clone)]
pub struct Slot(Rc<Data>);

struct Data {
    params: Vec<Ref>,
    origin: Origin,
}

/// Origin of a slot's elements.
pub enum Origin {
    /// Read from a feed.
    Feed {
        /// Known property of the elements.
        gives: Gives,
        /// Maker of the feed.
        feed: RefCell<Maker>,
    },
    /// Computed one after the other.
    Scan(Scan),
}

/// Known property of a source's elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gives {
    /// Each element is its own number.
    Numbers,
    /// All elements have the same extents.
    Regular,
    /// The extents may differ.
    Irregular,
}

/// A maker of a feed.
pub enum Maker {
    /// Function that makes a new feed for every pass.
    Again(Box<dyn Fn() -> Box<dyn Feed>>),
    /// A feed for one pass only.
    Once(Option<Box<dyn Feed>>),
}

impl PartialEq for Slot {
    fn eq(&self, other: &Slot) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Slot {
    /// Makes a slot from an origin. Also returns its element.
    #[track_caller]
    pub fn new<A: Element>(origin: Origin) -> (A, Slot) {
        let place = Location::caller();
        let mut types = Vec::new();
        A::types(&mut types);
        let param = |ty: ArrayTy| graph::parameter(Ty::of_array(ty.rank, ty.components), place);
        let params: Vec<Ref> = types.into_iter().map(param).collect();
        let element = A::of_nodes(&mut params.clone().into_iter()).expect("there is a node for each array");
        (element, Slot(Rc::new(Data { params, origin })))
    }

    /// Returns the origin of the elements.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// Returns the feed to read; `None` for a scan.
    pub fn feed(&self) -> Result<Option<Box<dyn Feed>>, Error> {
        let Origin::Feed { feed, .. } = &self.0.origin else { return Ok(None) };
        match &mut *feed.borrow_mut() {
            Maker::Again(make) => Ok(Some(make())),
            Maker::Once(feed) => match feed.take() {
                Some(feed) => Ok(Some(feed)),
                None => Err(Error::Limit(
                    "a second pass over a source that gives its elements once; let one pass have several consumers"
                        .to_string(),
                )),
            },
        }
    }

    /// Returns the parameters, with the known property of each.
    pub fn given(&self) -> Vec<Given> {
        let gives = match &self.0.origin {
            Origin::Feed { gives, .. } => *gives,
            // States may grow.
            Origin::Scan(_) => Gives::Irregular,
        };
        let given = |param: &Ref| match param.ty.array() {
            Some(array) if array.rank == 0 && gives == Gives::Irregular => {
                Given { param: param.clone(), gives: Gives::Regular }
            }
            _ => Given { param: param.clone(), gives },
        };
        self.0.params.iter().map(given).collect()
    }
}

/// Returns the parameters of all slots.
pub fn given(slots: &[Slot]) -> Vec<Given> {
    slots.iter().flat_map(Slot::given).collect()
}
