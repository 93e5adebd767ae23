-- The values of an abstract type must determine its size parameters.
-- ==
-- error: E0217.*:5:5
module longer : { type longer [n] }
  = { type longer [n] = [n + 1]bool }
