//! Functions for contexts: a program ready to run, and its last error.
//!
//! A context belongs to the process that made it. The child of a fork has none of the context's threads, and one of these may hold a
//! lock on its memory: in a child, functions fail instead of waiting, and nothing of the parent's is dropped.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

use super::{Config, c_text};
use crate::abi::{guarded, part};
use crate::interface::TypeRef;
use crate::program::Program;
use crate::value::{Held, Problem, argument_name, misuse};

/// A program ready to run; without a program if it could not be made ready.
pub struct Context {
    program: Option<Program>,
    /// The process that made the context.
    process: libc::pid_t,
    error: Mutex<Option<String>>,
    profiling: bool,
    logging: bool,
    log: Mutex<Log>,
}

/// The stream for messages; standard error if null.
struct Log(*mut libc::FILE);

// SAFETY: the C library locks its streams.
unsafe impl Send for Log {}

/// Error of a function that is called in a child of the process that made the context.
const INHERITED: &str =
    "the context belongs to the parent process: after a fork the child needs a context and values of its own";

impl Context {
    /// Runs `work` on the program. On failure keeps the message, and returns its code.
    fn attempt(&self, work: impl FnOnce(&Program) -> Result<(), Problem>) -> c_int {
        let done = guarded(|| match &self.program {
            Some(_) if self.is_inherited() => Err(Problem::Other(INHERITED.to_string())),
            Some(program) => work(program),
            None => Err(Problem::Other("the context could not be made".to_string())),
        });
        match done {
            Ok(()) => 0,
            Err(problem) => {
                if let Some(mut error) = self.error() {
                    *error = Some(problem.message().to_string());
                }
                problem.code()
            }
        }
    }

    /// Returns whether this process is a child of the one that made the context.
    pub fn is_inherited(&self) -> bool {
        // SAFETY: the call has no arguments and cannot fail.
        self.process != unsafe { libc::getpid() }
    }

