//! Elements gathered into an array.

use std::sync::{Arc, Mutex, PoisonError};

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{Block, MemoryPool};

use super::{Flow, Sink};
use crate::element::ElementType;

/// A sink that gathers elements.
pub struct MemorySink {
    name: String,
    gathered: Gathered,
}

/// The gathered elements, to be read when the stream has ended.
#[derive(Clone)]
pub struct Gathered {
    memory: MemoryPool,
    state: Arc<Mutex<State>>,
}

struct State {
    element: Option<ElementType>,
    block: Option<Block>,
    used: usize,
    rows: u64,
}

impl MemorySink {
    /// Gathers elements in `memory`.
    pub fn new(name: &str, memory: &MemoryPool) -> MemorySink {
        let state = State { element: None, block: None, used: 0, rows: 0 };
        let gathered = Gathered { memory: memory.clone(), state: Arc::new(Mutex::new(state)) };
        MemorySink { name: name.to_string(), gathered }
    }

    /// Returns the gathered elements.
    pub fn gathered(&self) -> Gathered {
        self.gathered.clone()
    }
}

impl Gathered {
    /// Takes the array of all elements; `None` if their type is unknown.
    pub fn take(&self) -> Option<Value> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let element = state.element.take()?;
        let block = state.block.take().or_else(|| self.memory.allocate_unique(0).ok())?;
        let ty: ValueType = element.scalar;
        let array = Array::from_block(ty.scalar(), &element.shape_of(state.rows), Arc::new(block))?;
        Some(Value::array(ty, array))
    }
}

impl Sink for MemorySink {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        let mut state = self.gathered.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.element = Some(element.clone());
        Ok(())
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        let mut state = self.gathered.state.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = elements.bytes();
        let (from, to) = (state.used, state.used + bytes.len());
        if state.block.as_ref().is_none_or(|block| block.bytes() < to) {
            // Grows by half: the gathered data is large, and memory is limited.
            let room = (to + to / 2).max(4096) as u64;
            let larger = self.gathered.memory.allocate_unique(room);
            let larger = larger.or_else(|_| self.gathered.memory.allocate_unique(to as u64));
            let mut larger = larger.map_err(|error| error.to_string())?;
            if let Some(block) = &state.block {
                larger.as_mut_slice()[..from].copy_from_slice(&block.as_slice()[..from]);
            }
            state.block = Some(larger);
        }
        if let Some(block) = &mut state.block {
            block.as_mut_slice()[from..to].copy_from_slice(bytes);
        }
        (state.used, state.rows) = (to, state.rows + elements.shape()[0] as u64);
        Ok(Flow::More)
    }

    fn finish(&mut self) -> Result<(), String> {
        Ok(())
    }
}
