"""Writers: each file of `formats` presents a result summary in one format, for other programs."""
