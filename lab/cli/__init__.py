"""The command language: abbreviation, modes that climb, carets."""
