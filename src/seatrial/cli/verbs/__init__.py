"""One file for each verb. Importing a file imports little: a verb imports what it needs when it runs."""
