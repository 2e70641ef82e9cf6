# find_package(tilescope_trace) gives the target tilescope::tilescope_trace.
include("${CMAKE_CURRENT_LIST_DIR}/tilescope_traceTargets.cmake")
