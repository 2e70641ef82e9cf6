// A language model that decodes: the prompt first, then token after token with keys and values cached.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample llm();

} // namespace simcore::samples
