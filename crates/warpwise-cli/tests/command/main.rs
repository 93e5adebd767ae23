//! The `warpwise` command as its users see it: every test starts the program.

mod common;

mod autotune;
mod bench;
mod build;
mod cache;
mod check;
mod chunks;
mod deep;
mod dev;
mod devices;
mod host;
mod host_bad_input;
mod host_generated;
mod host_generated_tensors;
mod host_modes;
mod options;
mod outputs;
mod run;
mod signals;
mod stream;
mod stream_names;
mod stream_scan;
mod test;
mod values;
mod waits;
