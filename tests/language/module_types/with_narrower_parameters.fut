-- The definition that `with` gives must accept every argument that the abstract type accepts, function types included.
-- ==
-- error: E0225.*:5:36
module type container = { type^ many '^a }
module type pairs = container with many 'a = (a, a)
