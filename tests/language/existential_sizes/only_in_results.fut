-- `?[n].t` is the result of a function, or the meaning of a `type~`; no parameter has such a type.
-- ==
-- error: E0306.*:4:15
def main (xs: ?[n].[n]i32) = length xs
