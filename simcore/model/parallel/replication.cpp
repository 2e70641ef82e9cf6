#include "simcore/model/parallel/replication.h"

#include "reports/core/error.h"
#include "reports/core/text.h"

namespace simcore::model {

arch::Machine replicaOf(arch::Machine machine, int replicas, int stages) {
  const auto fail = [&](const std::string& message, const std::string& advice) -> reports::Error {
    return reports::Error(reports::ErrorCode::InvalidInput, message,
                          "machine " + machine.name + " with " + reports::counted(machine.ipus, "IPU"), advice);
  };
  if (stages > 0 && stages * replicas != machine.ipus)
    throw fail(reports::counted(stages, "pipeline stage") + " x " + reports::counted(replicas, "replica") + " are " +
                   reports::counted(stages * replicas, "IPU") + ", the machine has " + std::to_string(machine.ipus),
               "choose --pipeline, --replicas and --ipus so that stages x replicas = IPUs");
  if (machine.ipus % replicas != 0)
    throw fail(reports::counted(machine.ipus, "IPU") + " cannot be shared by " + reports::counted(replicas, "replica"),
               "choose a number that divides the IPUs");
  machine.ipus /= replicas;
  machine.replicas = replicas;
  if (replicas > 1) machine.title += ", one of " + std::to_string(replicas) + " replicas";
  return machine;
}

} // namespace simcore::model
