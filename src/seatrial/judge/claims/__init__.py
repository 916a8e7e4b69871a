"""One file for each form of published claim; the file is named as the form."""
