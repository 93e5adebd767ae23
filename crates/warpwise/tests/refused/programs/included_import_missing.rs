warpwise::include_fut!("tests/refused/included/import_missing.fut");
//~ import_missing.fut:1:
