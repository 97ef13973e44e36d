"""The schema, step by step: NNNN_what.sql in order. A step that has been released is never edited."""
