// The layers of the model on each IPU: the contents of a pipeline stage.
#pragma once

#include "analyser/program/program_tree.h"
#include "analyser/trace/tile_cycles.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::operations {

struct LayerWork {
  std::string name;
  Cycles cycles; // of its compute, one execution of each step
};
// By IPU, in program order. Leaves out steps that run on several IPUs, and steps without compute.
std::map<IpuId, std::vector<LayerWork>> layerWorkByIpu(Session& session, const trace::StepCosts& costs,
                                                       program::ProgramOnce& program, std::stop_token stop = {});
// Only the names. Leaves out layers with less than a fiftieth of an IPU's cycles, steps that run on several IPUs, and steps
// without compute.
std::map<IpuId, std::vector<std::string>> layersByIpu(Session& session, const trace::StepCosts& costs,
                                                      program::ProgramOnce& program, std::stop_token stop = {});
std::map<IpuId, std::vector<std::string>> layersByIpu(Session& session, std::stop_token stop = {});
// "embeddings, layer0 to layer2"; empty: none.
std::string layerWords(const std::vector<std::string>& layers);

} // namespace analyser::operations
