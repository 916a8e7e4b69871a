"""What one run saw: the lines of its folder, and their one reader."""
