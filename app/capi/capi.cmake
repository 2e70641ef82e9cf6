# The library with a C interface, for other languages.
tilescope_room(app/capi LIGHT
  PRIVATE app/cli simcore/run simcore/model simcore/graph simcore/onnx simcore/prepare simcore/numerics reports/sqlite reports/rows reports/core)
target_compile_definitions(ts_app_capi PRIVATE TILESCOPE_VERSION="${PROJECT_VERSION}")
add_library(tilescope-libtilescope SHARED ${PROJECT_BINARY_DIR}/pch/empty.cpp)
set_target_properties(tilescope-libtilescope PROPERTIES OUTPUT_NAME tilescope VERSION ${PROJECT_VERSION} SOVERSION 0
                                                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                                                        LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/capi/libtilescope.map)
target_link_libraries(tilescope-libtilescope PRIVATE ts_flags -Wl,--whole-archive ts_app_capi -Wl,--no-whole-archive)
target_link_options(tilescope-libtilescope PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/capi/libtilescope.map)
