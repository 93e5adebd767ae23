//! The end of OpenCL devices and of processes with devices: nobody leaves while commands run.
//!
//! A marker behind a slow kernel tells whether the kernel is done.

use std::mem::ManuallyDrop;
use std::process::Command;
use std::sync::Arc;

use opencl3::command_queue::CommandQueue;
use opencl3::event::{CL_COMPLETE, Event};
use opencl3::types::cl_command_queue;
use warpwise_gpu::build::DriverOf;
use warpwise_gpu::kernel_text::{Features, KernelText};
use warpwise_gpu::opencl::{OpenClDevice, finish_all};
use warpwise_prim::Scalar;
use warpwise_runtime::device::{Device, DeviceArgument, DeviceKernel, DeviceParam, Failures};

use crate::device::SKIP;

/// A kernel whose launch takes longer than it takes to drop a device.
const SLOW: &str = "__kernel void slow(__global ulong *out, long first, long extent) {
  ulong x = 1;
  for (long i = 0; i < 100000000; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
  *out = x;
}";

/// Environment variable that tells a process of the tests that it is the one that ends.
const ENDS: &str = "WARPWISE_TEST_ENDS";

fn slow() -> KernelText {
    let kernel = DeviceKernel {
        name: "slow".to_string(),
        params: vec![DeviceParam::Memory { read: false, written: true }],
        group: None,
        local: Vec::new(),
        per_item: 1,
        failures: Failures::Ignored,
        arena: false,
    };
    let text = SLOW.to_string();
    KernelText {
        bodies: std::iter::once(0..text.len()).collect(),
        text,
        features: Features::default(),
        kernels: vec![kernel],
    }
}

/// Launches the slow kernel, and returns a marker behind it.
fn launched(device: &Arc<OpenClDevice>) -> Event {
    let buffer = device.allocate(8).expect("device memory");
    let kernels = device.build(&slow(), None).expect("a kernel").kernels;
    let arguments = [DeviceArgument::Memory(buffer), long(0), long(1)];
    // SAFETY: the arguments are those of the kernel's parameter list.
    unsafe { kernels.launch(0, &arguments, 1) }.expect("a launch");
    let queue = device.handles().queue as cl_command_queue;
    // SAFETY: the queue is the device's, which is alive; nothing is released here.
    let marker = unsafe { ManuallyDrop::new(CommandQueue::new(queue, 1)).enqueue_marker_with_wait_list(&[]) };
    marker.expect("a marker")
}

fn long(x: i64) -> DeviceArgument {
    DeviceArgument::Scalar(Scalar::I64(x))
}

fn is_done(marker: &Event) -> bool {
    marker.command_execution_status().expect("a status").0 == CL_COMPLETE
}

#[test]
fn a_dropped_device_has_waited_for_its_commands() {
    if std::env::var_os(SKIP).is_some() {
        return;
    }
    let device = OpenClDevice::open(0).expect("a device");
    let marker = launched(&device);
    drop(device);
    assert!(is_done(&marker));
}

#[test]
fn a_process_ends_after_its_commands() {
    if std::env::var_os(SKIP).is_some() {
        return;
    }
    if std::env::var_os(ENDS).is_some() {
        return leave();
    }
    let mut process = Command::new(std::env::current_exe().expect("the path of the tests"));
    process.args(["--exact", "ending::a_process_ends_after_its_commands"]).env(ENDS, "1");
    let ended = process.output().expect("the tests start");
    assert!(ended.status.success(), "{}: {}", ended.status, String::from_utf8_lossy(&ended.stdout));
}

/// Leaves a device that is never dropped.
fn leave() {
    let device = OpenClDevice::open(0).expect("a device");
    let marker = launched(&device);
    std::mem::forget(device);
    finish_all();
    assert!(is_done(&marker));
}
