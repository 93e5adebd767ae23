warpwise::include_fut!("tests/refused/included/no_entry.fut");
//~ no_entry.fut: the program has no entry points
