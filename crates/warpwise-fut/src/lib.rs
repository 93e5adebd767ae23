//! The Futhark-compatible front end: source text to core IR.
