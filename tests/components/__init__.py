"""What a production host is made of beside our own code: the bill of materials (`make sbom`), the licences (`make licences`)."""
