"""The demo: a story told through the doors anybody uses (the API and `manage.py`), on practice routers."""
