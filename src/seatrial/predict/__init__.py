"""Predictions for a storage system before anything runs: bounds, estimates, outages, and their
accuracy.
"""
