-- The definition that `with` gives may be a type of a module that is specified earlier.
-- ==
-- input { 6 }
-- output { 7 }
module type source = { type t val start : i32 -> t }
module type sink = { type t val end : t -> i32 }
module type pipe = { module source : source module sink : sink with t = source.t }
module pipe : pipe = {
  module source = { type t = i64 def start (x: i32) = i64.i32 (x + 1) }
  module sink = { type t = i64 def end (x: i64) = i32.i64 x }
}

def main (x: i32) = pipe.sink.end (pipe.source.start x)
