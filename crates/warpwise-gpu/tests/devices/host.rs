//! Execution of programs with their kernels on a device.

use std::collections::HashMap;
use std::sync::Arc;

use warpwise_gpu::kernel_text::kernel_text;
use warpwise_imp::ImpProgram;
use warpwise_imp::bytecode::bytecode;
use warpwise_interp::{ArrayValue, Value};
use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::device::memory::DeviceMemory;
use warpwise_runtime::execute::{Argument, Machine, OnDevice, Output, RunError};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::device::Device;
use crate::programs::sources;

/// Memory budget of the programs in bytes.
const LIMIT: u64 = 1 << 30;

/// Runs the function `main`.
pub fn run(device: &Device, program: &ImpProgram, args: &[Value]) -> Result<Vec<Value>, RunError> {
    let text = kernel_text(program.kernels.values(), device.dialect).expect("kernels that can be printed");
    let kernels = device.kernels(&text);
    let memory = DeviceMemory::new(Arc::clone(&device.device), LIMIT);
    let on_device = OnDevice::new(memory, kernels, text.kernels);
    let module = bytecode(program, &sources()).expect("host code");
    let pool = MemoryPool::new(LIMIT);
    let function = module.functions.iter().position(|f| f.name == "main").expect("a function `main`");
    let machine = Machine::on(on_device, module, Arc::new(ThreadPool::new(1)), pool.clone(), HashMap::new());
    let argument = |arg: &Value| match arg {
        Value::Scalar(value) => Argument::Scalar(*value),
        Value::Array(array) => {
            let bytes = to_bytes(&array.data);
            let mut block = pool.allocate_unique(bytes.len() as u64).expect("room");
            block.as_mut_slice().copy_from_slice(&bytes);
            Argument::Block(Arc::new(block))
        }
        other => panic!("not an argument: {other:?}"),
    };
    let outputs = machine.run(function, args.iter().map(argument).collect())?;
    let value = |output: Output| match output {
        Output::Scalar(value) => Value::Scalar(value),
        Output::Array(array) => {
            let shape: Vec<usize> = array.shape().iter().map(|&size| size as usize).collect();
            Value::Array(ArrayValue::new(array.elem(), shape, from_bytes(array.elem(), array.bytes())))
        }
    };
    Ok(outputs.into_iter().map(value).collect())
}

/// Converts scalars to their bytes in memory.
pub fn to_bytes(values: &[Scalar]) -> Vec<u8> {
    let bytes = |value: &Scalar| value.to_bits().to_le_bytes()[..value.ty().bytes()].to_vec();
    values.iter().flat_map(bytes).collect()
}

/// Converts bytes in memory to scalars.
pub fn from_bytes(elem: ScalarType, bytes: &[u8]) -> Vec<Scalar> {
    let value = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        Scalar::from_bits(elem, u64::from_le_bytes(word))
    };
    bytes.chunks_exact(elem.bytes()).map(value).collect()
}
