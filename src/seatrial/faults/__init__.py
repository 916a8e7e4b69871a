"""What is broken while clients work: a fault is injected, streams go on, and everything is watched."""
