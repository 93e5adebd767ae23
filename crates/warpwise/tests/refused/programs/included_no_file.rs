warpwise::include_fut!("tests/refused/included/nowhere.fut");
//~ nowhere.fut: cannot read: No such file
