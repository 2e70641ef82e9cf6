// The file formats of a graph.
#pragma once

namespace poplar {

enum class SerializationFormat { Binary, Text, CapnProto, JSON };

} // namespace poplar
