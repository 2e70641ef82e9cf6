# Builds QCustomPlot for the Flatpak: its source archive has no build files, and CMake finds it by this package.
cmake_minimum_required(VERSION 3.16)
project(QCustomPlotQt6 VERSION 2.1.1 LANGUAGES CXX)
include(GNUInstallDirs)
find_package(Qt6 REQUIRED COMPONENTS Widgets PrintSupport)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_AUTOMOC ON)

add_library(QCustomPlotQt6 SHARED qcustomplot.cpp qcustomplot.h)
set_target_properties(QCustomPlotQt6 PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 2)
target_compile_definitions(QCustomPlotQt6 PRIVATE QCUSTOMPLOT_COMPILE_LIBRARY INTERFACE QCUSTOMPLOT_USE_LIBRARY)
target_include_directories(QCustomPlotQt6 INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(QCustomPlotQt6 PUBLIC Qt6::Widgets Qt6::PrintSupport)

install(FILES qcustomplot.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS QCustomPlotQt6 EXPORT QCustomPlotQt6 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT QCustomPlotQt6 FILE QCustomPlotQt6Config.cmake NAMESPACE QCustomPlotQt6::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/QCustomPlotQt6)
