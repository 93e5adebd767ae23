-- An entry point must not be polymorphic by inference either: the types of its parameters must be known.
-- ==
-- error: E0215.*:4:7
entry same x = x
