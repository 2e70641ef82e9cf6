# find_package(tilescope): tilescope::report reads reports (pva/pva.hpp), tilescope::trace records (tilescope_trace.h, pvti/pvti.hpp), both from
# C++11 on. Link either or both; they come with the SDK for Poplar programs.
get_filename_component(_tilescope_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${_tilescope_sdk}/include/pva/pva.hpp") # the package's own place for CMake
  get_filename_component(_tilescope_sdk "${CMAKE_CURRENT_LIST_DIR}/../../tilescope/sdk" ABSOLUTE)
endif()
foreach(_part report trace)
  if(NOT TARGET tilescope::${_part})
    add_library(tilescope::${_part} SHARED IMPORTED)
    set_target_properties(tilescope::${_part} PROPERTIES
      IMPORTED_LOCATION "${_tilescope_sdk}/lib/libpoplar.so"
      INTERFACE_INCLUDE_DIRECTORIES "${_tilescope_sdk}/include;${_tilescope_sdk}/include/pvti"
      INTERFACE_COMPILE_FEATURES cxx_std_11)
  endif()
endforeach()
set(tilescope_FOUND TRUE)
unset(_part)
unset(_tilescope_sdk)
