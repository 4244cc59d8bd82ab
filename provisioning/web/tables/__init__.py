"""The tables of the list pages: sortable columns, cards on a narrow screen."""
