// Two programs of one graph, for the prompt and for one token of each sequence. They share weights and persistent values.
#pragma once

#include "simcore/samples/llm_graph.h"

namespace simcore::samples {

// The nodes up to `tokenNodes` generate a token. The others take a part of the prompt from the input "prompt"; `prompts` is the
// number of parts. Each program ends by writing new values of states. Throws Error(InvalidInput) for more IPUs than layers.
struct LlmPrograms {
  std::size_t tokenNodes = 0;
  int64_t prompts = 1;
  struct Written {
    std::string state, value;
  };
  std::vector<Written> afterToken, afterPrompt;
};
// Program 0 generates a token and sends it to the stream "tokens". Program 1, which runs first, takes the prompt.
graph::Workload llmWorkload(const Network& network, const LlmGraph& graph, const LlmShape& shape, const LlmPrograms& programs,
                            const BuildOptions& options);

} // namespace simcore::samples
