-- That it would be polymorphic by inference is no better.
-- ==
-- error: E0215.*:4:7
entry same x = x
