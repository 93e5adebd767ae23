-- A parameter's type that may be a function type cannot be the element type of an array.
-- ==
-- error: E0211.*:4:63
module stack (element: { type^ t }) = { def empty (_: ()) : []element.t = [] }
