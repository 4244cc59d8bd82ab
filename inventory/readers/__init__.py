"""Readers: a description of a network from outside -> frozen entries. Nothing here writes a row.

`network_yaml` reads a network file. It is imported by its own name: whoever needs the strict YAML of `yaml_text` alone, as
the schemes do, loads no entries.
"""
