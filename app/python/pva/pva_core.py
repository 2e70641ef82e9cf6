"""The name under which some scripts import the classes."""

from pva import *  # noqa: F401,F403
