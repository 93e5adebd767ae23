-- If the name of a function is ill-typed in both readings, the error is that of the reading with fewer errors.
-- ==
-- error: E0201.*:9:36
module outer = { def scaled (x: f32) (k: f32) = x * k }
module inner = {
  open outer
  -- As itself it would be wrong twice: it takes a pair, and gives one.
  def scaled (x: f32, y: f32) (k: f32) =
    let a: f32 = scaled x k in (a, y && k)
}
