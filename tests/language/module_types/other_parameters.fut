-- A type must take the parameters that its module type declares, sizes and types in the same order.
-- ==
-- error: E0217.*:5:23
module type many = { type many [n] 'a }
module lists : many = { type many 'a [n] = [n]a }
