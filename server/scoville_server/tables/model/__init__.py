"""One table, pure: commands are decided into records, records fold into the table, watchers are told of it."""
