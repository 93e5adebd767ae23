//! The interface to devices, which run accelerated expressions.

use super::code::Code;
use super::value::Value;
use super::world::World;

/// A device that runs accelerated expressions.
pub trait Device {
    /// Computes the accelerated expression of this number (of [`Code::accelerated`]), given its captured values; `None` if the
    /// host is to compute it. Its output goes to `world`.
    fn call(
        &mut self,
        code: &Code,
        world: &mut dyn World,
        number: usize,
        arguments: &[Value],
    ) -> Result<Option<Value>, DeviceError>;

    /// Returns whether the host's computation of accelerated expressions is to be watched for effects that would differ in
    /// parallel.
    fn watches(&self) -> bool {
        false
    }

    /// Returns whether sequences that watched expressions make must have elements of equal length.
    fn demands_regular(&self) -> bool {
        false
    }
}

/// The reason why an accelerated expression has no value.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceError {
    /// The message.
    pub message: String,
    /// `file:line:column` inside the accelerated expression, if known.
    pub place: Option<String>,
}

/// A device that leaves everything to the host.
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
