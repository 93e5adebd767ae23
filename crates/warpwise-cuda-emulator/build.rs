//! Gives the library the name under which programs look for CUDA's driver first: once it is loaded, they find it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
    println!("cargo:rerun-if-changed=build.rs");
}
