//! The host: runs programs in order, one expression after the other.
//!
//! [`compile`] turns a checked program into [`code`], in which names are slots and functions are closed; [`machine`] runs the
//! code. Values are reference-counted ([`value`], [`object`]), sequences are balanced trees of arrays ([`seq`], [`items`]),
//! tensors are views of buffers ([`tensor`]). Calls use a stack on the heap, so recursion is as deep as memory allows, and a call
//! in tail position needs no stack. Functions without effects can be [`native`] code. The effects of a program on the outside go
//! through [`world`]. Accelerated expressions go through [`device`]; [`debug`] is a device that only inspects them.

pub mod code;
pub mod compile;

pub mod items;
pub mod object;
pub mod seq;
pub mod tensor;
pub mod value;

pub mod equal;
pub mod show;

pub mod budget;
mod channels;
mod parsed;
pub mod world;

pub mod device;

pub mod debug;

pub mod native;

mod builtins;
mod loops;
pub mod machine;
mod outcome;
mod watch;
