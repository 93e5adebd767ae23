//! Contexts: the devices and the memory that computations run on.

mod cancel;
mod device;
mod options;
mod prepared;
mod recent;
mod traffic;

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use warpwise_diag::Sources;
use warpwise_driver::build::{Built, build_core};
#[cfg(feature = "include")]
use warpwise_driver::build::{Core, build_embedded, read_embedded};
use warpwise_driver::cache::{DEFAULT_BOUND, DiskCache};
use warpwise_driver::{Options, Program, Target, interpret};
use warpwise_ir::Program as CoreProgram;
use warpwise_ir::deep::{DroppedDeep, deep};
use warpwise_ir::verify::{Level, verify};
use warpwise_runtime::array::Value;
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::CancelFlag;

use crate::error::Error;
use crate::foreign::DeviceKind;
use crate::function::{Computation, Function, Output};
use crate::graph::{self, Expression, Form, Op, Ref, fingerprint};
#[cfg(feature = "include")]
use crate::included::Included;
use crate::lower::{Lowered, foreign_calls, lower};
use device::Device;
use prepared::ForeignCall;
use recent::Recent;

pub use cancel::Cancel;
pub use options::Floats;
pub(crate) use prepared::{Part, Prepared};
pub use traffic::{Copies, DeviceTraffic};

/// Maximum number of programs kept. Functions compiled to an evicted program keep it alive.
const MOST_PROGRAMS: usize = 256;

/// Maximum number of graph forms kept; several forms may be lowered to one program.
const MOST_FORMS: usize = 4 * MOST_PROGRAMS;

/// A device with its memory, on which computations run. Clones share both, and also the 256 most recently used programs; other
/// programs are recompiled, or read from the cache, when they are needed again.
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
    /// How programs are compiled; the device says for which target.
    options: Options,
    programs: Mutex<Recent<Arc<Loaded>>>,
    /// Lowering results, keyed by the form of the graph.
    forms: Mutex<Recent<Arc<dyn Any + Send + Sync>>>,
    compilations: AtomicU64,
    /// Context whose programs this one shares, if the two differ only in their memory.
    lender: Option<Context>,
}

/// The result of lowering the graphs of one form.
struct Known<T> {
    /// The program's key.
    key: u128,
    /// Positions of the graph's host arrays, in the order in which the program takes them.
    used: Vec<usize>,
    /// Further data about the program.
    learned: T,
}

/// A program loaded on its device.
enum Loaded {
    /// Compiled code.
    Compiled(Box<Program>),
    /// Code for the interpreter, its source texts, and the flag that ends its runs.
    Interpreted(DroppedDeep<CoreProgram>, Sources, CancelFlag),
}

impl Context {
    fn on(device: Device) -> Context {
        Context::lending(device, DiskCache::of_user(), Options::default(), None)
    }

    fn lending(
        device: Device,
        cache: Option<DiskCache>,
        options: Options,
        lender: Option<Context>,
    ) -> Context {
        let programs = Mutex::new(Recent::new(MOST_PROGRAMS));
        let forms = Mutex::new(Recent::new(MOST_FORMS));
        let compilations = AtomicU64::new(0);
        Context { inner: Arc::new(Inner { device, cache, options, programs, forms, compilations, lender }) }
    }

