-- limit: differentiation

def f (x: f32) = vjp (\y -> y) x 1
