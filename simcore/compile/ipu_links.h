// Links between IPUs form a ladder: each rung is a pair of IPUs; IPU i is on side i % 2 of rung i / 2. A rung consists of all
// links of its pair, a rail between neighbouring rungs of half as many (ipu-reference 6: 4 to the pair partner, 2 up, 2 down). A
// message travels along its rail first and changes sides at the end. In a torus the rails are rings (programming-model 2.6).
#pragma once

#include "simcore/compile/lowered_program.h"

namespace simcore::compile {

struct LinkLoad {
  double seconds = 0; // until the busiest link has sent its bytes
  int hops = 0;       // of the farthest message
};
LinkLoad linkLoad(const arch::Machine& machine, const std::vector<graph::LinkFlow>& flows);

// Bytes between IPUs in a GlobalExchange. If the planner does not give them, every receiver takes its bytes from the senders on
// other IPUs in proportion to the bytes they send.
std::vector<graph::LinkFlow> flowsOf(const arch::Machine& machine, const Exchange& exchange);

} // namespace simcore::compile
