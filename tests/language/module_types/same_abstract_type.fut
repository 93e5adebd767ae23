-- Two modules sealed by the same module type have different abstract types.
-- ==
-- error: E0201.*:8:19
module type counter = { type t val start : t val next : t -> t }
module a : counter = { type t = i32 def start = 0i32 def next (x: i32) = x + 1 }
module b : counter = { type t = i32 def start = 0i32 def next (x: i32) = x + 2 }

def main = a.next b.start
