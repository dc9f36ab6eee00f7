"""What foreign code may do, and the question whether it may run at all."""
