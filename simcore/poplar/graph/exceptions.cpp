#include "poplar/exceptions.hpp"

#include <utility>

namespace poplar {

poplar_error::poplar_error(const std::string& message) : std::runtime_error(message), type("poplar_error") {}
poplar_error::poplar_error(const char* message) : poplar_error(std::string(message)) {}
poplar_error::~poplar_error() = default;

#define TILESCOPE_POPLAR_ERROR(NAME, BASE)                                                                                       \
  NAME::NAME(const std::string& message) : BASE(message) { type = #NAME; }                                                       \
  NAME::~NAME() = default;

TILESCOPE_POPLAR_ERROR(file_load_error, poplar_error)
TILESCOPE_POPLAR_ERROR(missing_cycle_estimate, poplar_error)
TILESCOPE_POPLAR_ERROR(symbol_error, poplar_error)
TILESCOPE_POPLAR_ERROR(unknown_field, poplar_error)
TILESCOPE_POPLAR_ERROR(unknown_vertex_type, poplar_error)
TILESCOPE_POPLAR_ERROR(no_environment, poplar_error)
TILESCOPE_POPLAR_ERROR(parse_error, poplar_error)
TILESCOPE_POPLAR_ERROR(no_size_specified, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_object_load_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_object_creation_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_connection_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_cycle_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_program_compilation_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_recursion_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_replication_error, poplar_error)
graph_memory_allocation_error::graph_memory_allocation_error(const std::string& message, std::string profile)
    : poplar_error(message), profilePath(std::move(profile)) {
  type = "graph_memory_allocation_error";
}
graph_memory_allocation_error::~graph_memory_allocation_error() = default;
TILESCOPE_POPLAR_ERROR(memory_elem_constraints_error, poplar_error)
TILESCOPE_POPLAR_ERROR(overflow_error, poplar_error)
TILESCOPE_POPLAR_ERROR(tensor_creation_failed, poplar_error)
TILESCOPE_POPLAR_ERROR(tensor_metadata_error, poplar_error)
TILESCOPE_POPLAR_ERROR(missing_graph_profile, poplar_error)
TILESCOPE_POPLAR_ERROR(tensor_io_state_error, poplar_error)
TILESCOPE_POPLAR_ERROR(type_error, poplar_error)
TILESCOPE_POPLAR_ERROR(index_error, poplar_error)
TILESCOPE_POPLAR_ERROR(invalid_tile_mapping, poplar_error)
TILESCOPE_POPLAR_ERROR(invalid_machine_model, poplar_error)
TILESCOPE_POPLAR_ERROR(invalid_option, poplar_error)
TILESCOPE_POPLAR_ERROR(control_program_error, poplar_error)
TILESCOPE_POPLAR_ERROR(stream_connection_error, poplar_error)
TILESCOPE_POPLAR_ERROR(stream_memory_allocation_error, poplar_error)
TILESCOPE_POPLAR_ERROR(link_error, poplar_error)
TILESCOPE_POPLAR_ERROR(profiling_disabled, poplar_error)
TILESCOPE_POPLAR_ERROR(incompatible_compilation_error, poplar_error)
TILESCOPE_POPLAR_ERROR(runtime_error, poplar_error)
TILESCOPE_POPLAR_ERROR(application_runtime_error, runtime_error)
TILESCOPE_POPLAR_ERROR(system_runtime_error, runtime_error)
recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action, const std::string& message)
    : system_runtime_error(message), recoveryAction(action) {
  type = "recoverable_runtime_error";
}
recoverable_runtime_error::~recoverable_runtime_error() = default;
TILESCOPE_POPLAR_ERROR(unrecoverable_runtime_error, system_runtime_error)
TILESCOPE_POPLAR_ERROR(unknown_runtime_error, system_runtime_error)

} // namespace poplar
