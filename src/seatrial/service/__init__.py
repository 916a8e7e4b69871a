"""A solution at its site: the lab around it, the deployment of its plan, the current state."""
