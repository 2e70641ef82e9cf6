"""Another name of libpvti."""

from libpvti import *  # noqa: F401,F403
