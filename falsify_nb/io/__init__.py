"""The input layer: everything a user may hand over becomes a run, qrels or a corpus."""
