-- A type of a parameter that may hold a function cannot be that of elements of an array.
-- ==
-- error: E0211.*:4:63
module stack (element: { type^ t }) = { def empty (_: ()) : []element.t = [] }
