"""Django's SQLite, with a turn among the threads and processes that write (`turn`)."""
