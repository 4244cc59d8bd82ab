"""NetBox's objects -> a network file, by a rules file: pure; who asks a NetBox is `provisioning.services.netbox`.

`rules` says what is taken, `bundle` is what was read, `mapping` makes the file of it and tells every object that is not in it.
Shapes are those of NetBox's published schema (contrib/openapi.json of NetBox 4.7.3).
"""
