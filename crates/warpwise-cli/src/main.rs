//! The `warpwise` command.

fn main() {}
