"""The tables of docs/reference/authority.md, made from the table that the code asks."""

from __future__ import annotations

from provisioning.pipeline.authority import CONFLICTS, ROLES, TABLE

COLUMNS = "| verb | " + " | ".join(f"`{role.value}`" for role in ROLES) + " | itself | apart | what is done |"


def tables() -> dict[str, str]:
    """The blocks of the page by the name of their mark."""
    rows = [COLUMNS, "|---" * (len(ROLES) + 4) + "|"]
    for verb, row in TABLE.items():
        cells = " | ".join(row.of(role).value for role in ROLES)
        rows.append(
            f"| `{verb.value}` | {cells} | {'yes' if row.itself else ''} | {'yes' if row.apart else ''} | {row.means} |"
        )
    pairs = ["| role | with | why not |", "|---|---|---|"]
    pairs += [f"| `{one.value}` | `{other.value}` | {why} |" for one, other, why in CONFLICTS]
    return {"verbs": "\n".join(rows), "conflicts": "\n".join(pairs)}
