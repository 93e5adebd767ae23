//! Imperative IR to native CPU code through LLVM.
