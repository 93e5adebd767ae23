//! The files of programs: read from disk ([`files`]), or parts of an executable ([`embedded`]).
//!
//! Both say what an import means, and nothing else: what files hold is the front end's. Beside them is what caches take equal texts by
//! ([`fingerprint`]).

pub mod embedded;
pub mod files;
pub mod fingerprint;
