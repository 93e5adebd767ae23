//! The files of programs: read from disk ([`files`]), or embedded in an executable ([`embedded`]).
//!
//! Both resolve imports and read nothing into the files' contents, which belong to the front end. [`fingerprint`] is how caches
//! recognise equal texts.

pub mod embedded;
pub mod files;
pub mod fingerprint;
