// The layouts in which a vertex stores the location of its elements. In the simulator all fields have the same form;
// the engine reads the layout from the type and computes the memory that the vertex would take.
#pragma once

namespace poplar {

enum class VectorLayout { NOT_A_VECTOR, SPAN, SHORT_SPAN, ONE_PTR, TWO_PTR, SCALED_PTR32, SCALED_PTR64, SCALED_PTR128, COMPACT_PTR };
enum class VectorListLayout { NOT_A_VECTORLIST, ONE_PTR, SCALED_PTR32, SCALED_PTR64, SCALED_PTR128, DELTAN, DELTANELEMENTS, COMPACT_DELTAN };

} // namespace poplar
