"""Launchers: the engines that start commands on the nodes of a study, one file for each."""
