# Where things go when installed, and the Debian packages: tilescope-cli (no Qt), tilescope (needs the former, because the window
# starts runs as a child process), the recording library, libtilescope0, python3-tilescope, and tilescope-dev, the SDK for Poplar
# programs.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(desktop ${PROJECT_SOURCE_DIR}/resources/desktop)
set(man ${PROJECT_SOURCE_DIR}/resources/man)
set(packaging ${PROJECT_SOURCE_DIR}/resources/packaging)
set(generated ${PROJECT_BINARY_DIR}/installed)
set(app_id org.tilescope.Tilescope)

# tilescope_output(FILE DEPENDS COMMAND…): a file that is installed and holds what a command prints.
macro(tilescope_output file depends)
  add_custom_command(OUTPUT ${generated}/${file} DEPENDS ${depends} VERBATIM
                     COMMAND sh -c "file=$1; shift; exec \"$@\" >\"$file\"" sh ${generated}/${file} ${ARGN})
  list(APPEND outputs ${generated}/${file})
endmacro()
file(MAKE_DIRECTORY ${generated})

# The program itself knows its words: its manual page and what shells complete.
tilescope_output(tilescope-cli.1 tilescope-cli $<TARGET_FILE:tilescope-cli> manual)
foreach(shell bash zsh fish)
  tilescope_output(completion.${shell} tilescope-cli $<TARGET_FILE:tilescope-cli> completion ${shell})
endforeach()
# Debian wants manuals and change logs compressed, with no time stamp inside.
set(pages tilescope.1 tilescope-popc.1 tilescope-gc-info.1 tilescope-gc-inventory.1 tilescope-gc-monitor.1)
list(TRANSFORM pages PREPEND ${man}/)
foreach(page ${pages} ${packaging}/changelog ${generated}/tilescope-cli.1)
  get_filename_component(name ${page} NAME)
  tilescope_output(${name}.gz ${page} gzip -9nc ${page})
endforeach()
add_custom_target(tilescope-installed-files ALL DEPENDS ${outputs})

install(TARGETS tilescope-cli tilescope-popc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
install(FILES ${generated}/tilescope-cli.1.gz ${generated}/tilescope-popc.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
install(FILES ${generated}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tilescope-cli
        COMPONENT cli)
install(FILES ${generated}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _tilescope-cli
        COMPONENT cli)
install(FILES ${generated}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        RENAME tilescope-cli.fish COMPONENT cli)
install(FILES ${packaging}/copyright ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-cli COMPONENT cli)
install(FILES ${PROJECT_SOURCE_DIR}/reports/SCHEMA.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-cli COMPONENT cli)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/docs/help/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-cli/manual COMPONENT cli)

# What C++ programs that record a trace need: the library and its headers.
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tilescope_trace)
write_basic_package_version_file(${generated}/tilescope_traceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS tilescope_trace EXPORT tilescope_trace ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT trace
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT trace)
install(EXPORT tilescope_trace FILE tilescope_traceTargets.cmake NAMESPACE tilescope:: DESTINATION ${cmake_folder} COMPONENT trace)
install(FILES ${packaging}/tilescope_traceConfig.cmake ${generated}/tilescope_traceConfigVersion.cmake DESTINATION ${cmake_folder}
        COMPONENT trace)
install(FILES ${packaging}/copyright ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtilescope-trace-dev
        COMPONENT trace)

# The library for other languages, which popart and poptorch load.
install(TARGETS tilescope-libtilescope LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_SKIP)
install(FILES ${packaging}/copyright ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtilescope0
        COMPONENT library)

