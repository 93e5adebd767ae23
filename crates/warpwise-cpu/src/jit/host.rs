//! Compiled functions of host programs, on a stack of their own.
//!
//! Their text is a complete module of functions `i32 symbol(context, words)`, which return whether they gave up. Recursion is
//! limited by their stack, whose limit they check themselves, so they do not use the stack of the thread. The `unsafe` code here
//! maps that stack and switches to it.

use std::arch::asm;
use std::ffi::c_void;
use std::ptr;

use warpwise_diag::Failure;
use warpwise_imp::CpuTarget;

use super::link::Linked;
use super::{LoadError, Object, optimize};
use crate::codegen::ModuleText;

/// Size of the stack in bytes: address space, of which only the used part takes memory.
const STACK: usize = 512 << 20;

/// Bytes of the stack that remain when functions report that it is full: for functions that call nothing, and for the run-time
/// functions that they call.
const RESERVE: usize = 4 << 20;

/// Maximum number of words that functions return through the context.
pub const RESULTS: usize = 32;

/// The context that functions get. They know the offsets of its fields.
#[repr(C)]
pub struct HostContext {
    /// The address that the stack must not go below.
    pub limit: *const u8,
    /// The words of globals.
    pub globals: *const u64,
    /// Function that computes mathematics.
    pub mathematics: extern "C" fn(world: *const c_void, function: u32, x: f64, y: f64) -> f64,
    /// The first argument of `mathematics`.
    pub world: *const c_void,
    /// A table of functions that compiled code calls.
    pub table: *const c_void,
    /// The heap from which they allocate.
    pub heap: *const c_void,
    /// Space for results.
    pub results: [u64; RESULTS],
}

/// An evaluator of mathematical functions, which are given by number.
pub type Mathematics<'a> = &'a dyn Fn(u32, f64, f64) -> f64;

/// Compiles the text of functions with these symbols.
pub fn compile_host(text: &str, symbols: Vec<String>, target: &CpuTarget) -> Result<Object, Failure> {
    let module = ModuleText { text: text.to_string(), nesting: 0 };
    Ok(Object { files: vec![optimize::object(&module, target)?], symbols })
}

/// Functions ready to run.
pub struct HostFunctions {
    addresses: Vec<usize>,
    stack: Stack,
    /// Keeps the code mapped.
    _linked: Linked,
}

/// Links compiled functions into this process.
pub fn load_host(object: &Object) -> Result<HostFunctions, LoadError> {
    let linked = Linked::new(&object.files, &[]).map_err(LoadError)?;
    let addresses = object.symbols.iter().map(|symbol| linked.address(symbol)).collect::<Result<_, _>>();
    let stack = Stack::new().map_err(LoadError)?;
    Ok(HostFunctions { addresses: addresses.map_err(LoadError)?, stack, _linked: linked })
}

impl HostFunctions {
    /// Calls a function by its number; returns whether it has not given up.
    ///
    /// # Safety
    /// The compiled text must be correct: it accesses no more of `words`, `globals` and the context than exists, and uses the
    /// table and the heap as their creators specify.
    pub unsafe fn call(
        &mut self,
        number: usize,
        words: &mut [u64],
        globals: &[u64],
        [table, heap]: [*const c_void; 2],
        mathematics: Mathematics<'_>,
    ) -> bool {
        let mut context = HostContext {
            limit: self.stack.limit(),
            globals: globals.as_ptr(),
            mathematics: evaluate,
            world: ptr::from_ref(&mathematics).cast(),
            table,
            heap,
            results: [0; RESULTS],
        };
        // SAFETY: the address is that of a function of this type; its stack is mapped and used by no other code, since `self` is
        // borrowed. The caller guarantees the rest.
        let code = unsafe { self.stack.call(self.addresses[number], &mut context, words.as_mut_ptr()) };
        if code != 0 {
            self.stack.clear();
        }
        code == 0
    }
}

extern "C" fn evaluate(world: *const c_void, function: u32, x: f64, y: f64) -> f64 {
    // SAFETY: `world` is the address that `call` has put into the context; its target outlives the context.
    let mathematics = unsafe { &*world.cast::<Mathematics<'_>>() };
    mathematics(function, x, y)
}

/// A mapped stack, whose lowest pages cannot be accessed.
struct Stack {
    lowest: *mut u8,
}

impl Stack {
    fn new() -> Result<Stack, String> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a new mapping affects no memory that is in use; its first pages may be protected.
        unsafe {
            let lowest = libc::mmap(ptr::null_mut(), STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if lowest == libc::MAP_FAILED {
                return Err(format!("no stack: {}", std::io::Error::last_os_error()));
            }
            let stack = Stack { lowest: lowest.cast() };
            match libc::mprotect(lowest, 1 << 16, libc::PROT_NONE) {
                0 => Ok(stack),
                _ => Err(format!("no stack: {}", std::io::Error::last_os_error())),
            }
        }
    }

    fn limit(&self) -> *const u8 {
        self.lowest.wrapping_add(RESERVE)
    }

    /// Calls `function(context, words)` on this stack.
    ///
    /// # Safety
    /// `function` must be the address of such a C function, which keeps to this stack and its arguments and does not unwind.
    unsafe fn call(&mut self, function: usize, context: *mut HostContext, words: *mut u64) -> i32 {
        let highest = self.lowest.wrapping_add(STACK);
        let code: i32;
        // SAFETY: the stack pointer is restored from a register that the function preserves; everything else that it may change
        // is clobbered. `highest` is aligned to a page, so the call is aligned as required.
        unsafe {
            asm!(
                "mov r12, rsp",
                "mov rsp, {highest}",
                "call {function}",
                "mov rsp, r12",
                highest = in(reg) highest,
                function = in(reg) function,
                in("rdi") context,
                in("rsi") words,
                lateout("eax") code,
                out("r12") _,
                clobber_abi("C"),
            );
        }
        code
    }

    /// Releases the memory that deep recursion has used.
    fn clear(&mut self) {
        // SAFETY: nothing is on the stack. If the call fails, memory is merely released later.
        unsafe { libc::madvise(self.lowest.cast(), STACK, libc::MADV_DONTNEED) };
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned, and nothing runs on it.
        unsafe { libc::munmap(self.lowest.cast(), STACK) };
    }
}
