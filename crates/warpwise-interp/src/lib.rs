//! Reference interpreter of the core IR: the oracle every pass and back end is compared with.
