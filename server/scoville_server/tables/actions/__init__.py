"""The actions of a table: each file has the commands, records, decisions, changes and events of one."""
