"""The IOS templates (`provisioning.ios_templates`), and one hash over all of them.

The hash goes into every plan's fingerprint, so that a template edited between approval and push makes the plan stale.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from provisioning.ios_templates import IOS_TEMPLATES, ios_environment, shared_ios_environment

__all__ = ["IOS_TEMPLATES", "ios_environment", "shared_ios_environment", "template_digest"]


def template_digest(directory: Path = IOS_TEMPLATES) -> str:
    """Return the sha256 (hex) over every template's path and bytes, in sorted order.

    Raises FileNotFoundError when the directory holds no template: a hash of nothing would approve anything.
    """
    paths = sorted(path for path in directory.rglob("*.j2") if path.is_file())
    if not paths:
        raise FileNotFoundError(f"no IOS templates in {directory.name}")
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(directory).as_posix()}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
