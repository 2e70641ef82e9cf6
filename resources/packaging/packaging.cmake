# Where things go when installed, and the two Debian packages: tilescope-cli (no Qt) and tilescope (needs the former,
# because the window starts runs as a child process).
include(GNUInstallDirs)
set(desktop ${PROJECT_SOURCE_DIR}/resources/desktop)
set(packaging ${PROJECT_SOURCE_DIR}/resources/packaging)
set(compressed ${CMAKE_BINARY_DIR}/compressed)
set(app_id org.tilescope.Tilescope)

# Debian wants manuals and change logs compressed, with no time stamp inside.
foreach(page ${desktop}/tilescope.1 ${packaging}/changelog)
  get_filename_component(name ${page} NAME)
  file(MAKE_DIRECTORY ${compressed})
  execute_process(COMMAND gzip -9nc ${page} OUTPUT_FILE ${compressed}/${name}.gz COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
endforeach()

if(TARGET tilescope-cli)
  install(TARGETS tilescope-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
endif()
# The program itself knows its words: its manual page and what shells complete.
if(TARGET tilescope-cli)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:tilescope-cli>\" manual COMMAND gzip -9nc
                                OUTPUT_FILE \"${compressed}/tilescope-cli.1.gz\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT cli)
  install(FILES ${compressed}/tilescope-cli.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
  set(completions ${CMAKE_BINARY_DIR}/completions)
  file(MAKE_DIRECTORY ${completions})
  foreach(place bash:bash-completion/completions/tilescope-cli zsh:zsh/vendor-completions/_tilescope-cli
                fish:fish/vendor_completions.d/tilescope-cli.fish)
    string(REPLACE ":" ";" parts ${place})
    list(GET parts 0 shell)
    list(GET parts 1 file)
    get_filename_component(name ${file} NAME)
    get_filename_component(folder ${file} DIRECTORY)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:tilescope-cli>\" completion ${shell}
                                  OUTPUT_FILE \"${completions}/${shell}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT cli)
    install(FILES ${completions}/${shell} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name} COMPONENT cli)
  endforeach()
endif()
install(FILES ${packaging}/copyright ${compressed}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-cli COMPONENT cli)
if(EXISTS ${PROJECT_SOURCE_DIR}/reports/SCHEMA.md)
  install(FILES ${PROJECT_SOURCE_DIR}/reports/SCHEMA.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-cli COMPONENT cli)
endif()

# What programs that record a trace need: the library, its headers, the Python modules.
install(TARGETS tilescope_trace EXPORT tilescope_trace ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT trace)
install(EXPORT tilescope_trace FILE tilescope_traceTargets.cmake NAMESPACE tilescope::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilescope_trace COMPONENT trace)
install(FILES ${packaging}/tilescope_traceConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilescope_trace COMPONENT trace)
install(FILES ${PROJECT_SOURCE_DIR}/reports/recording/tilescope_trace.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT trace)
install(FILES ${PROJECT_SOURCE_DIR}/reports/recording/pvti/pvti.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pvti COMPONENT trace)
file(GLOB modules ${PROJECT_SOURCE_DIR}/reports/recording/python/*.py)
install(FILES ${modules} DESTINATION lib/python3/dist-packages COMPONENT trace)
install(FILES ${packaging}/copyright ${compressed}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtilescope-trace-dev
        COMPONENT trace)

if(TILESCOPE_GUI)
  install(TARGETS tilescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gui)
  install(FILES ${compressed}/tilescope.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gui)
  install(FILES ${packaging}/copyright ${compressed}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope COMPONENT gui)
  install(FILES ${desktop}/${app_id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT gui)
  install(FILES ${desktop}/${app_id}.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME ${app_id}.xml
          COMPONENT gui)
  install(FILES ${desktop}/${app_id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT gui)
  install(FILES ${desktop}/tilescope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
          RENAME ${app_id}.svg COMPONENT gui)
  install(FILES ${desktop}/tilescope-256.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/256x256/apps
          RENAME ${app_id}.png COMPONENT gui)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilescope)
set(CPACK_PACKAGE_VENDOR "The Tilescope authors")
set(CPACK_PACKAGE_CONTACT "The Tilescope authors <tilescope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler and simulator for machines with thousands of tiles")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL cli trace)
if(TILESCOPE_GUI)
  list(APPEND CPACK_COMPONENTS_ALL gui)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_CLI_PACKAGE_NAME tilescope-cli)
set(CPACK_DEBIAN_TRACE_PACKAGE_NAME libtilescope-trace-dev)
set(CPACK_DEBIAN_GUI_PACKAGE_NAME tilescope)
set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "tilescope-cli (= ${PROJECT_VERSION}), fonts-dejavu-core")
set(CPACK_COMPONENT_CLI_DESCRIPTION "The command line: compiles and runs ONNX models and sample graphs on a
simulated machine, writes a report, and prints, queries and compares reports.
Needs no display.")
set(CPACK_COMPONENT_TRACE_DESCRIPTION "The recording library: what C++ and Python programs link or import to
record their threads, counters and heatmaps for tilescope.")
set(CPACK_COMPONENT_GUI_DESCRIPTION "The window: shows memory of every tile, liveness, program tree, execution
trace and host timeline of a report, and two reports compared.")
include(CPack)
