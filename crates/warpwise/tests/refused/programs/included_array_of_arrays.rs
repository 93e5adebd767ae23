warpwise::include_fut!("tests/refused/included/array_of_arrays.fut");
//~ array_of_arrays.fut:4:7: entry point `g`: not supported yet: arrays are passed if their elements are scalars
