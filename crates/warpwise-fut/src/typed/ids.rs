//! The dense ids of a typed program.

/// Declares an id: an index into a table.
macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        $($(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the index into the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    /// A top-level definition, by position in [`Program::defs`](crate::typed::tree::Program::defs).
    DefId,
    /// A name bound inside a definition, by position in [`Program::locals`](crate::typed::tree::Program::locals).
    LocalId,
    /// A type parameter, by position in [`Program::type_params`](crate::typed::tree::Program::type_params).
    TypeParamId,
    /// A type made abstract by sealing, by position in [`Program::abstracts`](crate::typed::tree::Program::abstracts).
    AbstractId,
}

/// The type `intrinsics.acc t`: an accumulator over arrays of type `t`.
pub const ACCUMULATOR: AbstractId = AbstractId(0);
