//! The imperative IR and the lowering of the core IR into it.
