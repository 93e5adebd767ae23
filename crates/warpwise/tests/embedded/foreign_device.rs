//! Foreign functions that work in an OpenCL device's memory.

use std::mem::ManuallyDrop;
use std::ptr::null;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context as ClContext;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, ClMem};
use opencl3::program::Program;
use opencl3::types::{cl_command_queue, cl_context, cl_device_id, cl_mem};
use warpwise::{
    Acc, Array, Context, DeviceAccess, DeviceArray, DeviceBuffer, DeviceKind, Dim0, Dim1, Dim2, Error,
    Matrix, Singleton, Vector, fill, foreign, foreign_cuda, foreign_opencl, unit,
};

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Borrows a handle from the program.
fn lent(buffer: DeviceBuffer) -> ManuallyDrop<Buffer<u8>> {
    ManuallyDrop::new(Buffer::new(buffer.handle as usize as cl_mem))
}

fn queue(access: &DeviceAccess) -> ManuallyDrop<CommandQueue> {
    ManuallyDrop::new(CommandQueue::new(access.queue() as cl_command_queue, 3))
}

/// Copies an array with the driver, component by component.
fn copy(
    access: &DeviceAccess,
    from: &DeviceArray<Dim1, (i64, f32)>,
    extents: [usize; 1],
) -> Result<DeviceArray<Dim1, (i64, f32)>, Failed> {
    let to = access.allocate::<Dim1, (i64, f32)>(extents)?;
    for (from, to) in from.buffers().into_iter().zip(to.buffers()) {
        assert_eq!(from.bytes, to.bytes);
        if from.bytes > 0 {
            // SAFETY: both buffers have this many bytes.
            unsafe { queue(access).enqueue_copy_buffer(&lent(from), &mut lent(to), 0, 0, from.bytes, &[]) }?;
        }
    }
    Ok(to)
}

/// A kernel that transposes a matrix, which is built at the call.
const TRANSPOSE: &str = "kernel void transposed(global const int *from, global int *to, int n, int m) {
    int at = get_global_id(0);
    to[at % m * n + at / m] = from[at];
}";

fn transposed(
    access: &DeviceAccess,
    matrix: &DeviceArray<Dim2, i32>,
) -> Result<DeviceArray<Dim2, i32>, Failed> {
    let [n, m] = matrix.extents();
    let result = access.allocate([m, n])?;
    if result.is_empty() {
        return Ok(result);
    }
    let device = access.device() as cl_device_id;
    let context = ManuallyDrop::new(ClContext::new(access.context() as cl_context, &[device]));
    let program = Program::create_and_build_from_source(&context, TRANSPOSE, "")?;
    let kernel = Kernel::create(&program, "transposed")?;
    let (from, to) = (lent(matrix.buffers()[0]), lent(result.buffers()[0]));
    // SAFETY: the arguments are those of the kernel, and the buffers have `n * m` elements.
    unsafe {
        kernel.set_arg(0, &from.get())?;
        kernel.set_arg(1, &to.get())?;
        kernel.set_arg(2, &(n as i32))?;
        kernel.set_arg(3, &(m as i32))?;
        queue(access).enqueue_nd_range_kernel(kernel.get(), 1, null(), &(n * m), null(), &[])?;
    }
    Ok(result)
}

fn device() -> Context {
    Context::opencl(0).unwrap().with_cache(None)
}

/// Returns the number of copies to the device, and to the host.
fn copies(context: &Context) -> (u64, u64) {
    let traffic = context.device_traffic().expect("a device");
    (traffic.to_device.times, traffic.to_host.times)
}

fn matrix(n: usize, m: usize) -> Matrix<i32> {
    Array::from_vec([n, m], (0..(n * m) as i32).collect()).unwrap()
}

#[test]
fn kernels_of_a_function_run_between_those_of_the_program_without_copies() {
    let function = |xs: Acc<Matrix<i32>>| {
        // The first transposition is a view in the program: the function receives it dense and row-major.
        let turned = xs.transpose().map(|x| x * 10);
        let native = |access: &DeviceAccess, matrix: DeviceArray<Dim2, i32>| transposed(access, &matrix);
        let back = foreign_opencl("transposed", native, &turned, |turned| turned.transpose());
        let again = foreign_opencl("transposed", native, &back.transpose().transpose(), |xs| xs.transpose());
        (back.map(|x| x + 1), again, turned)
    };
    let context = device();
    let compiled = context.compile(function).unwrap();
    let expected = Context::interpreter().compile(function).unwrap();
    for (n, m) in [(2, 3), (1, 7), (0, 3), (3, 0), (17, 40)] {
        let xs = matrix(n, m);
        let before = copies(&context);
        assert_eq!(compiled.run(&xs).unwrap(), expected.run(&xs).unwrap(), "{n} by {m}");
        let after = copies(&context);
        let some = u64::from(n * m > 0);
        assert_eq!((after.0 - before.0, after.1 - before.1), (some, 3 * some), "one argument, three results");
    }
}

#[test]
fn components_have_buffers_of_their_own() {
    let function = |xs: Acc<Vector<(i64, f32)>>| {
        let native = |access: &DeviceAccess, xs: DeviceArray<Dim1, (i64, f32)>| {
            assert_eq!(
                xs.buffers().iter().map(|buffer| buffer.bytes).collect::<Vec<_>>(),
                [8 * xs.len(), 4 * xs.len()]
            );
            copy(access, &xs, xs.extents())
        };
        foreign_opencl("copied", native, &xs.map(|(a, b)| (a + 1, b * 2.0)), |xs| xs)
    };
    for n in [0, 1, 1000] {
        let xs: Vector<(i64, f32)> = (0..n).map(|i| (i, i as f32)).collect::<Vec<_>>().into();
        let found = device().compile(function).unwrap().run(&xs).unwrap();
        assert_eq!(found.to_vec(), (0..n).map(|i| (i + 1, 2.0 * i as f32)).collect::<Vec<_>>());
    }
}

