// Where the code of a function waits until it is called.
#pragma once

namespace poplar {

enum class FunctionBufferMappingType { REMOTE };

} // namespace poplar
