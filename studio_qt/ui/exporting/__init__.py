"""The sheet that packs a character: what goes in, what stays, and the proof that it plays."""