    /// Returns a context on the same device that stores compiled code in this folder, or, without a folder, only in memory. Other
    /// contexts store it in the user's cache folder, beside that of the command `warpwise`. Only the executable that stored the
    /// code reuses it, until the executable is rebuilt. The oldest code is deleted when the folder grows beyond 256 MiB.
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
        Context::lending(self.inner.device.clone(), cache, self.inner.options.clone(), None)
    }

    /// Computes arrays or scalars: an [`Acc`](crate::Acc), an [`Exp`](crate::Exp), or a tuple of those. Computations of the same
    /// form are compiled once, whatever host arrays they use.
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
        let _expression = Expression::begin();
        let mut results = Vec::new();
        computation.nodes(&mut results);
        let program = self.prepare(&[], &results)?;
        let values = self.call(&program, Vec::new())?;
        O::host(&mut values.into_iter())
    }

    /// Compiles a function of arrays ([`Acc`](crate::Acc)) and scalars ([`Exp`](crate::Exp)). The closure must name its
    /// parameters' types.
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
        let _expression = Expression::begin();
        let program = graph::scope(|| {
            let (params, results) = computation.build();
            self.prepare(&params, &results)
        })?;
        Ok(Function::new(self.clone(), program))
    }

    /// Returns the core IR of a computation as human-readable text: the program that [`run`](Context::run) compiles.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let text = Context::interpreter().show(&enum_from(4, 1).sum())?;
    /// assert!(text.contains("reduce"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn show<O: Output>(&self, computation: &O) -> Result<String, Error> {
        let _expression = Expression::begin();
        let mut results = Vec::new();
        computation.nodes(&mut results);
        deep(|| Ok(lower(&[], &results)?.program.to_string()))
    }

    /// Returns a context on the same device whose programs together use at most `bytes` of memory, including results that are
    /// still in use. A program that needs more ends with [`Error::OutOfMemory`]. Code compiled here for the processor is shared
    /// with the original context. On a device other than the processor the limit also applies to the device's memory: arrays that
    /// no longer fit move to the host ([`DeviceTraffic::evicted`]). The interpreter counts results only.
    ///
    /// ```
    /// use warpwise::{Context, Error, enum_from};
    ///
    /// let numbers = enum_from(1 << 20, 1.0_f64);
    /// let small = Context::cpu()?.with_memory_limit(1 << 20);
    /// assert!(matches!(small.run(&numbers), Err(Error::OutOfMemory(_))));
    /// assert_eq!(small.run(&numbers.sum())?.to_vec().len(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn with_memory_limit(&self, bytes: u64) -> Context {
        self.lent(self.inner.device.limited(bytes))
    }

    /// Returns a context on the same device whose programs compute in this memory.
    #[cfg(feature = "seq")]
    pub(crate) fn within(&self, memory: &MemoryPool) -> Context {
        self.lent(self.inner.device.within(memory))
    }

    /// A context for the same device with other memory, which runs this context's programs.
    fn lent(&self, device: Device) -> Context {
        let (cache, options) = (self.inner.cache.clone(), self.inner.options.clone());
        Context::lending(device, cache, options, Some(self.clone()))
    }

    /// Returns the kind of this context's device.
    ///
    /// ```
    /// use warpwise::{Context, DeviceKind};
    ///
    /// assert_eq!(Context::cpu()?.kind(), DeviceKind::Cpu);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn kind(&self) -> DeviceKind {
        self.inner.device.kind()
    }

    /// Returns a handle that ends runs of this context from elsewhere: current runs, also inside long loops, and all later ones
    /// until [`Cancel::reset`]. Each ends with [`Error::Interrupted`]. Contexts derived from one another share the handle.
    /// Running foreign functions and the current work of a device are completed first.
    ///
    /// ```
    /// use std::time::Duration;
    /// use warpwise::{Context, Error, awhile, unit};
    ///
    /// let context = Context::cpu()?;
    /// let cancel = context.cancel();
    /// let other = std::thread::spawn(move || {
    ///     std::thread::sleep(Duration::from_millis(100));
    ///     cancel.cancel();
    /// });
    /// let endless = awhile(&unit(1_i64), |x| x.the().gt(0), |x| x.map(|x| x % 7 + 1));
    /// assert_eq!(context.run(&endless).unwrap_err(), Error::Interrupted);
    /// context.cancel().reset();
    /// # other.join().unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cancel(&self) -> Cancel {
        Cancel::with(self.inner.device.cancel_flag())
    }

    /// Returns the number of programs compiled so far, or read from the cache.
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

    /// Compiles all programs that a computation needs.
    fn prepare(&self, params: &[Ref], results: &[Ref]) -> Result<Prepared, Error> {
        let mut given = params.to_vec();
        let mut calls = Vec::new();
        for call in foreign_calls(params, results, self.kind()) {
            let Op::Foreign(native) = &call.op else { continue };
            let program = self.lowered(&given, std::slice::from_ref(&call.inputs[0]))?;
            let mut kept = Vec::new();
            let mut start = 0;
            given.push(call.clone());
            for argument in &call.inputs[0].inputs {
                let end = start + argument.ty.width();
                let is_given = matches!(argument.op, Op::Parameter | Op::Use(_) | Op::Group(_));
                if !is_given && given.iter().all(|known| known.id != argument.id) {
                    given.push(argument.clone());
                    kept.push(start..end);
                }
                start = end;
            }
            calls.push(ForeignCall { program, native: native.clone(), kept });
        }
        Ok(Prepared { calls, last: self.lowered(&given, results)? })
    }

    fn lowered(&self, params: &[Ref], results: &[Ref]) -> Result<Part, Error> {
        let form = Form::new("whole", params, results);
        Ok(self.load_form(&form, || Ok((lower(params, results)?, ())))?.0)
    }

    /// Returns the compiled program of a graph of this form, with its host arrays, and the further data returned by `make`. Only
    /// the first graph of a form is lowered.
    pub(crate) fn load_form<T: Clone + Send + Sync + 'static>(
        &self,
        form: &Form,
        make: impl FnOnce() -> Result<(Lowered, T), Error>,
    ) -> Result<(Part, T), Error> {
        let owner = self.owner();
        let known = owner.forms().get(form.key());
        if let Some(known) = known.and_then(|known| known.downcast::<Known<T>>().ok())
            && let Some(loaded) = self.kept(known.key)?
        {
            let used = known.used.iter().map(|&at| form.node(at));
            return Ok((Part { loaded, used: values_of_used(used) }, known.learned.clone()));
        }
        let (part, key, used, learned) = deep(|| {
            let (lowered, learned) = make()?;
            let used: Option<Vec<usize>> = lowered.used.iter().map(|node| form.position(node)).collect();
            let (part, key) = self.load(lowered)?;
            Ok::<_, Error>((part, key, used, learned))
        })?;
        if let Some(used) = used {
            let known = Known { key, used, learned: learned.clone() };
            let _former = owner.forms().insert(form.key(), Arc::new(known));
        }
        Ok((part, learned))
    }

    /// Returns the context that keeps compiled code for this one.
    fn owner(&self) -> &Context {
        match (&self.inner.lender, &self.inner.device) {
            (Some(lender), Device::Compiled(_, Target::Cpu)) => lender.owner(),
            _ => self,
        }
    }

    /// Returns the compiled program with its host arrays, and the program's key.
    fn load(&self, lowered: Lowered) -> Result<(Part, u128), Error> {
        let used = values_of_used(lowered.used.iter());
        let text = lowered.program.to_string();
        let key = fingerprint(text.as_bytes());
        let loaded = self.loaded(key, |device, cache| {
            if let Err(errors) = verify(&lowered.program, Level::Soac) {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                return Err(Error::Internal(format!("{}\n{text}", errors.join("\n"))));
            }
            match device {
                Device::Interpreter(_, cancel) => {
                    let program = DroppedDeep::new(lowered.program);
                    Ok(Loaded::Interpreted(program, Sources::new(), cancel.clone()))
                }
                Device::Compiled(context, target) => {
                    let options = self.options_for(*target);
                    let built = build_core(lowered.program, &text, &options, cache).map_err(Error::from)?;
                    loaded(built, context)
                }
            }
        })?;
        Ok((Part { loaded, used }, key))
    }

    fn options_for(&self, target: Target) -> Options {
        Options { target, ..self.inner.options.clone() }
    }

    /// Returns the program of this key, if there is one.
    fn kept(&self, key: u128) -> Result<Option<Arc<Loaded>>, Error> {
        if let Some(loaded) = self.programs().get(key) {
            return Ok(Some(loaded));
        }
        let (Some(lender), Device::Compiled(context, Target::Cpu)) = (&self.inner.lender, &self.inner.device)
        else {
            return Ok(None);
        };
        let Some(lent) = lender.kept(key)? else { return Ok(None) };
        Ok(Some(self.keep(key, lent.within(context.memory())?)))
    }

    /// Returns the program of this key, and makes it if it is new.
    fn loaded(
        &self,
        key: u128,
        make: impl FnOnce(&Device, Option<&DiskCache>) -> Result<Loaded, Error>,
    ) -> Result<Arc<Loaded>, Error> {
        if let Some(loaded) = self.kept(key)? {
            return Ok(loaded);
        }
        if let (Some(lender), Device::Compiled(context, Target::Cpu)) =
            (&self.inner.lender, &self.inner.device)
        {
            let lent = lender.loaded(key, make)?;
            return Ok(self.keep(key, lent.within(context.memory())?));
        }
        let loaded = make(&self.inner.device, self.inner.cache.as_ref())?;
        self.inner.compilations.fetch_add(1, Ordering::Relaxed);
        Ok(self.keep(key, loaded))
    }

    /// Stores a program under its key.
    fn keep(&self, key: u128, loaded: Loaded) -> Arc<Loaded> {
        let loaded = Arc::new(loaded);
        let _former = self.programs().insert(key, Arc::clone(&loaded));
        loaded
    }

    /// Calls an entry point of a program embedded in this executable.
    #[cfg(feature = "include")]
    pub(crate) fn call_included(
        &self,
        included: &Included,
        entry: &str,
        arguments: Vec<Value>,
    ) -> Result<Vec<Value>, Error> {
        let program = included.program();
        let loaded = self.loaded(included.key(), |device, cache| match device {
            Device::Interpreter(_, cancel) => {
                let Core { program, sources, .. } = read_embedded(program, &Options::default())?;
                Ok(Loaded::Interpreted(DroppedDeep::new(program), sources, cancel.clone()))
            }
            Device::Compiled(context, target) => {
                let options = self.options_for(*target);
                loaded(build_embedded(program, &options, cache)?, context)
            }
        })?;
        loaded.call(entry, arguments, self.memory())
    }

    fn memory(&self) -> &MemoryPool {
        self.inner.device.memory()
    }

    fn programs(&self) -> MutexGuard<'_, Recent<Arc<Loaded>>> {
        self.inner.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forms(&self) -> MutexGuard<'_, Recent<Arc<dyn Any + Send + Sync>>> {
        self.inner.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loaded {
    /// Returns the same code, computing in other memory.
    fn within(&self, memory: &MemoryPool) -> Result<Loaded, Error> {
        let program = match self {
            Loaded::Compiled(program) => program.within(memory.clone()),
            Loaded::Interpreted(..) => None,
        };
        let loaded = program.map(|program| Loaded::Compiled(Box::new(program)));
        loaded.ok_or_else(|| Error::Internal("code that is not the processor's".to_string()))
    }

    /// Calls like [`Loaded::call`], with arguments that may lie on the program's device. Only a program on a device leaves its
    /// results there.
    fn call_resident(
        &self,
        entry: &str,
        arguments: Vec<Placed>,
        memory: &MemoryPool,
    ) -> Result<Vec<Placed>, Error> {
        match self {
            Loaded::Compiled(program) if program.device_memory().is_some() => {
                Ok(program.call_resident(entry, arguments.into_iter())?)
            }
            Loaded::Compiled(_) | Loaded::Interpreted(..) => {
                let arguments: Result<_, _> = arguments.iter().map(|value| value.to_host(memory)).collect();
                Ok(self.call(entry, arguments?, memory)?.into_iter().map(Placed::Host).collect())
            }
        }
    }

    fn call(&self, entry: &str, arguments: Vec<Value>, memory: &MemoryPool) -> Result<Vec<Value>, Error> {
        match self {
            Loaded::Compiled(program) => Ok(program.call(entry, arguments)?),
            Loaded::Interpreted(program, sources, cancel) => {
                match interpret(program, sources, entry, &arguments, memory, cancel) {
                    Some(results) => results.map_err(|message| {
                        let own = message.strip_prefix("<compiler>: ");
                        Error::Check(own.unwrap_or(&message).to_string())
                    }),
                    None if cancel.is_set() => Err(Error::Interrupted),
                    None => Err(Error::Check("the interpreter gave up".to_string())),
                }
            }
        }
    }
}

