-- A definition must use hidden sizes as its module type says: here, both arrays must have the same hidden size.
-- ==
-- error: E0217.*:5:5
module pairs : { type~ pairs = ?[m].([m]i64, [m]bool) }
  = { type~ pairs = ?[k].([k]i64, [2]bool) }
