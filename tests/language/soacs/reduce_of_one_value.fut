-- Reducing copies of a value by an idempotent operator gives the value, or the neutral element if there are no copies.
-- ==
-- entry: ands
-- input { 4i64 2048u16 } output { 2048u16 }
-- input { 0i64 2048u16 } output { 65535u16 }
entry ands (n: i64) (x: u16) : u16 = reduce (&) (!0u16) (replicate n x)
-- ==
-- entry: ors
-- input { 4i64 5i32 } output { 5i32 }
-- input { 0i64 5i32 } output { 0i32 }
entry ors (n: i64) (x: i32) : i32 = reduce (|) 0 (map (\_ -> x) (iota n))
-- ==
-- entry: truths
-- input { 4i64 true } output { true true }
-- input { 4i64 false } output { false false }
-- input { 0i64 true } output { false true }
entry truths (n: i64) (x: bool) : (bool, bool) =
  let xs = replicate n x
  in (reduce (||) false xs, reduce (&&) true xs)
-- ==
-- entry: extremes
-- input { 3i64 -2.5f32 } output { -2.5f32 -2.5f32 }
-- input { 0i64 -2.5f32 } output { f32.inf -f32.inf }
entry extremes (n: i64) (x: f32) : (f32, f32) =
  let xs = replicate n x
  in (reduce f32.min f32.inf xs, reduce f32.max (-f32.inf) xs)
-- ==
-- entry: rows
-- input { [1i64, 0i64, 6i64] 2i64 } output { [1i64, 0i64, 6i64] }
-- input { [1i64, 0i64, 6i64] 0i64 } output { [-1i64, -1i64, -1i64] }
entry rows [m] (xs: [m]i64) (n: i64) : [m]i64 = map (\x -> reduce (&) (-1) (replicate n x)) xs
