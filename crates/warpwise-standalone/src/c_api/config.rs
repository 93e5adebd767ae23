//! Functions for configurations.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int};
use std::sync::{Mutex, PoisonError};

use super::text;
use crate::abi::{Linked, guarded};
use crate::program::{Settings, tuning_parameters};

/// The program and the settings of a future context.
pub struct Config {
    pub program: *const Linked,
    pub settings: Settings,
    pub debugging: bool,
    pub profiling: bool,
    pub logging: bool,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_config_new(program: *const Linked) -> *mut Config {
    let settings = Settings::default();
    let config = Config { program, settings, debugging: false, profiling: false, logging: false };
    Box::into_raw(Box::new(config))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_config_free(config: *mut Config) {
    if !config.is_null() {
        // SAFETY: a configuration is made by `warpwise_config_new` and freed once.
        drop(unsafe { Box::from_raw(config) });
    }
}

/// Sets an option. 0: debugging, 1: profiling, 2: logging, 3: the number of threads.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_config_set(config: *mut Config, what: c_int, value: c_int) {
    // SAFETY: the caller's handle is valid.
    let Some(config) = (unsafe { config.as_mut() }) else { return };
    match what {
        0 => config.debugging = value != 0,
        1 => config.profiling = value != 0,
        2 => config.logging = value != 0,
        3 => config.settings.threads = usize::try_from(value).ok().filter(|&threads| threads > 0),
        _ => {}
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_config_set_memory_limit(config: *mut Config, bytes: u64) {
    // SAFETY: the caller's handle is valid.
    if let Some(config) = unsafe { config.as_mut() } {
        config.settings.memory_limit = Some(bytes).filter(|&bytes| bytes > 0);
    }
}

/// Sets a tuning parameter. Returns a value other than 0 if there is no such parameter.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_config_set_tuning_param(
    config: *mut Config,
    name: *const c_char,
    value: usize,
) -> c_int {
    // SAFETY: the caller's handle and text.
    let (config, name) = unsafe { (config.as_mut(), text(name)) };
    let Some(config) = config else { return 1 };
    // SAFETY: the caller's program is valid.
    if !unsafe { names(config.program) }.contains(&name) {
        return 1;
    }
    config.settings.tuning.insert(name, i64::try_from(value).unwrap_or(i64::MAX));
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_tuning_parameter_count(program: *const Linked) -> c_int {
    // SAFETY: the caller's program is valid.
    unsafe { names(program) }.len() as c_int
}

/// Returns the name of a tuning parameter, which lives as long as the process; null beyond the last.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_tuning_parameter_name(program: *const Linked, number: c_int) -> *const c_char {
    static NAMES: Mutex<BTreeMap<String, CString>> = Mutex::new(BTreeMap::new());
    // SAFETY: the caller's program is valid.
    let names = unsafe { names(program) };
    let Some(name) = usize::try_from(number).ok().and_then(|number| names.into_iter().nth(number)) else {
        return std::ptr::null();
    };
    let mut known = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let text = CString::new(name.clone()).unwrap_or_default();
    known.entry(name).or_insert(text).as_ptr()
}

/// Returns the names of a program's tuning parameters; none for a program that cannot run here.
///
/// # Safety
/// The program is as its description says.
unsafe fn names(program: *const Linked) -> Vec<String> {
    // SAFETY: guaranteed by the caller.
    let best = guarded(|| unsafe { (*program).best() });
    best.map_or(Vec::new(), |(image, _)| tuning_parameters(&image.module))
}
