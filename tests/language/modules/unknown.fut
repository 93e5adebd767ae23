-- The name of a module must be in scope.
-- ==
-- error: E0204.*:4:6
open nothing
