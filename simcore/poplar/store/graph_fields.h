// The parts of a graph as fields of an executable on disk.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/poplar/store/archive.h"

namespace simcore::arch {
void fields(simcore::poplar::Archive& a, TileArchitecture& t);
void fields(simcore::poplar::Archive& a, ExchangeFabric& e);
void fields(simcore::poplar::Archive& a, HostLink& h);
void fields(simcore::poplar::Archive& a, IpuLink& l);
void fields(simcore::poplar::Archive& a, Machine& m);
} // namespace simcore::arch

namespace simcore::graph {
void fields(simcore::poplar::Archive& a, PerTile& p);
void fields(simcore::poplar::Archive& a, Distribution& d);
void fields(simcore::poplar::Archive& a, Traffic& t);
void fields(simcore::poplar::Archive& a, DebugContext& c);
void fields(simcore::poplar::Archive& a, Variable& v);
void fields(simcore::poplar::Archive& a, VertexType& t);
void fields(simcore::poplar::Archive& a, ComputeSet& c);
void fields(simcore::poplar::Archive& a, Stream& s);
void fields(simcore::poplar::Archive& a, RemoteBuffer& b);
void fields(simcore::poplar::Archive& a, HostFunction& f);
void fields(simcore::poplar::Archive& a, HostHandle& h);
void fields(simcore::poplar::Archive& a, Plan& p);
// All fields except its children and its kernel.
void fields(simcore::poplar::Archive& a, ProgramNode& n);
} // namespace simcore::graph
