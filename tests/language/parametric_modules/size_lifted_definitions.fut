-- A parameter's type that may hide sizes cannot occur in a type that may not.
-- ==
-- error: E0216.*:4:52
module state (context: { type~ t }) = { type all = (i32, context.t) }
