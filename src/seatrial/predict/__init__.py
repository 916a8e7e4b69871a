"""What a storage system should give before anything runs: bounds, estimates, outages, and how far to trust them."""
