-- An entry point may not be polymorphic by inference either: its parameters have known types.
-- ==
-- error: E0215.*:4:7
entry same x = x
