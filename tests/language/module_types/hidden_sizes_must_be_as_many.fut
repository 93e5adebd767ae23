-- What the module type says of hidden sizes must hold: here that there are two.
-- ==
-- error: E0217.*:5:5
module pairs : { type~ pairs = ?[m].([m]i64, [m]bool) }
  = { type~ pairs = ?[k].([k]i64, [2]bool) }
