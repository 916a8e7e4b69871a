"""The actions of faults: one class each, with its words, its execution and its evidence."""
