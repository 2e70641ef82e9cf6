# The library for programs written for Poplar, and the SDK tree to install. `ninja tilescope-sdk` makes the tree in build/sdk. The Debian
# package tilescope-dev has the same tree below lib/tilescope/sdk, so that its file names do not clash with those of Poplar.
include(CMakePackageConfigHelpers)
tilescope_room(app/sdk LIGHT PRIVATE simcore/poplar analyser/summary analyser/session reports/sqlite reports/rows reports/core)
target_compile_definitions(ts_app_sdk PRIVATE TILESCOPE_VERSION="${PROJECT_VERSION}")
add_library(tilescope-libpoplar SHARED ${PROJECT_BINARY_DIR}/pch/empty.cpp)
set_target_properties(tilescope-libpoplar PROPERTIES OUTPUT_NAME poplar VERSION ${PROJECT_VERSION} SOVERSION 0
                                                     LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                                                     LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sdk/libpoplar.map)
target_link_libraries(tilescope-libpoplar PRIVATE ts_flags -Wl,--whole-archive ts_app_sdk ts_simcore_poplar ts_reports_recording -Wl,--no-whole-archive)
target_link_options(tilescope-libpoplar PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/sdk/libpoplar.map)

# Packages for find_package(): Poplar's two, and `tilescope` for programs that read reports or record traces.
set(sdk_generated ${PROJECT_BINARY_DIR}/sdk-generated)
set(sdk_poplar_version 3.3.0)
foreach(package poplar poplibs)
  configure_file(sdk/poplarConfig.cmake.in ${sdk_generated}/${package}Config.cmake @ONLY)
  write_basic_package_version_file(${sdk_generated}/${package}ConfigVersion.cmake VERSION ${sdk_poplar_version}
                                   COMPATIBILITY AnyNewerVersion)
endforeach()
write_basic_package_version_file(${sdk_generated}/tilescopeConfigVersion.cmake VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)
# Library names for link lines: linker scripts. libpoplar.so links an object, too, which needs the library: it may be named before the sources.
add_library(tilescope-link-first OBJECT sdk/link_first.cpp)
set_target_properties(tilescope-link-first PROPERTIES POSITION_INDEPENDENT_CODE TRUE)
target_link_libraries(tilescope-link-first PRIVATE ts_flags)
file(WRITE ${sdk_generated}/libpoplar.so "INPUT(libpoplar_link.o libpoplar.so.0)\n")
foreach(name poputil popops poplin popnn poprand popsparse popfloat gcl gcl_ct pva pvti)
  file(WRITE ${sdk_generated}/lib${name}.so "INPUT(-lpoplar)\n")
endforeach()

file(CREATE_LINK tilescope-popc ${sdk_generated}/popc SYMBOLIC)

# Installs the SDK tree below `root` as the component `component`.
function(tilescope_install_sdk component root)
  set(sdk_generated ${PROJECT_BINARY_DIR}/sdk-generated) # callers may be in other folders
  file(GLOB libraries ${sdk_generated}/lib*.so)
  set(whose COMPONENT ${component})
  if(component STREQUAL sdk)
    list(APPEND whose EXCLUDE_FROM_ALL) # `cmake --install` installs only the packages' files
    # tilescope-cli opens reports and answers the gc- tools. The package tilescope-dev recommends the package tilescope-cli.
    install(PROGRAMS $<TARGET_FILE:tilescope-cli> DESTINATION ${root}/bin ${whose})
  endif()
  foreach(package poplar poplibs)
    install(FILES ${sdk_generated}/${package}Config.cmake ${sdk_generated}/${package}ConfigVersion.cmake
            DESTINATION ${root}/lib/cmake/${package} ${whose})
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/app/sdk/tilescopeConfig.cmake ${sdk_generated}/tilescopeConfigVersion.cmake
          DESTINATION ${root}/lib/cmake/tilescope ${whose})
  install(FILES ${libraries} DESTINATION ${root}/lib ${whose})
  install(TARGETS tilescope-libpoplar LIBRARY DESTINATION ${root}/lib NAMELINK_SKIP ${whose})
  install(FILES $<TARGET_OBJECTS:tilescope-link-first> DESTINATION ${root}/lib RENAME libpoplar_link.o ${whose})
  install(TARGETS tilescope-libtilescope LIBRARY DESTINATION ${root}/lib ${whose})
  install(FILES ${PROJECT_SOURCE_DIR}/app/capi/tilescope.h DESTINATION ${root}/include ${whose})
  foreach(module pva popart popxl poptorch tilescope)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/app/python/${module} DESTINATION ${root}/python ${whose}
            FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
  endforeach()
  install(TARGETS tilescope-popc RUNTIME DESTINATION ${root}/bin ${whose}) # packaging strips targets only
  install(PROGRAMS ${sdk_generated}/popc DESTINATION ${root}/bin ${whose})
  foreach(tool gc-info gc-monitor gc-inventory)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/app/python/tools/${tool} DESTINATION ${root}/bin ${whose})
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/simcore/poplar/include/ DESTINATION ${root}/include ${whose})
  install(FILES ${PROJECT_SOURCE_DIR}/app/sdk/standard_strings.h DESTINATION ${root}/include/bits RENAME c++config.h ${whose})
  install(FILES ${PROJECT_SOURCE_DIR}/reports/recording/pvti/pvti.hpp ${PROJECT_SOURCE_DIR}/reports/recording/tilescope_trace.h
          DESTINATION ${root}/include/pvti ${whose})
  install(FILES ${PROJECT_SOURCE_DIR}/app/sdk/enable.sh DESTINATION ${root} ${whose})
endfunction()
tilescope_install_sdk(sdk .)
add_custom_target(tilescope-sdk DEPENDS tilescope-libpoplar tilescope-link-first tilescope-libtilescope tilescope-popc tilescope-cli VERBATIM
                  COMMAND ${CMAKE_COMMAND} -E rm -rf ${PROJECT_BINARY_DIR}/sdk
                  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --component sdk --prefix ${PROJECT_BINARY_DIR}/sdk)
