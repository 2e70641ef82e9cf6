#include "simcore/model/replication.h"

#include "reports/core/error.h"

namespace simcore::model {

arch::Machine replicaOf(arch::Machine machine, int replicas, int stages) {
  const auto fail = [&](const std::string& message, const std::string& advice) -> reports::Error {
    return reports::Error(reports::ErrorCode::InvalidInput, message,
                          "machine " + machine.name + " with " + std::to_string(machine.ipus) + " IPUs", advice);
  };
  if (stages > 0 && stages * replicas != machine.ipus)
    throw fail(std::to_string(stages) + " pipeline stages x " + std::to_string(replicas) + " replicas are " +
                   std::to_string(stages * replicas) + " IPUs, the machine has " + std::to_string(machine.ipus),
               "choose --pipeline, --replicas and --ipus so that stages x replicas = IPUs");
  if (machine.ipus % replicas != 0)
    throw fail(std::to_string(machine.ipus) + " IPUs cannot be shared by " + std::to_string(replicas) + " replicas",
               "choose a number that divides the IPUs");
  machine.ipus /= replicas;
  machine.replicas = replicas;
  if (replicas > 1) machine.title += ", one of " + std::to_string(replicas) + " replicas";
  return machine;
}

} // namespace simcore::model
