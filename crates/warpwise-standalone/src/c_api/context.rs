//! Contexts: a program ready to run, and what went wrong last.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::{Config, c_text};
use crate::abi::{guarded, part};
use crate::interface::TypeRef;
use crate::program::Program;
use crate::value::{Held, Problem, argument_name, misuse};

/// A program ready to run; none where it could not be made ready.
pub struct Context {
    program: Option<Program>,
    error: Mutex<Option<String>>,
    profiling: bool,
    logging: bool,
    log: Mutex<Log>,
}

/// Where messages go; standard error if null.
struct Log(*mut libc::FILE);

// SAFETY: the C library locks its streams.
unsafe impl Send for Log {}

impl Context {
    /// Does something with the program; keeps what goes wrong, and gives its code.
    fn attempt(&self, work: impl FnOnce(&Program) -> Result<(), Problem>) -> c_int {
        let done = guarded(|| match &self.program {
            Some(program) => work(program),
            None => Err(Problem::Other("the context could not be made".to_string())),
        });
        match done {
            Ok(()) => 0,
            Err(problem) => {
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(problem.message().to_string());
                problem.code()
            }
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
            // SAFETY: the stream is the caller's, the text ends with a zero byte and is freed once.
            unsafe {
                libc::fputs(line, stream.0);
                libc::free(line.cast());
            }
        }
    }
}

/// Does something with a context and its program; a null context is a misuse that nobody can be told of but by its code.
///
/// # Safety
/// The context is null or the caller's.
pub unsafe fn with(
    context: *const Context,
    work: impl FnOnce(&Context, &Program) -> Result<(), Problem>,
) -> c_int {
    // SAFETY: as the caller vouches.
    match unsafe { context.as_ref() } {
        Some(context) => context.attempt(|program| work(context, program)),
        None => misuse("").code(),
    }
}

/// As [`with`], but gives a handle on what comes out, or null.
///
/// # Safety
/// See there.
pub unsafe fn make(
    context: *const Context,
    work: impl FnOnce(&Program) -> Result<Held, Problem>,
) -> *mut Held {
    let mut made = ptr::null_mut();
    let keep = |_: &Context, program: &Program| {
        made = Box::into_raw(Box::new(work(program)?));
        Ok(())
    };
    // SAFETY: as the caller vouches.
    unsafe { with(context, keep) };
    made
}

/// An error if a pointer is null.
pub fn not_null<T>(pointer: *const T, what: &str) -> Result<(), Problem> {
    if pointer.is_null() { Err(misuse(&format!("{what} is NULL"))) } else { Ok(()) }
}

/// What a handle stands for; an error if it is null.
///
/// # Safety
/// The handle is null or the caller's, and not used otherwise while the reference lives.
pub unsafe fn held<'a>(handle: *const Held) -> Result<&'a Held, Problem> {
    // SAFETY: as the caller vouches.
    unsafe { handle.as_ref() }.ok_or_else(|| misuse("the value is NULL"))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_new(config: *const Config) -> *mut Context {
    // SAFETY: the caller's handle.
    let Some(config) = (unsafe { config.as_ref() }) else { return ptr::null_mut() };
    let program = guarded(|| {
        // SAFETY: the caller's program.
        let (image, kernels) = unsafe { (*config.program).best() }?;
        Program::new(image, kernels, &config.settings)
    });
    let (program, error) = match program {
        Ok(program) => (Some(program), None),
        Err(problem) => (None, Some(problem.message().to_string())),
    };
    let profiling = config.profiling || config.debugging;
    if let (Some(program), true) = (&program, profiling) {
        program.start_profile();
    }
    let logging = config.logging || config.debugging;
    let (error, log) = (Mutex::new(error), Mutex::new(Log(ptr::null_mut())));
    Box::into_raw(Box::new(Context { program, error, profiling, logging, log }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_free(context: *mut Context) {
    if !context.is_null() {
        // SAFETY: a context is made by `warpwise_context_new` and freed once.
        drop(unsafe { Box::from_raw(context) });
    }
}

/// The last error, which is then forgotten; null if there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_get_error(context: *const Context) -> *mut c_char {
    // SAFETY: the caller's handle.
    let Some(context) = (unsafe { context.as_ref() }) else { return ptr::null_mut() };
    let error = context.error.lock().unwrap_or_else(PoisonError::into_inner).take();
    error.map_or(ptr::null_mut(), |error| c_text(&error))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_set_logging_file(context: *const Context, stream: *mut libc::FILE) {
    // SAFETY: the caller's handle.
    if let Some(context) = unsafe { context.as_ref() } {
        context.log.lock().unwrap_or_else(PoisonError::into_inner).0 = stream;
    }
}

/// Counts from now on where the time of calls goes, or no longer, if the configuration asked for it.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_profile(context: *const Context, on: c_int) {
    // SAFETY: the caller's handle.
    let Some(context) = (unsafe { context.as_ref() }) else { return };
    if let (Some(program), true) = (&context.program, context.profiling) {
        if on == 0 { program.stop_profile() } else { program.start_profile() }
    }
}

/// Memory, and where the time went, as JSON.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_report(context: *const Context) -> *mut c_char {
    let mut report = None;
    let describe = |_: &Context, program: &Program| {
        report = Some(crate::report::report(program));
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, describe) };
    report.map_or(ptr::null_mut(), |report| c_text(&report))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_clear_caches(context: *const Context) -> c_int {
    let trim = |_: &Context, program: &Program| {
        program.memory().trim();
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, trim) }
}

/// Ends the call that runs in this context, or the next one if none does, with an error. For other threads than the one that calls, and
/// for signal handlers.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_context_cancel(context: *const Context) {
    // SAFETY: the caller's handle.
    if let Some(program) = &unsafe { &*context }.program {
        program.cancel_flag().set();
    }
}

/// Calls an entry point. Arguments are handles, or where scalars lie; the result is a handle to be written, or where a scalar
/// goes. It is written only if all is well. Arguments are consumed when the program begins to run.
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
        // SAFETY: the entry point takes so many.
        let arguments = unsafe { part(arguments, inputs.len()) };
        for (at, (input, &argument)) in inputs.iter().zip(arguments).enumerate() {
            not_null(argument, &argument_name(at, input))?;
        }
        let leaves = {
            let mut scalars = Vec::new();
            for (input, &argument) in inputs.iter().zip(arguments) {
                if let TypeRef::Scalar(_) = input.ty {
                    // SAFETY: the argument is where such a scalar lies.
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
        for (_, &argument) in inputs.iter().zip(arguments).filter(|(input, _)| input.is_consumed()) {
            // SAFETY: the argument is the caller's handle, and given once.
            unsafe { &mut *argument.cast::<Held>() }.leaves.clear();
        }
        let called = program.call(entry, leaves);
        // A request ends one call, also where that was done already.
        program.cancel_flag().clear();
        let value = called?;
        if context.logging {
            context.log(&format!("{}: {} us", interface.name, start.elapsed().as_micros()));
        }
        // SAFETY: the result is where such a value goes.
        unsafe { super::values::write(value, result) };
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, call) }
}
