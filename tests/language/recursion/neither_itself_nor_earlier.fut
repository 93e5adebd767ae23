-- Where the name of a function has no type either way, the error is that of the reading with fewer mistakes.
-- ==
-- error: E0201.*:9:36
module outer = { def scaled (x: f32) (k: f32) = x * k }
module inner = {
  open outer
  -- As itself it would be wrong twice: it takes a pair, and gives one.
  def scaled (x: f32, y: f32) (k: f32) =
    let a: f32 = scaled x k in (a, y && k)
}
