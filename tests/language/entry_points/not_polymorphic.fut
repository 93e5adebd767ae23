-- An entry point has no type parameters: the outside has values of known types only.
-- ==
-- error: E0215.*:4:7
entry same 'a (x: a) = x
