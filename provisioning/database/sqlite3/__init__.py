"""Django's SQLite, with a turn among the threads of a process that write (`turn`)."""
