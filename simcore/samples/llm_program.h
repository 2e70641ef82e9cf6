// Two programs of one graph that share weights and values which last: the prompt, and one token of each sequence.
#pragma once

#include "simcore/samples/llm_graph.h"

namespace simcore::samples {

// The nodes of the graph up to `tokenNodes` make a token, those behind it take a part of the prompt from the input "prompt"; `prompts` is
// the number of parts. Each program ends with new values of states. Throws Error(InvalidInput) for more IPUs than layers.
struct LlmPrograms {
  std::size_t tokenNodes = 0;
  int64_t prompts = 1;
  struct Written {
    std::string state, value;
  };
  std::vector<Written> afterToken, afterPrompt;
};
// Program 0 makes a token and sends it to the stream "tokens"; program 1, which runs before, takes the prompt.
graph::Workload llmWorkload(const Network& network, const LlmGraph& graph, const LlmShape& shape, const LlmPrograms& programs,
                            const BuildOptions& options);

} // namespace simcore::samples
