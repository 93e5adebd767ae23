-- The module `intrinsics` has members, but cannot itself be given another name, opened or passed as an argument.
-- ==
-- error: E0221.*:4:19
module built_in = intrinsics
