warpwise::include_fut!("tests/refused/included/unfinished.fut");
//~ unfinished.fut:
