"""Eighty-four small models of the kinds that people train: MODELS has by name the kind, and a function that gives module, inputs, loss and target."""

import zoo_further  # noqa: F401
import zoo_images  # noqa: F401
import zoo_others  # noqa: F401
import zoo_sequences  # noqa: F401
from zoo_parts import MODELS

__all__ = ["MODELS"]
