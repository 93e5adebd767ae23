entry f (x: i32) =
  let y = x
