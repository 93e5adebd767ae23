//! The `warpwise` command as its users meet it: every test starts the program.

mod common;

mod bench;
mod build;
mod cache;
mod check;
mod dev;
mod devices;
mod host;
mod options;
mod run;
mod signals;
mod stream;
mod test;
mod values;
