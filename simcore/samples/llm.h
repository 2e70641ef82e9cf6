// A language model that generates text: it reads the prompt first and then makes one token after another, with cached keys and
// values.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample llm();

} // namespace simcore::samples