#[test]
fn one_element_goes_by_value_and_functions_of_both_kinds_follow_each_other() {
    let function = |xs: Acc<Vector<i64>>| {
        let on_device =
            |access: &DeviceAccess, (xs, factor): (DeviceArray<Dim1, i64>, DeviceArray<Dim0, i64>)| {
                assert_eq!((factor.len(), factor.buffers()[0].bytes), (1, 8));
                let sum = access.allocate::<Dim0, i64>([])?;
                let (from, to) = (factor.buffers()[0], sum.buffers()[0]);
                // SAFETY: both buffers have eight bytes.
                unsafe { queue(access).enqueue_copy_buffer(&lent(from), &mut lent(to), 0, 0, 8, &[]) }?;
                Ok((xs, sum))
            };
        let on_host = |xs: Vector<i64>| Ok(xs.to_vec().into_iter().rev().collect::<Vec<_>>().into());
        let arguments = (xs.map(|x| x * 3), unit(7_i64));
        let (same, seven): (Acc<Vector<i64>>, Acc<Singleton<i64>>) =
            foreign_opencl("both", on_device, &arguments, |both| both);
        let turned = foreign(DeviceKind::OpenCl, "turned", on_host, &same, |xs| xs.reverse());
        (turned.zip_with(&same, |x, y| x - y), seven)
    };
    let found = device().compile(function).unwrap().run(&vec![1, 2, 5].into()).unwrap();
    assert_eq!((found.0.to_vec(), found.1.to_vec()), (vec![12, 0, -12], vec![7]));
}

#[test]
fn elsewhere_the_language_takes_over() {
    let never = |_: &DeviceAccess, _: DeviceArray<Dim1, i64>| -> Result<DeviceArray<Dim1, i64>, Failed> {
        panic!("not on this device")
    };
    let xs = foreign_cuda("never", never, &fill(3, 2_i64), |xs| foreign_opencl("never", never, &xs, |xs| xs));
    for context in crate::contexts() {
        assert_eq!(context.run(&xs).unwrap().to_vec(), [2; 3]);
    }
}

#[test]
fn what_fails_is_an_error_of_the_run() {
    let function = |xs: Acc<Vector<i64>>| {
        let native = |access: &DeviceAccess, xs: DeviceArray<Dim1, i64>| match xs.len() {
            0 => Err("nothing to do".into()),
            1 => panic!("one is {}", 1),
            2 => Ok(access.allocate::<Dim1, i64>([usize::MAX])?),
            3 => Ok(access.allocate::<Dim1, i64>([1 << 50])?),
            _ => Ok(xs),
        };
        foreign_opencl("odd", native, &xs, |xs| xs)
    };
    let compiled = device().compile(function).unwrap();
    let run = |n: i64| compiled.run(&Vector::from((0..n).collect::<Vec<_>>()));
    assert_eq!(run(0), Err(Error::Foreign("odd: nothing to do".to_string())));
    assert_eq!(run(1), Err(Error::Foreign("odd: panicked: one is 1".to_string())));
    assert!(matches!(run(2), Err(Error::Foreign(message)) if message.contains("too large")));
    assert!(matches!(run(3), Err(Error::Foreign(message)) if message.contains("memory")));
    assert_eq!(run(4).unwrap().to_vec(), [0, 1, 2, 3]);
}

#[test]
fn results_of_another_context_are_refused() {
    let kept = std::sync::Arc::new(std::sync::Mutex::new(None));
    let native = move |access: &DeviceAccess, xs: DeviceArray<Dim1, i64>| {
        let mut kept = kept.lock().unwrap();
        let result: DeviceArray<Dim1, i64> = kept.take().unwrap_or(access.allocate(xs.extents())?);
        *kept = Some(result.clone());
        Ok(result)
    };
    let xs = foreign_opencl("kept", native, &fill(3, 2_i64), |xs| xs);
    assert!(device().run(&xs).is_ok());
    let message = device().run(&xs).unwrap_err().to_string();
    assert!(message.contains("the memory of another context"), "{message}");
}

#[test]
fn a_limit_makes_arrays_leave_the_device() {
    let xs: Vector<i64> = (0..1 << 16).collect::<Vec<_>>().into();
    // Four arrays of half a megabyte, all needed at the end.
    let function = |xs: Acc<Vector<i64>>| {
        let same = |_: &DeviceAccess, xs: DeviceArray<Dim1, i64>| Ok(xs);
        let each = [1, 2, 3, 4].map(|k| foreign_opencl("same", same, &xs.map(move |x| x + k), |xs| xs));
        each.map(|xs| xs.sum()).into_iter().reduce(|a, b| a.zip_with(&b, |x, y| x + y)).expect("four")
    };
    let expected = Context::cpu().unwrap().compile(function).unwrap().run(&xs).unwrap();
    let small = device().with_memory_limit(5 << 18);
    assert_eq!(small.compile(function).unwrap().run(&xs), Ok(expected));
    let traffic = small.device_traffic().expect("a device");
    assert!(traffic.evicted.times > 0 && traffic.brought_back.times > 0, "{traffic:?}");
    let tiny = device().with_memory_limit(1 << 18);
    assert!(matches!(tiny.compile(function).unwrap().run(&xs), Err(Error::OutOfMemory(_))));
}
