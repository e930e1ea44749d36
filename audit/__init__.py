"""The service around the replay core: the Django project and its one app."""