# What Python scripts import to record traces, to read reports and to run models, and the command line tools of the field, which show the
# simulated pod. Those have their own names in a folder to put in PATH, since a machine may have the real ones.
file(GLOB modules ${PROJECT_SOURCE_DIR}/reports/recording/python/*.py)
install(FILES ${modules} DESTINATION lib/python3/dist-packages COMPONENT python)
set(python ${PROJECT_SOURCE_DIR}/app/python)
install(DIRECTORY ${python}/pva ${python}/popart ${python}/popxl ${python}/poptorch ${python}/tilescope DESTINATION lib/python3/dist-packages
        COMPONENT python FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
foreach(tool gc-info gc-monitor gc-inventory)
  install(PROGRAMS ${python}/tools/${tool} DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME tilescope-${tool} COMPONENT python)
  install(PROGRAMS ${python}/tools/${tool} DESTINATION lib/tilescope/gc-tools COMPONENT python)
  install(FILES ${generated}/tilescope-${tool}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT python)
endforeach()
install(FILES ${packaging}/copyright ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-tilescope
        COMPONENT python)

# The SDK, in a folder of its own; find_package(tilescope) finds it without a hint.
tilescope_install_sdk(dev lib/tilescope/sdk)
install(FILES ${PROJECT_SOURCE_DIR}/app/sdk/tilescopeConfig.cmake ${PROJECT_BINARY_DIR}/sdk-generated/tilescopeConfigVersion.cmake
        DESTINATION lib/cmake/tilescope COMPONENT dev)
install(FILES ${packaging}/copyright ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-dev COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/tutorials DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope-dev COMPONENT dev)

if(TILESCOPE_GUI)
  install(TARGETS tilescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gui)
  install(FILES ${generated}/tilescope.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gui)
  install(FILES ${packaging}/copyright ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tilescope COMPONENT gui)
  install(FILES ${desktop}/tilescope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tilescope
          COMPONENT gui)
  install(FILES ${desktop}/tilescope.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _tilescope COMPONENT gui)
  install(FILES ${desktop}/tilescope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT gui)
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
set(CPACK_PACKAGE_CONTACT "The Tilescope authors <packages@tilescope.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler and simulator for machines with thousands of tiles")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL cli trace library python dev)
if(TILESCOPE_GUI)
  list(APPEND CPACK_COMPONENTS_ALL gui)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE https://tilescope.org)
# A build that is no release says of which commit it is: 0.2.0+git20261130.1742.1a2b3c4 is newer than 0.2.0
# and than a commit of the morning; ".changed" follows if files differ from the commit. A release has the tag v0.2.0.
# Nothing without git; "unknown" if git tells no commit.
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} describe --tags --exact-match --match v${PROJECT_VERSION} HEAD
                  RESULT_VARIABLE untagged OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} diff --quiet HEAD RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} log -1 --abbrev=7 --date=format:%Y%m%d.%H%M --format=+git%cd.%h
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(untagged AND NOT commit)
    set(commit +unknown)
  endif()
  if(untagged OR changed)
    set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION}${commit})
  endif()
  if(changed)
    string(APPEND CPACK_PACKAGE_VERSION .changed)
  endif()
endif()
if(NOT CPACK_PACKAGE_VERSION)
  set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_CLI_PACKAGE_NAME tilescope-cli)
set(CPACK_DEBIAN_CLI_PACKAGE_SUGGESTS "clang-14, lld")
set(CPACK_DEBIAN_TRACE_PACKAGE_NAME libtilescope-trace-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtilescope0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# What packages that link the library depend on, and that the linker's cache follows.
file(WRITE ${generated}/shlibs "libtilescope 0 libtilescope0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${generated}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${generated}/shlibs;${generated}/triggers")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tilescope)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "tilescope-cli (= ${CPACK_PACKAGE_VERSION}), libtilescope0 (= ${CPACK_PACKAGE_VERSION}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-torch")
# The modules that record were in libtilescope-trace-dev before 0.2.0.
set(CPACK_DEBIAN_PYTHON_PACKAGE_BREAKS "libtilescope-trace-dev (<< 0.2.0)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_REPLACES "libtilescope-trace-dev (<< 0.2.0)")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME tilescope-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "g++, clang, tilescope-cli (= ${CPACK_PACKAGE_VERSION}), python3 (>= 3.9)")
set(CPACK_DEBIAN_GUI_PACKAGE_NAME tilescope)
set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "tilescope-cli (= ${CPACK_PACKAGE_VERSION}), fonts-dejavu-core")
# Lines of less than 80 characters; a dot at the begin of one would be a command.
set(CPACK_COMPONENT_CLI_DESCRIPTION "The command line: compiles and runs ONNX models and sample graphs on a
simulated machine, writes a report, and prints, queries and compares
reports; and tilescope-popc, which compiles codelets with clang.
Needs no display.")
set(CPACK_COMPONENT_TRACE_DESCRIPTION "The recording library: what C++ programs link to record their threads,
counters and heatmaps for tilescope. Python programs: python3-tilescope.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The library with a C interface: compiles and runs ONNX models on the
simulated machine, for programs that keep a session.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python modules that record traces, that read reports (pva, with the names
of Graphcore's libpva) and that build, train and run models (popart and
poptorch, with the names of Graphcore's), and tilescope for notebooks;
gc-info, gc-monitor and gc-inventory for the simulated pod.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "The SDK: headers and library for C++ programs that were written for
Poplar, which run on the simulated machine, popc, and gc-info, gc-monitor
and gc-inventory. A shell that sources /usr/lib/tilescope/sdk/enable.sh
finds all of it. find_package(tilescope) has targets that read reports and
record traces.")
set(CPACK_COMPONENT_GUI_DESCRIPTION "The window: shows memory of every tile, liveness, program tree, execution
trace and host timeline of a report, and two reports compared.")
include(CPack)
