//! Contexts: what computations run on.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use warpwise_diag::Sources;
use warpwise_driver::build::{Built, Core, build_core, build_embedded, read_embedded};
use warpwise_driver::cache::{DEFAULT_BOUND, DiskCache};
use warpwise_driver::{Dialect, Options, Program, Target, interpret};
use warpwise_ir::Program as CoreProgram;
use warpwise_ir::verify::{Level, verify};
use warpwise_runtime::array::Value;
use warpwise_runtime::memory::MemoryPool;
#[cfg(any(feature = "cpu", feature = "opencl", feature = "cuda"))]
use warpwise_runtime::pool::ThreadPool;

use crate::array::host_memory;
use crate::error::Error;
use crate::foreign::{DeviceKind, Native, width};
use crate::function::{Computation, Function, Output};
use crate::graph::{self, Op, Ref};
use crate::included::Included;
use crate::lower::{ENTRY, Lowered, foreign_calls, lower};

/// What computations run on: a device with its memory. Clones share both, and the programs compiled so far.
///
/// ```
/// use warpwise::{Acc, Array, Context, Vector};
///
/// let context = Context::new()?;
/// let dot = context.compile(|xs: Acc<Vector<f32>>, ys: Acc<Vector<f32>>| xs.zip_with(&ys, |x, y| x * y).sum())?;
/// let xs = Array::from_vec([3], vec![1.0, 2.0, 3.0])?;
/// assert_eq!(dot.run(&xs, &xs)?.to_vec(), [14.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

struct Inner {
    device: Device,
    cache: Option<DiskCache>,
    programs: Mutex<HashMap<u128, Arc<Loaded>>>,
    compilations: AtomicU64,
    /// Whose programs these are, if they only compute in other memory.
    lender: Option<Context>,
}

#[derive(Clone)]
enum Device {
    /// Compiled code, for the processor or a device beside it.
    #[cfg_attr(
        not(any(feature = "cpu", feature = "opencl", feature = "cuda")),
        allow(dead_code, reason = "without these features there is only the interpreter")
    )]
    Compiled(warpwise_driver::Context, Target),
    /// The reference interpreter.
    Interpreter,
}

/// A program on its device.
enum Loaded {
    /// Compiled code.
    Compiled(Box<Program>),
    /// Code for the interpreter, and the texts it came from.
    Interpreted(CoreProgram, Sources),
}

