// Finds changes by torch's exporters that training has to undo or report.
#pragma once

#include "simcore/model/graph/graph.h"

#include <string>

namespace simcore::model {

// Gives each module its own constant again, as torch trains it, with the module's name ("blocks.2.norm.weight").
// torch.onnx.export in evaluation mode writes parameters with equal values (the ones of several norms, copied layers) once and
// reads them through Identity nodes; tied parameters have one name and no Identity. The exporter of torch 2 stores equal tensors
// of up to 1,024 elements once, without an Identity. In its files, a constant "blocks.0.norm.weight" that module blocks.2.norm
// reads is taken for a copy of equal value if its elements are all equal, or if the names of the modules differ only in numbers
// (copies of a layer). Other constants with several readers stay tied.
struct Separated {
  int count = 0;
  bool byModules = false; // found by the modules of the nodes that read them
};
Separated separateEqualParameters(Model& read);

// Says how the export differs from the module in training and how to export it instead; empty if no difference is visible.
std::string exportRemark(const Model& read, const Separated& separated);

} // namespace simcore::model
