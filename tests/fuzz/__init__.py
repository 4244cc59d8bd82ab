"""Values that break what they are put into, in everything that people or routers write and that reaches a page, a header, a file,
a message, a template or a terminal. Each test reads what comes out with a reader that is not ours.

A sample runs always; `make test DEEP=1 ONLY=fuzz` tries 100,000 values. What was found, and what is worth trying first, stands in
`corpus.jsonl` and is tried always.
"""
