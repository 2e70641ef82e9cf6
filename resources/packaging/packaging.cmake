# Where things go when installed, and the two Debian packages: tilescope-cli (no Qt) and tilescope (needs the former,
# because the window starts runs as a child process).
include(GNUInstallDirs)
set(desktop ${PROJECT_SOURCE_DIR}/resources/desktop)
set(app_id org.tilescope.Tilescope)

if(TARGET tilescope-cli)
  install(TARGETS tilescope-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
endif()
install(FILES ${desktop}/tilescope-cli.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
install(FILES ${PROJECT_SOURCE_DIR}/resources/packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-cli COMPONENT cli)
if(EXISTS ${PROJECT_SOURCE_DIR}/reports/SCHEMA.md)
  install(FILES ${PROJECT_SOURCE_DIR}/reports/SCHEMA.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-cli COMPONENT cli)
endif()

if(TILESCOPE_GUI)
  install(TARGETS tilescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gui)
  install(FILES ${desktop}/tilescope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gui)
  install(FILES ${PROJECT_SOURCE_DIR}/resources/packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope COMPONENT gui)
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
set(CPACK_COMPONENTS_ALL cli)
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
set(CPACK_DEBIAN_GUI_PACKAGE_NAME tilescope)
set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "tilescope-cli (= ${PROJECT_VERSION}), fonts-dejavu-core")
set(CPACK_COMPONENT_CLI_DESCRIPTION "profiler and simulator for machines with thousands of tiles: command line
 Compiles and runs ONNX models and sample graphs on a simulated machine, writes
 a report, and prints, queries and compares reports. Needs no display.")
set(CPACK_COMPONENT_GUI_DESCRIPTION "profiler and simulator for machines with thousands of tiles
 Shows reports: memory of every tile, liveness, program tree, execution trace,
 host timeline, and two reports compared.")
include(CPack)
