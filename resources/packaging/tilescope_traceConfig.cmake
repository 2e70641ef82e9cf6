# find_package(tilescope_trace) gives the target tilescope::tilescope_trace.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/tilescope_traceTargets.cmake")
