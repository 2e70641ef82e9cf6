// The exceptions of failed calls. Every class is a poplar_error, which is a std::runtime_error.
#pragma once

#include "poplar/StringRef.hpp"

#include <stdexcept>
#include <string>

namespace poplar {

struct poplar_error : public std::runtime_error {
  explicit poplar_error(const std::string& message);
  explicit poplar_error(const char* message);
  ~poplar_error() override;
  std::string getLocation() const { return location; } // where it was detected; empty if unknown

  std::string type; // name of the class
  std::string location;
};

#define TILESCOPE_POPLAR_ERROR(NAME, BASE)                                                                                       \
  struct NAME : public BASE {                                                                                                    \
    explicit NAME(const std::string& message);                                                                                   \
    ~NAME() override;                                                                                                            \
  };

TILESCOPE_POPLAR_ERROR(file_load_error, poplar_error)        // a file of codelets or an executable cannot be read
TILESCOPE_POPLAR_ERROR(missing_cycle_estimate, poplar_error) // a vertex of an IPUModel has no cycle estimate
using missing_perf_estimate = missing_cycle_estimate;
TILESCOPE_POPLAR_ERROR(symbol_error, poplar_error)
TILESCOPE_POPLAR_ERROR(unknown_field, poplar_error)       // the vertex class has no field of this name
TILESCOPE_POPLAR_ERROR(unknown_vertex_type, poplar_error) // no codelet of this name was added
TILESCOPE_POPLAR_ERROR(no_environment, poplar_error)
TILESCOPE_POPLAR_ERROR(parse_error, poplar_error)
TILESCOPE_POPLAR_ERROR(no_size_specified, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_object_load_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_object_creation_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_connection_error, poplar_error) // a field cannot be connected this way
TILESCOPE_POPLAR_ERROR(graph_cycle_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_program_compilation_error, poplar_error) // a codelet does not compile
TILESCOPE_POPLAR_ERROR(graph_recursion_error, poplar_error)
TILESCOPE_POPLAR_ERROR(graph_replication_error, poplar_error)
struct graph_memory_allocation_error : public poplar_error { // a tile has too little memory
  explicit graph_memory_allocation_error(const std::string& message, std::string profile = {});
  ~graph_memory_allocation_error() override;
  std::string profilePath; // the report that was written; empty: none was asked for
};
TILESCOPE_POPLAR_ERROR(memory_elem_constraints_error, poplar_error)
TILESCOPE_POPLAR_ERROR(overflow_error, poplar_error)
TILESCOPE_POPLAR_ERROR(tensor_creation_failed, poplar_error)
using tensor_creation_error = tensor_creation_failed;
TILESCOPE_POPLAR_ERROR(tensor_metadata_error, poplar_error)
TILESCOPE_POPLAR_ERROR(missing_graph_profile, poplar_error)
TILESCOPE_POPLAR_ERROR(tensor_io_state_error, poplar_error)
TILESCOPE_POPLAR_ERROR(type_error, poplar_error) // element types differ
TILESCOPE_POPLAR_ERROR(index_error, poplar_error)
TILESCOPE_POPLAR_ERROR(invalid_tile_mapping, poplar_error) // a tile that does not exist, or an unmapped tensor
TILESCOPE_POPLAR_ERROR(invalid_machine_model, poplar_error)
TILESCOPE_POPLAR_ERROR(invalid_option, poplar_error)
TILESCOPE_POPLAR_ERROR(control_program_error, poplar_error)   // two vertices of a compute set write the same element
TILESCOPE_POPLAR_ERROR(stream_connection_error, poplar_error) // an unknown stream, or one without a connection
TILESCOPE_POPLAR_ERROR(stream_memory_allocation_error, poplar_error)
TILESCOPE_POPLAR_ERROR(link_error, poplar_error)
TILESCOPE_POPLAR_ERROR(profiling_disabled, poplar_error)
TILESCOPE_POPLAR_ERROR(incompatible_compilation_error, poplar_error)
TILESCOPE_POPLAR_ERROR(runtime_error, poplar_error) // while a program runs
TILESCOPE_POPLAR_ERROR(application_runtime_error, runtime_error)
TILESCOPE_POPLAR_ERROR(system_runtime_error, runtime_error)
// The action that would bring a device back; a simulated device never needs one.
enum class RecoveryAction { IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET };
struct recoverable_runtime_error : public system_runtime_error {
  recoverable_runtime_error(RecoveryAction action, const std::string& message);
  ~recoverable_runtime_error() override;
  RecoveryAction getRecoveryAction() const { return recoveryAction; }
  RecoveryAction recoveryAction;
};
TILESCOPE_POPLAR_ERROR(unrecoverable_runtime_error, system_runtime_error)
TILESCOPE_POPLAR_ERROR(unknown_runtime_error, system_runtime_error)

#undef TILESCOPE_POPLAR_ERROR

} // namespace poplar
