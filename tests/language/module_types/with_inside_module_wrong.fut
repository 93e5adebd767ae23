-- An inner module must define the type as `with` says.
-- ==
-- error: E0217.*:7:45
module type number = { type t val ten : t }
module type field = { module scalar : number }

module floats : field with scalar.t = f32 = { module scalar = { type t = f64 def ten = 10f32 } }
