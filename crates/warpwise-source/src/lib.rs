//! The files of programs: read from disk ([`files`]), or embedded in an executable ([`embedded`]).
//!
//! Both resolve imports but do not interpret the files' contents, which belong to the front end. Caches recognise equal texts by
//! [`fingerprint`]s.

pub mod embedded;
pub mod files;
pub mod fingerprint;