    /// Returns the place of the last error; `None` if a thread of a parent process may have locked it.
    fn error(&self) -> Option<MutexGuard<'_, Option<String>>> {
        if !self.is_inherited() {
            return Some(self.error.lock().unwrap_or_else(PoisonError::into_inner));
        }
        match self.error.try_lock() {
            Ok(error) => Some(error),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn log(&self, message: &str) {
        let stream = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if stream.0.is_null() {
            eprintln!("{message}");
            return;
        }
        let line = c_text(&format!("{message}\n"));
        if !line.is_null() {
            // SAFETY: the stream is the caller's; the text ends with a zero byte and is freed once.
            unsafe {
                libc::fputs(line, stream.0);
                libc::free(line.cast());
            }
        }
    }
}

/// Runs `work` on a context and its program. For a null context the error code is the only report.
///
/// # Safety
/// The context is null or the caller's.
pub unsafe fn with(
    context: *const Context,
    work: impl FnOnce(&Context, &Program) -> Result<(), Problem>,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    match unsafe { context.as_ref() } {
        Some(context) => context.attempt(|program| work(context, program)),
        None => misuse("").code(),
    }
}

/// Does the same as [`with`], but returns a handle to the result, or null.
///
/// # Safety
/// As for [`with`].
pub unsafe fn make(
    context: *const Context,
    work: impl FnOnce(&Program) -> Result<Held, Problem>,
) -> *mut Held {
    let mut made = ptr::null_mut();
    let keep = |_: &Context, program: &Program| {
        made = Box::into_raw(Box::new(work(program)?));
        Ok(())
    };
    // SAFETY: guaranteed by the caller.
    unsafe { with(context, keep) };
    made
}

/// Returns an error if a pointer is null.
pub fn not_null<T>(pointer: *const T, what: &str) -> Result<(), Problem> {
    if pointer.is_null() { Err(misuse(&format!("{what} is NULL"))) } else { Ok(()) }
}

/// Returns the value of a handle; an error if the handle is null.
///
/// # Safety
/// The handle is null or the caller's, and the value is not changed while the reference lives.
pub unsafe fn held<'a>(handle: *const Held) -> Result<&'a Held, Problem> {
    // SAFETY: guaranteed by the caller.
    unsafe { handle.as_ref() }.ok_or_else(|| misuse("the value is NULL"))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_new(config: *const Config) -> *mut Context {
    // SAFETY: the caller's handle is valid.
    let Some(config) = (unsafe { config.as_ref() }) else { return ptr::null_mut() };
    let program = guarded(|| {
        // SAFETY: the caller's program is valid.
        let (image, kernels) = unsafe { (*config.program).best() }?;
        Program::new(image, kernels, &config.settings)
    });
    let (program, error) = match program {
        Ok(program) => (Some(program), None),
        Err(problem) => (None, Some(problem.message().to_string())),
    };
    let profiling = config.profiling || config.debugging;
    if let (Some(program), true) = (&program, profiling) {
        program.start_steps();
    }
    let logging = config.logging || config.debugging;
    let (error, log) = (Mutex::new(error), Mutex::new(Log(ptr::null_mut())));
    // SAFETY: the call has no arguments and cannot fail.
    let process = unsafe { libc::getpid() };
    Box::into_raw(Box::new(Context { program, process, error, profiling, logging, log }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_free(context: *mut Context) {
    if context.is_null() {
        return;
    }
    // SAFETY: a context is made by `warpwise_context_new` and freed once.
    let context = unsafe { Box::from_raw(context) };
    if context.is_inherited() {
        // Dropping threads waits for them, and a parent's threads never end in this process.
        std::mem::forget(context);
    }
}

/// Returns the last error and forgets it; null if there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_get_error(context: *const Context) -> *mut c_char {
    // SAFETY: the caller's handle is valid.
    let Some(context) = (unsafe { context.as_ref() }) else { return ptr::null_mut() };
    let error = context.error().and_then(|mut error| error.take());
    error.map_or(ptr::null_mut(), |error| c_text(&error))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_set_logging_file(context: *const Context, stream: *mut libc::FILE) {
    // SAFETY: the caller's handle is valid.
    if let Some(context) = unsafe { context.as_ref() }.filter(|context| !context.is_inherited()) {
        context.log.lock().unwrap_or_else(PoisonError::into_inner).0 = stream;
    }
}

/// Starts or stops recording where calls spend their time, if the configuration asked for profiling.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_profile(context: *const Context, on: c_int) {
    // SAFETY: the caller's handle is valid.
    let Some(context) = (unsafe { context.as_ref() }).filter(|context| !context.is_inherited()) else {
        return;
    };
    if let (Some(program), true) = (&context.program, context.profiling) {
        if on == 0 { program.stop_profile() } else { program.start_profile() }
    }
}

/// Returns a report of memory and of the steps of calls since the last report, as JSON.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_report(context: *const Context) -> *mut c_char {
    let mut report = None;
    let describe = |_: &Context, program: &Program| {
        report = Some(crate::report::report(program));
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, describe) };
    report.map_or(ptr::null_mut(), |report| c_text(&report))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_clear_caches(context: *const Context) -> c_int {
    let trim = |_: &Context, program: &Program| {
        program.memory().trim();
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, trim) }
}

/// Ends the running call of this context with an error, or the next call if none runs. Intended for other threads than the calling one,
/// and for signal handlers.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_cancel(context: *const Context) {
    // SAFETY: the caller's handle is valid.
    let context = unsafe { context.as_ref() }.filter(|context| !context.is_inherited());
    if let Some(program) = context.and_then(|context| context.program.as_ref()) {
        program.cancel_flag().set();
    }
}

/// Calls an entry point. Arguments are handles, or addresses of scalars; `result` is the place for a handle or a scalar, and is written
/// only on success. A failed call consumes what it has used up.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn warpwise_call(
    context: *const Context,
    entry: usize,
    result: *mut u8,
    arguments: *const *mut u8,
) -> c_int {
    let call = |context: &Context, program: &Program| {
        let start = Instant::now();
        let interface = &program.interface.entries[entry];
        let inputs = &interface.inputs;
        not_null(result, "the place of the result")?;
        // SAFETY: the entry point takes this number of arguments.
        let arguments = unsafe { part(arguments, inputs.len()) };
        for (at, (input, &argument)) in inputs.iter().zip(arguments).enumerate() {
            not_null(argument, &argument_name(at, input))?;
        }
        let leaves = {
            let mut scalars = Vec::new();
            for (input, &argument) in inputs.iter().zip(arguments) {
                if let TypeRef::Scalar(_) = input.ty {
                    // SAFETY: the argument is the address of such a scalar.
                    scalars.push(unsafe { super::values::read(input.ty, argument) }?);
                }
            }
            let mut scalars = scalars.iter();
            let held = inputs.iter().zip(arguments).filter_map(|(input, &argument)| match input.ty {
                TypeRef::Scalar(_) => scalars.next(),
                // SAFETY: the argument is the caller's handle.
                TypeRef::Named(_) => Some(unsafe { &*argument.cast::<Held>() }),
            });
            program.lent(entry, &held.collect::<Vec<&Held>>())?
        };
        let consumed = inputs.iter().zip(arguments).filter(|(input, _)| input.is_consumed());
        // SAFETY: the argument is the caller's handle, and given once.
        let consumed = consumed.map(|(_, &argument)| unsafe { &mut *argument.cast::<Held>() });
        let called = program.call(entry, leaves, &mut consumed.collect::<Vec<_>>());
        // A request to stop ends only one call, even if that call was already done.
        program.cancel_flag().clear();
        let value = called?;
        if context.logging {
            context.log(&format!("{}: {} us", interface.name, start.elapsed().as_micros()));
        }
        // SAFETY: the result has room for such a value.
        unsafe { super::values::write(value, result) };
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, call) }
}
