warpwise::include_fut!(right);
//~ expected string literal
