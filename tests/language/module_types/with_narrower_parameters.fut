-- A definition must take every argument that the abstract type takes, functions included.
-- ==
-- error: E0225.*:5:36
module type container = { type^ many '^a }
module type pairs = container with many 'a = (a, a)
