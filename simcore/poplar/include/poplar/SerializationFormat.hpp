// The forms in which a graph can be written.
#pragma once

namespace poplar {

enum class SerializationFormat { Binary, Text, CapnProto, JSON };

} // namespace poplar
