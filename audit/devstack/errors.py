class StackError(Exception):
    """One clear sentence for the person at the keyboard, shown without a stack trace."""


class StopRequested(Exception):
    """Ctrl-C or SIGTERM came while something was being started."""
