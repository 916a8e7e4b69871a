"""The load agents and all that is measured beside them: jobs, phases, telemetry, operation logs, baselines."""
