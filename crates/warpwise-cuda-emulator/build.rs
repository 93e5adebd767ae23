//! Names the library after the file that programs open first as CUDA's driver: once the library is loaded, they find it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
    println!("cargo:rerun-if-changed=build.rs");
}
