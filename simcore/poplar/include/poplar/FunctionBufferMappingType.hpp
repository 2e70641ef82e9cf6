// Where the code of a function is stored until it is called.
#pragma once

namespace poplar {

enum class FunctionBufferMappingType { REMOTE };

} // namespace poplar
