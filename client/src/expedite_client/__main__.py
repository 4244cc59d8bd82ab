"""`python -m expedite_client`: the command line."""

from __future__ import annotations

from expedite_client.cli.main import main

if __name__ == "__main__":
    main()
