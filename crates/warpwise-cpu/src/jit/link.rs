//! Linking of object files into the running process, through LLVM's ORC. All `unsafe` code of this folder is here, in
//! `mathematics` and in `host`.
//!
//! Symbols are searched for in the objects, then among this compiler's functions, then in `libmvec`, then in the process
//! (`memcpy` and the like).

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use inkwell::llvm_sys as llvm;
use llvm::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcDisposeLLJIT, LLVMOrcLLJITAddObjectFile, LLVMOrcLLJITGetGlobalPrefix,
    LLVMOrcLLJITGetMainJITDylib, LLVMOrcLLJITLookup, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use llvm::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCSymbolMapPair, LLVMOrcCreateDynamicLibrarySearchGeneratorForPath,
    LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess, LLVMOrcDisposeMaterializationUnit,
    LLVMOrcJITDylibAddGenerator, LLVMOrcJITDylibDefine,
};
use warpwise_runtime::kernel::KernelFn;

/// glibc's vector mathematics.
pub(super) const VECTOR_LIBRARY: &CStr = c"libmvec.so.1";

/// Linked objects; unmapped when dropped.
pub(super) struct Linked {
    jit: LLVMOrcLLJITRef,
}

// SAFETY: after `new` the session is only used for lookups, for which ORC locks, and disposed of once.
unsafe impl Send for Linked {}
// SAFETY: as above.
unsafe impl Sync for Linked {}

impl Linked {
    /// Links object files against functions, given by name and address, and the libraries.
    pub fn new(files: &[Vec<u8>], functions: &[(&str, usize)]) -> Result<Linked, String> {
        super::optimize::initialize();
        let mut jit = ptr::null_mut();
        // SAFETY: a null builder selects the defaults; on success `jit` is a session that `Linked` owns.
        check(unsafe { LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut()) })?;
        let linked = Linked { jit };
        linked.define(functions)?;
        linked.search_libraries()?;
        for file in files {
            linked.add(file)?;
        }
        Ok(linked)
    }

    /// Returns the kernel with this symbol.
    pub fn kernel(&self, symbol: &str) -> Result<KernelFn, String> {
        let address = self.address(symbol)?;
        // SAFETY: kernels are compiled with exactly this signature; the caller of a kernel guarantees the rest.
        Ok(unsafe { std::mem::transmute::<usize, KernelFn>(address) })
    }

    /// Returns the address of the code with this symbol.
    pub fn address(&self, symbol: &str) -> Result<usize, String> {
        let name =
            CString::new(symbol).map_err(|_| format!("a zero byte in the name of kernel {symbol:?}"))?;
        let mut address = 0;
        // SAFETY: the session is alive and the name ends with a zero byte.
        check(unsafe { LLVMOrcLLJITLookup(self.jit, &mut address, name.as_ptr()) })?;
        match address {
            0 => Err(format!("kernel {symbol} has no address")),
            address => Ok(address as usize),
        }
    }

    fn add(&self, file: &[u8]) -> Result<(), String> {
        // SAFETY: the buffer is a copy, and the session takes ownership of it whether or not the call succeeds.
        check(unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                file.as_ptr().cast::<c_char>(),
                file.len(),
                c"kernels".as_ptr(),
            );
            LLVMOrcLLJITAddObjectFile(self.jit, LLVMOrcLLJITGetMainJITDylib(self.jit), buffer)
        })
    }

    fn define(&self, functions: &[(&str, usize)]) -> Result<(), String> {
        let mut pairs = Vec::new();
        for &(name, address) in functions {
            let name = CString::new(name).map_err(|_| format!("a zero byte in {name:?}"))?;
            let flags = LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
                | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8;
            pairs.push(LLVMOrcCSymbolMapPair {
                // SAFETY: the session is alive; the interned name is handed over below.
                Name: unsafe { LLVMOrcLLJITMangleAndIntern(self.jit, name.as_ptr()) },
                Sym: LLVMJITEvaluatedSymbol {
                    Address: address as u64,
                    Flags: LLVMJITSymbolFlags { GenericFlags: flags, TargetFlags: 0 },
                },
            });
        }
        // SAFETY: the unit takes ownership of the names, and the library of the unit; if it refuses, the unit is still owned
        // here.
        unsafe {
            let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            let error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(self.jit), unit);
            if !error.is_null() {
                LLVMOrcDisposeMaterializationUnit(unit);
            }
            check(error)
        }
    }

    fn search_libraries(&self) -> Result<(), String> {
        // SAFETY: the session is alive, no filter is given, and the library takes the generators over.
        unsafe {
            let (library, prefix) =
                (LLVMOrcLLJITGetMainJITDylib(self.jit), LLVMOrcLLJITGetGlobalPrefix(self.jit));
            let mut vectors = ptr::null_mut();
            check(LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(
                &mut vectors,
                VECTOR_LIBRARY.as_ptr(),
                prefix,
                None,
                ptr::null_mut(),
            ))?;
            LLVMOrcJITDylibAddGenerator(library, vectors);
            let mut process = ptr::null_mut();
            check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                &mut process,
                prefix,
                None,
                ptr::null_mut(),
            ))?;
            LLVMOrcJITDylibAddGenerator(library, process);
        }
        Ok(())
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        // SAFETY: the session is owned and not used again. An error cannot be reported here.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.jit) });
    }
}

/// Converts LLVM's error to text.
fn check(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is not null, is consumed here, and its message ends with a zero byte.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let words = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(words)
    }
}
