//! Spans, diagnostics, their rendering, and the three kinds of failure.
