//! The writing side: from results to sinks.

use std::sync::mpsc::{Receiver, TryRecvError};

use warpwise_runtime::array::Value;

use super::Results;
use crate::element::{Cause, ElementType, StreamError};
use crate::sink::{Flow, Sink};

/// Writes until there are no more results or all sinks have enough. Finishes all sinks in any case, and returns the first error.
pub(super) fn write(results: &Receiver<Results>, sinks: &mut [Box<dyn Sink>]) -> Result<(), StreamError> {
    let mut types: Vec<ElementType> = Vec::new();
    let mut last = 0;
    let mut written = loop {
        let flow = match next(results, sinks) {
            Ok(None) => break Ok(()),
            Ok(Some(Results { first, values, _tokens })) => {
                last = first;
                take(&values, sinks, &mut types)
            }
            Err(cause) => Err(cause),
        };
        match flow {
            Ok(Flow::More) => {}
            Ok(Flow::Enough) => break Ok(()),
            Err(cause) => break Err(StreamError { element: last, cause }),
        }
    };
    for sink in sinks {
        let finished = sink.finish();
        let failed = |message| StreamError { element: last, cause: sink_failed(&**sink, message) };
        written = written.and(finished.map_err(failed));
    }
    written
}

/// Returns the next results. If they are not available yet, the sinks first show the results before them.
fn next(results: &Receiver<Results>, sinks: &mut [Box<dyn Sink>]) -> Result<Option<Results>, Cause> {
    match results.try_recv() {
        Ok(results) => return Ok(Some(results)),
        Err(TryRecvError::Disconnected) => return Ok(None),
        Err(TryRecvError::Empty) => {}
    }
    for sink in sinks {
        sink.show().map_err(|message| sink_failed(&**sink, message))?;
    }
    Ok(results.recv().ok())
}

/// Writes the results of a call. There is enough when all sinks have enough: one whose reader is gone must not cut the others short.
fn take(values: &[Value], sinks: &mut [Box<dyn Sink>], types: &mut Vec<ElementType>) -> Result<Flow, Cause> {
    let mut flow = Flow::Enough;
    if values.len() != sinks.len() {
        return Err(Cause::Result(format!("there are {} results for {} sinks", values.len(), sinks.len())));
    }
    for (number, (value, sink)) in values.iter().zip(sinks).enumerate() {
        let (Value::Array { ty, array }, Some((_, shape))) = (value, value.shape().split_first()) else {
            return Err(Cause::Result("a result is no array".to_string()));
        };
        let element = ElementType { scalar: *ty, shape: shape.into() };
        match types.get(number) {
            None => {
                sink.begin(&element).map_err(|message| sink_failed(&**sink, message))?;
                types.push(element);
            }
            Some(before) if *before != element => {
                let message = format!("elements are of type {element}, those before of type {before}");
                return Err(Cause::Result(message));
            }
            Some(_) => {}
        }
        if sink.write(array).map_err(|message| sink_failed(&**sink, message))? == Flow::More {
            flow = Flow::More;
        }
    }
    Ok(flow)
}

fn sink_failed(sink: &dyn Sink, message: String) -> Cause {
    Cause::Sink { name: sink.name().to_string(), message }
}
