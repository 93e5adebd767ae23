//! The library: compile and run array programs.
