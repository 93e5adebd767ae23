-- The definition that `with` gives must take the parameters of the abstract type.
-- ==
-- error: E0225.*:5:36
module type container = { type many 'a }
module type pairs = container with many = (i32, i32)