impl Context {
    /// The best device that the features of this build allow: the CPU, a CUDA device, an OpenCL device, the interpreter.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Result<Context, Error> {
        #[cfg(feature = "cpu")]
        return Context::cpu();
        #[cfg(all(feature = "cuda", not(feature = "cpu")))]
        return Context::cuda(0);
        #[cfg(all(feature = "opencl", not(any(feature = "cpu", feature = "cuda"))))]
        return Context::opencl(0);
        #[cfg(not(any(feature = "cpu", feature = "cuda", feature = "opencl")))]
        return Ok(Context::interpreter());
    }

    /// All cores of the CPU.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu() -> Result<Context, Error> {
        Ok(Context::cpu_on(ThreadPool::with_all_cores()))
    }

    /// So many threads of the CPU, the calling one included.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let context = Context::cpu_with_threads(1)?;
    /// assert_eq!(context.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu_with_threads(threads: usize) -> Result<Context, Error> {
        Ok(Context::cpu_on(ThreadPool::new(threads.max(1))))
    }

    #[cfg(feature = "cpu")]
    fn cpu_on(threads: ThreadPool) -> Context {
        let host = warpwise_driver::Context::with(threads, host_memory().clone());
        Context::on(Device::Compiled(host, Target::Cpu))
    }

    /// An OpenCL device, by its number among those of the machine, from 0 on. Whether it is there shows when something is computed:
    /// [`Error::Device`]. What devices cannot do yet is [`Error::Limit`].
    ///
    /// ```no_run
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::opencl(0)?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "opencl")]
    pub fn opencl(number: usize) -> Result<Context, Error> {
        Ok(Context::beside_host(Dialect::OpenCl, number))
    }

    /// A CUDA device, by its number among those of the machine, from 0 on. NVIDIA's driver and its compiler for kernels
    /// (NVRTC) are looked for when something is computed; where one is missing, [`Error::Device`] says which and what to do.
    ///
    /// ```no_run
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cuda(0)?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cuda")]
    pub fn cuda(number: usize) -> Result<Context, Error> {
        Ok(Context::beside_host(Dialect::Cuda, number))
    }

    #[cfg(any(feature = "opencl", feature = "cuda"))]
    fn beside_host(dialect: Dialect, number: usize) -> Context {
        let host = warpwise_driver::Context::with(ThreadPool::with_all_cores(), host_memory().clone());
        Context::on(Device::Compiled(host, Target::Device(dialect, number)))
    }

    /// The reference interpreter: slow, one element after the other, and what every device is tested against.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::interpreter().run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn interpreter() -> Context {
        Context::on(Device::Interpreter)
    }

    fn on(device: Device) -> Context {
        Context::keeping(device, DiskCache::of_user())
    }

    fn keeping(device: Device, cache: Option<DiskCache>) -> Context {
        Context::lending(device, cache, None)
    }

    fn lending(device: Device, cache: Option<DiskCache>, lender: Option<Context>) -> Context {
        let (programs, compilations) = (Mutex::new(HashMap::new()), AtomicU64::new(0));
        Context { inner: Arc::new(Inner { device, cache, programs, compilations, lender }) }
    }

    /// A context on the same device that keeps compiled code in this folder, or only in memory. Other contexts keep it where the user's
    /// caches lie, beside that of the command `warpwise`. Code is taken from there by the program that put it there, until that is
    /// compiled anew; what is oldest goes when the folder grows beyond 256 MiB.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let context = Context::cpu()?.with_cache(None);
    /// assert_eq!(context.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn with_cache(&self, folder: Option<&Path>) -> Context {
        let cache = folder.map(|folder| DiskCache::new(folder, DEFAULT_BOUND));
        Context::keeping(self.inner.device.clone(), cache)
    }

    /// Computes arrays or scalars: an [`Acc`](crate::Acc), an [`Exp`](crate::Exp), or a tuple of those. A computation of the same form is compiled once,
    /// whatever arrays of the host it uses.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from(4, 1);
    /// let (sum, count) = Context::cpu()?.run(&(xs.sum(), xs.size()))?;
    /// assert_eq!((sum.to_vec(), count), (vec![10], 4));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<O: Output>(&self, computation: &O) -> Result<O::Host, Error> {
        let mut results = Vec::new();
        computation.nodes(&mut results);
        let program = self.prepare(&[], &results)?;
        let values = self.call(&program, Vec::new())?;
        O::host(&mut values.into_iter())
    }

    /// Compiles a function of arrays ([`Acc`](crate::Acc)) and scalars ([`Exp`](crate::Exp)), whose parameters' types the closure must name.
    ///
    /// ```
    /// use warpwise::{Acc, Array, Context, Exp, Vector};
    ///
    /// let context = Context::cpu()?;
    /// let axpy = context.compile(|a: Exp<f64>, xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| {
    ///     xs.zip_with(&ys, move |x, y| a * x + y)
    /// })?;
    /// let xs = Array::from_vec([2], vec![1.0, 2.0])?;
    /// assert_eq!(axpy.run(&10.0, &xs, &xs)?.to_vec(), [11.0, 22.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn compile<A, C: Computation<A>>(&self, computation: C) -> Result<Function<A, C::Result>, Error> {
        let program = graph::scope(|| {
            let (params, results) = computation.build();
            self.prepare(&params, &results)
        })?;
        Ok(Function::new(self.clone(), program))
    }

    /// The core IR of a computation, as text for people: what [`run`](Context::run) compiles.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let text = Context::interpreter().show(&enum_from(4, 1).sum())?;
    /// assert!(text.contains("reduce"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn show<O: Output>(&self, computation: &O) -> Result<String, Error> {
        let mut results = Vec::new();
        computation.nodes(&mut results);
        Ok(lower(&[], &results)?.program.to_string())
    }

    /// A context on the same device whose programs compute in this memory.
    pub(crate) fn within(&self, memory: &MemoryPool) -> Context {
        let device = match &self.inner.device {
            Device::Compiled(context, target) => {
                Device::Compiled(context.with_memory(memory.clone()), *target)
            }
            Device::Interpreter => Device::Interpreter,
        };
        Context::lending(device, self.inner.cache.clone(), Some(self.clone()))
    }

    /// How many programs were compiled so far, or taken from the cache.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let context = Context::cpu()?;
    /// for _ in 0..3 {
    ///     context.run(&enum_from(4, 1).sum())?;
    /// }
    /// assert_eq!(context.compilations(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn compilations(&self) -> u64 {
        self.inner.compilations.load(Ordering::Relaxed)
    }

    /// Compiles everything that a computation needs.
    fn prepare(&self, params: &[Ref], results: &[Ref]) -> Result<Prepared, Error> {
        let mut given = params.to_vec();
        let mut calls = Vec::new();
        for call in foreign_calls(params, results, self.kind()) {
            let Op::Foreign(native) = &call.op else { continue };
            let program = self.load(lower(&given, std::slice::from_ref(&call.inputs[0]))?)?;
            let mut kept = Vec::new();
            let mut start = 0;
            given.push(call.clone());
            for argument in &call.inputs[0].inputs {
                let end = start + width(argument);
                let is_given = matches!(argument.op, Op::Parameter | Op::Use(_) | Op::Group(_));
                if !is_given && given.iter().all(|known| known.id != argument.id) {
                    given.push(argument.clone());
                    kept.push(start..end);
                }
                start = end;
            }
            calls.push(ForeignCall { program, native: native.clone(), kept });
        }
        Ok(Prepared { calls, last: self.load(lower(&given, results)?)? })
    }

    /// The compiled program, and the values it takes after its parameters.
    pub(crate) fn load(&self, lowered: Lowered) -> Result<Part, Error> {
        let mut used = Vec::new();
        for node in &lowered.used {
            if let Op::Use(array) = &node.op {
                crate::function::values_of(array, &mut used);
            }
        }
        let text = lowered.program.to_string();
        let key = fingerprint(&text);
        let loaded = self.loaded(key, |device, cache| {
            if let Err(errors) = verify(&lowered.program, Level::Soac) {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                return Err(Error::Internal(format!("{}\n{text}", errors.join("\n"))));
            }
            match device {
                Device::Interpreter => Ok(Loaded::Interpreted(lowered.program, Sources::new())),
                Device::Compiled(context, target) => {
                    let options = Options { target: *target, ..Options::default() };
                    let built = build_core(lowered.program, &text, &options, cache).map_err(Error::from)?;
                    loaded(built, context)
                }
            }
        })?;
        Ok(Part { loaded, used })
    }

    /// The program of this key, which is made if it is new.
    fn loaded(
        &self,
        key: u128,
        make: impl FnOnce(&Device, Option<&DiskCache>) -> Result<Loaded, Error>,
    ) -> Result<Arc<Loaded>, Error> {
        if let Some(loaded) = self.programs().get(&key) {
            return Ok(Arc::clone(loaded));
        }
        if let (Some(lender), Device::Compiled(context, Target::Cpu)) =
            (&self.inner.lender, &self.inner.device)
        {
            let lent = lender.loaded(key, make)?;
            let loaded = Arc::new(lent.within(context.memory())?);
            self.programs().insert(key, Arc::clone(&loaded));
            return Ok(loaded);
        }
        let loaded = Arc::new(make(&self.inner.device, self.inner.cache.as_ref())?);
        self.inner.compilations.fetch_add(1, Ordering::Relaxed);
        self.programs().insert(key, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Calls an entry point of a program that is a part of this executable.
    pub(crate) fn call_included(
        &self,
        included: &Included,
        entry: &str,
        arguments: Vec<Value>,
    ) -> Result<Vec<Value>, Error> {
        let program = included.program();
        let loaded = self.loaded(included.key(), |device, cache| match device {
            Device::Interpreter => {
                let Core { program, sources, .. } = read_embedded(program, &Options::default())?;
                Ok(Loaded::Interpreted(program, sources))
            }
            Device::Compiled(context, target) => {
                let options = Options { target: *target, ..Options::default() };
                loaded(build_embedded(program, &options, cache)?, context)
            }
        })?;
        loaded.call(entry, arguments, host_memory())
    }

    /// The kind of this context's device.
    ///
    /// ```
    /// use warpwise::{Context, DeviceKind};
    ///
    /// assert_eq!(Context::cpu()?.kind(), DeviceKind::Cpu);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn kind(&self) -> DeviceKind {
        match self.inner.device {
            Device::Compiled(_, Target::Cpu) => DeviceKind::Cpu,
            Device::Compiled(_, Target::Device(Dialect::OpenCl, _)) => DeviceKind::OpenCl,
            Device::Compiled(_, Target::Device(Dialect::Cuda, _)) => DeviceKind::Cuda,
            Device::Interpreter => DeviceKind::Interpreter,
        }
    }

    fn programs(&self) -> std::sync::MutexGuard<'_, HashMap<u128, Arc<Loaded>>> {
        self.inner.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the programs of a computation, and the foreign functions between them.
    pub(crate) fn call(&self, program: &Prepared, arguments: Vec<Value>) -> Result<Vec<Value>, Error> {
        let mut given = arguments;
        for ForeignCall { program, native, kept } in &program.calls {
            let arguments = program.call(given.clone(), host_memory())?;
            let kept: Vec<Value> = kept.iter().flat_map(|range| arguments[range.clone()].to_vec()).collect();
            given.extend((native.call)(arguments)?);
            given.extend(kept);
        }
        program.last.call(given, host_memory())
    }
}

