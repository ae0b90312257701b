"""Where results are kept: one SQLite file, its tables, and how arrays are packed into them."""
