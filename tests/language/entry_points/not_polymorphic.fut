-- An entry point has no type parameters, because values from outside have known types.
-- ==
-- error: E0215.*:4:7
entry same 'a (x: a) = x
