//! Lazily consumed sequences: iterators, and scans.

use super::consumer::prepared;
use super::error::SeqError;
use super::pass::Want;
use super::pipeline::{Message, Output, Results, start};
use super::scan::{Advance, Scan};
use super::settings::Streaming;
use super::sink::{Hosted, hosted};
use super::slot::{Origin, Slot};
use super::{Element, Seq};
use crate::context::Context;
use crate::error::Error;

impl<A: Element> Seq<A> {
    /// Computes the states of a function that takes the elements one after the other. The initial state is not included.
    ///
    /// Each state depends on the preceding elements, so the function is called sequentially; only a single call runs in parallel.
    ///
    /// ```
    /// use warpwise::{Acc, Array, Context, Seq, Singleton, unit};
    ///
    /// let zero = Array::from_vec([], vec![0_i64])?;
    /// let sums = Seq::produce(5, unit).scan(zero, |sum: Acc<Singleton<i64>>, x| sum.zip_with(&x, |sum, x| sum + x));
    /// assert_eq!(sums.elements().run(&Context::cpu()?)?.to_vec(), [0, 1, 3, 6, 10]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn scan<S: Element>(&self, initial: S::Host, f: impl FnOnce(S, A) -> S) -> Seq<S> {
        let advance = Advance::new(f);
        let Want { results: input, slots, limit } = self.want();
        let mut values = Vec::new();
        S::values(&initial, &mut values);
        let (element, slot) = Slot::new(Origin::Scan(Scan { input, slots, initial: values, advance }));
        Seq { limit, ..Seq::of(element, slot) }
    }

    /// Iterates over the elements on the host, while later ones are read and computed a few chunks ahead. Iteration ends after an
    /// error. Elements that are no longer requested are not computed.
    ///
    /// ```
    /// use warpwise::{Context, Seq, enum_from};
    ///
    /// for (number, array) in Seq::produce_forever(|i| enum_from(i, 1_i64)).into_iter(&Context::cpu()?)?.enumerate() {
    ///     if array?.len() == 5 {
    ///         assert_eq!(number, 5);
    ///         break;
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_iter(&self, context: &Context) -> Result<SeqIter<A>, SeqError> {
        self.into_iter_with(context, &Streaming::new())
    }

    /// Works like [`into_iter`](Seq::into_iter), with these settings.
    ///
    /// ```
    /// use warpwise::{Context, Seq, Streaming, unit};
    ///
    /// let two_at_a_time = Streaming::new().chunk(2);
    /// let mut numbers = Seq::produce_forever(unit).into_iter_with(&Context::cpu()?, &two_at_a_time)?;
    /// assert_eq!(numbers.next().unwrap()?.to_vec(), [0]);
    /// assert_eq!(numbers.next().unwrap()?.to_vec(), [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_iter_with(&self, context: &Context, streaming: &Streaming) -> Result<SeqIter<A>, SeqError> {
        let begun = || {
            let (pass, _, memory) = prepared(context, &[self.want()], streaming)?;
            start(pass, &memory, streaming)
        };
        let results = begun().map_err(SeqError::before)?;
        Ok(SeqIter { results, chunk: None, at: 0, ended: false, of: hosted::<A> })
    }
}

/// An iterator over the elements of a sequence, as they are computed; see [`Seq::into_iter`].
///
/// ```
/// use warpwise::{Context, Seq, Streaming, unit};
///
/// let two_at_a_time = Streaming::new().chunk(2);
/// let mut numbers = Seq::produce_forever(unit).into_iter_with(&Context::cpu()?, &two_at_a_time)?;
/// assert_eq!(numbers.next().unwrap()?.to_vec(), [0]);
/// assert_eq!(numbers.next().unwrap()?.to_vec(), [1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SeqIter<A: Element> {
    results: Results,
    chunk: Option<Output>,
    /// Position of the next element in the chunk.
    at: usize,
    ended: bool,
    of: Hosted<A::Host>,
}

impl<A: Element> Iterator for SeqIter<A> {
    type Item = Result<A::Host, SeqError>;

    fn next(&mut self) -> Option<Result<A::Host, SeqError>> {
        loop {
            if let Some(chunk) = self.chunk.take()
                && self.at < chunk.batch.count
            {
                let (at, number) = (self.at, chunk.first + self.at as u64);
                let element = (self.of)(&chunk.batch, at).map_err(|cause| SeqError::at(number, cause));
                self.at += 1;
                self.ended = element.is_err();
                self.chunk = Some(chunk).filter(|_| !self.ended);
                return Some(element);
            }
            if self.ended {
                return None;
            }
            match self.results.recv() {
                Ok(Message::Chunk(chunk)) => (self.chunk, self.at) = (Some(chunk), 0),
                Ok(Message::Ended(error)) => {
                    self.ended = true;
                    return error.map(Err);
                }
                Err(_) => {
                    self.ended = true;
                    let error = Error::Internal("a thread of the pass is gone".to_string());
                    return Some(Err(SeqError::before(error)));
                }
            }
        }
    }
}
