# The library for programs written for Poplar, and the tree that is installed for them: ninja tilescope-sdk makes it in build/sdk.
tilescope_room(app/sdk PRIVATE simcore/poplar analyser/summary analyser/session reports/sqlite reports/rows reports/core)
target_compile_definitions(ts_app_sdk PRIVATE TILESCOPE_VERSION="${PROJECT_VERSION}")
add_library(tilescope-libpoplar SHARED ${PROJECT_BINARY_DIR}/pch/empty.cpp)
set_target_properties(tilescope-libpoplar PROPERTIES OUTPUT_NAME poplar VERSION ${PROJECT_VERSION} SOVERSION 0
                                                     LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                                                     LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sdk/libpoplar.map)
target_link_libraries(tilescope-libpoplar PRIVATE ts_flags -Wl,--whole-archive ts_app_sdk ts_simcore_poplar ts_reports_recording -Wl,--no-whole-archive)
target_link_options(tilescope-libpoplar PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/sdk/libpoplar.map)

set(sdk_generated ${PROJECT_BINARY_DIR}/sdk-generated)
foreach(package poplar poplibs)
  configure_file(sdk/poplarConfig.cmake.in ${sdk_generated}/${package}Config.cmake @ONLY)
  install(FILES ${sdk_generated}/${package}Config.cmake DESTINATION lib/cmake/${package} COMPONENT sdk EXCLUDE_FROM_ALL)
endforeach()
# The names on link lines: each of them brings the one library.
foreach(name poputil popops poplin popnn poprand popsparse popfloat gcl pva pvti)
  file(WRITE ${sdk_generated}/lib${name}.so "INPUT(-lpoplar)\n")
  install(FILES ${sdk_generated}/lib${name}.so DESTINATION lib COMPONENT sdk EXCLUDE_FROM_ALL)
endforeach()
install(TARGETS tilescope-libpoplar LIBRARY DESTINATION lib COMPONENT sdk EXCLUDE_FROM_ALL)
install(PROGRAMS $<TARGET_FILE:tilescope-popc> DESTINATION bin RENAME popc COMPONENT sdk EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/simcore/poplar/include/ DESTINATION include COMPONENT sdk EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/reports/recording/pvti/pvti.hpp ${PROJECT_SOURCE_DIR}/reports/recording/tilescope_trace.h
        DESTINATION include/pvti COMPONENT sdk EXCLUDE_FROM_ALL)
install(FILES sdk/enable.sh DESTINATION . COMPONENT sdk EXCLUDE_FROM_ALL)
add_custom_target(tilescope-sdk DEPENDS tilescope-libpoplar tilescope-libtilescope tilescope-popc VERBATIM
                  COMMAND ${CMAKE_COMMAND} -E rm -rf ${PROJECT_BINARY_DIR}/sdk
                  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --component sdk --prefix ${PROJECT_BINARY_DIR}/sdk)
