-- A module must be there.
-- ==
-- error: E0204.*:4:6
open nothing
