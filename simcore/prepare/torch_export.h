// What torch's exporters change in a file for inference, and training has to undo or say.
#pragma once

#include "simcore/model/graph/graph.h"

#include <string>

namespace simcore::model {

// torch.onnx.export in evaluation mode writes parameters of equal values (the ones of several norms, layers that were copied) once and
// reads them through Identity nodes; tied ones have one name and no Identity. Gives each its own constant again, as torch trains it. Returns
// how many; 0 for files of other exporters.
int separateEqualParameters(Model& read);

// What of the export differs from the module in training, and how to export it instead; empty if nothing shows it.
std::string exportRemark(const Model& read, int separated);

} // namespace simcore::model
