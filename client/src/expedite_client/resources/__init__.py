"""What one can do, a class for each resource of the API and a method for each deed."""
