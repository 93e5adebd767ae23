//! Gives the library the name under which programs look for CUDA's driver: once it is loaded, they find it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    println!("cargo:rerun-if-changed=build.rs");
}
