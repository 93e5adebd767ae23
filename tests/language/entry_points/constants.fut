-- An entry point without parameters gives its value.
-- ==
-- entry: answer
-- input { }
-- output { 42 }
entry answer = 42i32
