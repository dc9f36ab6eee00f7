"""What helps an author: forms over files, checks with mends, completions, trust in foreign code."""
