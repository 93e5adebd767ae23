//! Results that another thread takes call by call.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value};

use super::{Flow, Sink};
use crate::element::ElementType;

/// A sink that hands one of several results of each call to another thread.
pub struct HandedSink {
    name: String,
    scalar: Option<ValueType>,
    is_first: bool,
    handing: Arc<Mutex<Handing>>,
}

/// State that the results of a call share.
struct Handing {
    /// Results of the last call. They are handed on only when the pipeline has dropped them, so that the receiver owns them
    /// alone.
    last: Vec<Value>,
    to: SyncSender<Vec<Value>>,
    /// Whether the receiver is gone.
    is_over: bool,
}

impl HandedSink {
    /// Returns a sink for each of `results` results. The receiver gets the results of one call at a time; if it is gone, the
    /// sinks have enough.
    pub fn several(results: usize, to: &SyncSender<Vec<Value>>) -> Vec<HandedSink> {
        let handing = Handing { last: Vec::new(), to: to.clone(), is_over: false };
        let handing = Arc::new(Mutex::new(handing));
        let sink = |number| HandedSink {
            name: format!("result {}", number + 1),
            scalar: None,
            is_first: number == 0,
            handing: Arc::clone(&handing),
        };
        (0..results).map(sink).collect()
    }
}

impl Handing {
    fn hand_on(&mut self) {
        let last = std::mem::take(&mut self.last);
        if !last.is_empty() && !self.is_over {
            self.is_over = self.to.send(last).is_err();
        }
    }
}

impl Sink for HandedSink {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        self.scalar = Some(element.scalar);
        Ok(())
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        let mut handing = self.handing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_first {
            handing.hand_on();
        }
        let scalar = self.scalar.ok_or("the elements have no type")?;
        handing.last.push(Value::array(scalar, elements.clone()));
        Ok(if handing.is_over { Flow::Enough } else { Flow::More })
    }

    fn show(&mut self) -> Result<(), String> {
        if self.is_first {
            self.handing.lock().unwrap_or_else(PoisonError::into_inner).hand_on();
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        self.show()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use warpwise_runtime::array::Shape;

    use super::*;

    #[test]
    fn results_of_a_call_stay_together_and_belong_to_who_takes_them() {
        let (to, taken) = sync_channel(1);
        let mut sinks = HandedSink::several(2, &to);
        let element = ElementType { scalar: ValueType::I32, shape: Shape::new() };
        sinks.iter_mut().for_each(|sink| sink.begin(&element).unwrap());
        for number in [1, 2] {
            let arrays = [number, -number].map(|x: i32| Array::from_vec(&[1], vec![x]));
            for (sink, array) in sinks.iter_mut().zip(&arrays) {
                assert_eq!(sink.write(array), Ok(Flow::More));
            }
            drop(arrays);
            sinks.iter_mut().for_each(|sink| sink.show().unwrap());
            let results = taken.try_recv().unwrap();
            let numbers: Vec<i32> = results.iter().map(|value| value.as_slice::<i32>().unwrap()[0]).collect();
            assert_eq!(numbers, [number, -number]);
            let Value::Array { array, .. } = &results[0] else { unreachable!() };
            assert_eq!(Arc::strong_count(array.data()), 1);
        }
        drop(taken);
        let array = Array::from_vec(&[1], vec![3]);
        assert_eq!(sinks[0].write(&array), Ok(Flow::More));
        assert_eq!(sinks[0].write(&array), Ok(Flow::Enough));
        assert_eq!(sinks[0].finish(), Ok(()));
    }
}
