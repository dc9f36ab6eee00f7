"""Tables in the manner of Pygments in which no rule looks beyond its line."""
