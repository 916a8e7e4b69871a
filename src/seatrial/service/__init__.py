"""A solution at its site: the lab around it, its plan carried out, what is deployed now."""
