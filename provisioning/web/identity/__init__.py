"""Who is in front of the pages: what django-allauth asks of a project, answered here, and the addresses where it is at home."""
