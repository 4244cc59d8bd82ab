"""Sphinx: MyST Markdown, furo, four kinds of pages (Diataxis)."""

project = "Expedite"
copyright = "2026, the Expedite authors"  # noqa: A001 - Sphinx's own name
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Expedite"
exclude_patterns = ["_build"]
