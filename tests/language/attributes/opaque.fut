-- `opaque` values and `#[opaque]` expressions hide from the optimiser what they are.
-- ==
-- input { 3 }
-- output { 7 }
def main (x: i32) = opaque x + #[opaque] 4
