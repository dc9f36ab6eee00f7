"""How the window looks: one token table, and palette, stylesheet, fonts and icons made from it."""
