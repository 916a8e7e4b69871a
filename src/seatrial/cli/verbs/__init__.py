"""One file for each verb. A verb imports the modules that it needs when it runs."""
