"""The two errors of this package."""


class ReportError(RuntimeError):
    """The file cannot be read: it is missing, not a report, of a newer schema or damaged. The text says what and where."""


class NotInReport(AttributeError):
    """The report does not have the number, so there is none to return. An AttributeError, so that hasattr() says no."""
