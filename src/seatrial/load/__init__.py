"""The load agents and their measurements: jobs, phases, telemetry, operation logs, baselines."""
