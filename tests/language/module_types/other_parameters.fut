-- A type of the module takes the parameters that its module type gives it, sizes and types in order.
-- ==
-- error: E0217.*:5:23
module type many = { type many [n] 'a }
module lists : many = { type many 'a [n] = [n]a }
