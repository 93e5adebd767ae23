//! Imperative IR to kernel text for GPUs.
