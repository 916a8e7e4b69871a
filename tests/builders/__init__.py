"""What tests are made of: studies, results, labs and tools that more than one test module uses."""
