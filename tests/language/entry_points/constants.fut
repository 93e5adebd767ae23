-- An entry point without parameters is a constant.
-- ==
-- entry: answer
-- input { }
-- output { 42 }
entry answer = 42i32
