# FindArrowWheel: Apache Arrow C++ and Parquet as imported targets.
#
# Looks first for a real installation (its CMake files; Arrow_DIR or CMAKE_PREFIX_PATH), then into
# an installed `pyarrow` wheel, which carries the headers and shared libraries but no CMake files.
# Only patch releases of Arrow share an ABI and only a major release changes the calls, so an
# installation must have the major version asked for, and the wheel its major and minor version.
#
# Input   ARROW_WHEEL_PYTHON  the Python whose pyarrow to use (else python3 on the path)
#         ARROW_WHEEL_ROOT    the folder of the pyarrow package itself
#         ARROW_WHEEL_FORCE   do not look for an installation
# Output  Arrow::arrow Arrow::compute Arrow::acero Arrow::dataset Parquet::parquet
#         ArrowWheel_VERSION, ArrowWheel_PROVIDER ("installation" or "wheel")
#
# Both ways end in a program that is built and run when configuring: a compiler with another
# string ABI or a library unlike its headers shows up there rather than in a strange link error.
include(FindPackageHandleStandardArgs)

string(REGEX MATCH "^[0-9]+" _aw_major "${ArrowWheel_FIND_VERSION}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _aw_minor "${ArrowWheel_FIND_VERSION}")
set(ArrowWheel_PROVIDER "")
set(ArrowWheel_VERSION "")

# The installed targets under the names used here.
function(_aw_take_installed)
  foreach(pair Arrow::arrow=Arrow::arrow Arrow::compute=ArrowCompute::arrow_compute
               Arrow::acero=ArrowAcero::arrow_acero Arrow::dataset=ArrowDataset::arrow_dataset
               Parquet::parquet=Parquet::parquet)
    string(REPLACE "=" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 installed)
    foreach(kind shared static)
      if(TARGET ${installed}_${kind} AND NOT TARGET ${name})
        add_library(${name} INTERFACE IMPORTED GLOBAL)
        target_link_libraries(${name} INTERFACE ${installed}_${kind})
      endif()
    endforeach()
  endforeach()
  if(NOT TARGET Arrow::compute)  # before Arrow 21 the kernels were part of libarrow
    add_library(Arrow::compute INTERFACE IMPORTED GLOBAL)
    target_link_libraries(Arrow::compute INTERFACE Arrow::arrow)
  endif()
endfunction()

if(NOT ARROW_WHEEL_FORCE)
  find_package(Arrow CONFIG QUIET)
  if(Arrow_FOUND AND NOT Arrow_VERSION MATCHES "^${_aw_major}\\.")
    message(STATUS "Arrow ${Arrow_VERSION} in ${Arrow_DIR} is not ${_aw_major}.x: not used")
  elseif(Arrow_FOUND)
    foreach(part ArrowCompute ArrowAcero ArrowDataset Parquet)
      find_package(${part} CONFIG QUIET HINTS "${Arrow_DIR}/..")
    endforeach()
    _aw_take_installed()
    if(TARGET Arrow::arrow AND TARGET Parquet::parquet)
      set(ArrowWheel_PROVIDER "installation")
      set(ArrowWheel_VERSION "${Arrow_VERSION}")
      set(_aw_place "${Arrow_DIR}")
    endif()
  endif()
endif()

# Sets _aw_root to the folder of the pyarrow package. find_spec does not import it, so this
# neither needs numpy nor waits for libarrow.
function(_aw_find_root)
  set(root "${ARROW_WHEEL_ROOT}")
  if(NOT root)
    set(python "${ARROW_WHEEL_PYTHON}")
    if(NOT python)
      find_program(python NAMES python3 python NO_CACHE)
    endif()
    string(CONCAT program "import importlib.util\n"
                          "spec = importlib.util.find_spec('pyarrow')\n"
                          "print(spec.submodule_search_locations[0] if spec else '', end='')")
    execute_process(COMMAND "${python}" -c "${program}" OUTPUT_VARIABLE root ERROR_QUIET)
  endif()
  set(_aw_root "${root}" PARENT_SCOPE)
endfunction()

# _aw_import(TARGET FILE LIBS...): lib<FILE>.so.<_aw_so> of the wheel as TARGET.
function(_aw_import target file)
  set(path "${_aw_root}/lib${file}.so.${_aw_so}")
  if(TARGET ${target} OR NOT EXISTS "${path}")
    return()
  endif()
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${path}"
    IMPORTED_SONAME "lib${file}.so.${_aw_so}"
    INTERFACE_INCLUDE_DIRECTORIES "${_aw_root}/include"
    INTERFACE_COMPILE_DEFINITIONS _GLIBCXX_USE_CXX11_ABI=1
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()

if(NOT ArrowWheel_PROVIDER)
  _aw_find_root()
  set(_aw_config "${_aw_root}/include/arrow/util/config.h")
  set(_aw_so "")
  if(EXISTS "${_aw_config}")
    file(STRINGS "${_aw_config}" _aw_lines REGEX "#define ARROW_(VERSION_STRING|SO_VERSION) ")
    if(_aw_lines MATCHES "ARROW_VERSION_STRING \"([0-9.]+)")
      set(ArrowWheel_VERSION "${CMAKE_MATCH_1}")
    endif()
    if(_aw_lines MATCHES "ARROW_SO_VERSION \"([0-9]+)\"")
      set(_aw_so "${CMAKE_MATCH_1}")
    endif()
    _aw_import(Arrow::arrow arrow)
    _aw_import(Arrow::compute arrow_compute Arrow::arrow)
    _aw_import(Arrow::acero arrow_acero Arrow::compute)
    _aw_import(Parquet::parquet parquet Arrow::arrow)
    _aw_import(Arrow::dataset arrow_dataset Arrow::acero Parquet::parquet)
  endif()
  if(TARGET Arrow::arrow AND TARGET Arrow::compute AND TARGET Parquet::parquet)
    set(ArrowWheel_PROVIDER "wheel")
    set(_aw_place "${_aw_root}")
  endif()
  if(ArrowWheel_PROVIDER AND NOT ArrowWheel_VERSION MATCHES "^${_aw_minor}\\.")
    message(FATAL_ERROR "pyarrow ${ArrowWheel_VERSION} in ${_aw_root} is not the pinned "
                        "${ArrowWheel_FIND_VERSION}: run ./demo.sh --build")
  endif()
endif()

unset(ArrowWheel_FIND_VERSION)  # compared above
find_package_handle_standard_args(ArrowWheel
  REQUIRED_VARS ArrowWheel_PROVIDER ArrowWheel_VERSION
  REASON_FAILURE_MESSAGE "no Arrow C++ ${_aw_major}.x: run ./demo.sh --build, which installs the \
pinned pyarrow into .venv, or set Arrow_DIR or ARROW_WHEEL_ROOT")

# Checked once for each place and version.
if(ArrowWheel_FOUND AND NOT ArrowWheel_CHECKED STREQUAL "${_aw_place} ${ArrowWheel_VERSION}")
  message(STATUS "Arrow ${ArrowWheel_VERSION} from ${ArrowWheel_PROVIDER}: ${_aw_place}")
  set(_aw_program "${CMAKE_BINARY_DIR}/CMakeFiles/arrow_check.cc")
  file(WRITE "${_aw_program}" [=[
#include <string>

#include <arrow/config.h>
#include <arrow/status.h>

int main() {
  const arrow::BuildInfo& info = arrow::GetBuildInfo();
  arrow::Status status = arrow::Status::Invalid(info.version_string);
  return status.message() == ARROW_VERSION_STRING && info.so_version == ARROW_SO_VERSION ? 0 : 1;
}
]=])
  try_run(_aw_exit _aw_links "${CMAKE_BINARY_DIR}/CMakeFiles/arrow_check" "${_aw_program}"
    LINK_LIBRARIES Arrow::arrow CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    COMPILE_OUTPUT_VARIABLE _aw_compiled RUN_OUTPUT_VARIABLE _aw_ran)
  if(NOT _aw_links OR NOT _aw_exit EQUAL 0)
    message(FATAL_ERROR "A program with Arrow from ${_aw_place} does not build and run "
                        "(links: ${_aw_links}, exit: ${_aw_exit})\n${_aw_compiled}\n${_aw_ran}")
  endif()
  set(ArrowWheel_CHECKED "${_aw_place} ${ArrowWheel_VERSION}" CACHE INTERNAL "")
  unset(_aw_exit CACHE)
  unset(_aw_links CACHE)
endif()