/// A computation ready to run.
pub(crate) struct Prepared {
    /// In order; each takes the parameters and what those before it gave.
    calls: Vec<ForeignCall>,
    /// What comes last.
    last: Part,
}

/// A foreign function and the program that computes its arguments.
struct ForeignCall {
    program: Part,
    native: Native,
    /// The arguments that later programs take, too.
    kept: Vec<Range<usize>>,
}

/// A program with the arrays of the host that it uses.
pub(crate) struct Part {
    loaded: Arc<Loaded>,
    used: Vec<Value>,
}

impl Part {
    /// What the program gives; compiled programs keep to the memory of their context.
    pub(crate) fn call(&self, mut arguments: Vec<Value>, memory: &MemoryPool) -> Result<Vec<Value>, Error> {
        arguments.extend(self.used.iter().cloned());
        self.loaded.call(ENTRY, arguments, memory)
    }
}

impl Loaded {
    /// The same code, computing in other memory.
    fn within(&self, memory: &MemoryPool) -> Result<Loaded, Error> {
        let program = match self {
            Loaded::Compiled(program) => program.within(memory.clone()),
            Loaded::Interpreted(..) => None,
        };
        let loaded = program.map(|program| Loaded::Compiled(Box::new(program)));
        loaded.ok_or_else(|| Error::Internal("code that is not the processor's".to_string()))
    }

    fn call(&self, entry: &str, arguments: Vec<Value>, memory: &MemoryPool) -> Result<Vec<Value>, Error> {
        match self {
            Loaded::Compiled(program) => Ok(program.call(entry, arguments)?),
            Loaded::Interpreted(program, sources) => interpret(program, sources, entry, &arguments, memory)
                .map_err(|message| {
                    let own = message.strip_prefix("<compiler>: ");
                    Error::Check(own.unwrap_or(&message).to_string())
                }),
        }
    }
}

/// A compiled program on its device.
fn loaded(built: Built, context: &warpwise_driver::Context) -> Result<Loaded, Error> {
    let program = built.compiled.load(context).map_err(|error| Error::Device(error.to_string()))?;
    Ok(Loaded::Compiled(Box::new(program)))
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inner.device {
            Device::Compiled(_, Target::Cpu) => f.write_str("Context::cpu"),
            Device::Compiled(_, Target::Device(dialect, number)) => {
                write!(f, "Context::{}({number})", dialect.device())
            }
            Device::Interpreter => f.write_str("Context::interpreter"),
        }
    }
}

/// What two equal texts are taken by.
fn fingerprint(text: &str) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, text).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}
