-- `opaque` and `#[opaque]` hide the value of an expression from the optimiser.
-- ==
-- input { 3 }
-- output { 7 }
def main (x: i32) = opaque x + #[opaque] 4
