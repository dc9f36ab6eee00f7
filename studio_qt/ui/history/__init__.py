"""What a file was before, and the way back."""