/// Loads a compiled program on its device.
fn loaded(built: Built, context: &warpwise_driver::Context) -> Result<Loaded, Error> {
    let program = built.compiled.load(context).map_err(|error| Error::Device(error.to_string()))?;
    Ok(Loaded::Compiled(Box::new(program)))
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner.device {
            Device::Compiled(_, Target::Cpu) => f.write_str("Context::cpu"),
            Device::Compiled(_, Target::Device(dialect, number)) => {
                write!(f, "Context::{}({number})", dialect.device())
            }
            Device::Interpreter(..) => f.write_str("Context::interpreter"),
        }
    }
}

/// Returns the values of the host arrays among the nodes.
fn values_of_used<'r>(nodes: impl Iterator<Item = &'r Ref>) -> Vec<Value> {
    let mut values = Vec::new();
    for node in nodes {
        if let Op::Use(array) = &node.op {
            crate::function::values_of(array, &mut values);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{Context, MOST_FORMS, MOST_PROGRAMS};
    use crate::enum_from;

    #[test]
    fn as_many_programs_as_there_is_a_bound_for_are_kept() {
        let context = Context::interpreter();
        let sums = || (0..MOST_FORMS as i64 + 10).map(|k| (k, enum_from(3, 0_i64).map(move |x| x + k).sum()));
        for (k, sum) in sums() {
            assert_eq!(context.run(&sum).unwrap().to_vec(), [3 + 3 * k]);
        }
        assert_eq!(context.programs().len(), MOST_PROGRAMS);
        assert_eq!(context.forms().len(), MOST_FORMS);
        // Evicted programs are recompiled.
        let compilations = context.compilations();
        let (_, first) = sums().next().unwrap();
        assert_eq!(context.run(&first).unwrap().to_vec(), [3]);
        assert_eq!(context.compilations(), compilations + 1);
    }
}
