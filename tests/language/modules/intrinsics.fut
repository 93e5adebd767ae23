-- The module `intrinsics` has members, but is not itself a module to be named anew, opened or handed on.
-- ==
-- error: E0221.*:4:19
module built_in = intrinsics
