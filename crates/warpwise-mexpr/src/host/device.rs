//! The interface to whatever runs accelerated expressions.

use super::code::Code;
use super::value::Value;
use super::world::World;

/// Runs accelerated expressions.
pub trait Device {
    /// The value of the accelerated expression of this number (of [`Code::accelerated`]), given the values of what it
    /// captures; none where the host is to compute it. What it prints goes to `world`.
    fn call(
        &mut self,
        code: &Code,
        world: &mut dyn World,
        number: usize,
        arguments: &[Value],
    ) -> Result<Option<Value>, DeviceError>;

    /// Whether what the host computes of accelerated expressions is to be watched for what would differ in parallel.
    fn watches(&self) -> bool {
        false
    }

    /// Whether sequences that watched expressions make must have elements of one length.
    fn demands_regular(&self) -> bool {
        false
    }
}

/// Why an accelerated expression has no value.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceError {
    /// The message.
    pub message: String,
    /// `file:line:column` inside the accelerated expression, where that is known.
    pub place: Option<String>,
}

/// Leaves everything to the host.
#[derive(Clone, Copy, Debug)]
pub struct HostOnly;

impl Device for HostOnly {
    fn call(
        &mut self,
        _: &Code,
        _: &mut dyn World,
        _: usize,
        _: &[Value],
    ) -> Result<Option<Value>, DeviceError> {
        Ok(None)
    }
}
