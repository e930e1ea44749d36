"""The pages: a view calls a selector or a service and a presenter; a template prints."""
