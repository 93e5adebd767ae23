warpwise::include_fut!("tests/refused/included/ill_typed.fut");
//~ ill_typed.fut:3:
//~ included_ill_typed.rs:1:24
