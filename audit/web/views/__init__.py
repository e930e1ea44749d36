"""The views, a module for each family of pages."""
