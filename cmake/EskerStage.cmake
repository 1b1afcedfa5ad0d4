# EskerStage: the kinds of target that Esker has. CMakeLists.txt says which there are.
#
#   src/<stage>/*.cc         static library esker_<stage>      esker_stage()
#   src/<stage>/*_test.cc    GoogleTest program <stage>_test
#   src/<stage>/*_bench.cc   Google Benchmark program <stage>_bench
#   cli/*.cc                 the command, with cli_test        esker_command()
#   testing/*.cc             static library esker_testing, for tests alone
#   fuzz/<name>_fuzz.cc      libFuzzer program <name>_fuzz     esker_fuzz_targets()
#
# A stage library links the stages named in DEPENDS and no others, and its test links only that
# library: code that reaches up to a later stage fails to link its own test. A folder without
# sources is an empty library, so that stages can be written in any order.
include_guard()
include(GoogleTest)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH ESKER_ROOT)

# esker_precompiled_header(): makes the header that all targets share.
function(esker_precompiled_header)
  if(NOT ESKER_PCH)
    return()
  endif()
  file(CONFIGURE OUTPUT esker_pch.cc CONTENT "// Holds the precompiled header of all targets.\n")
  add_library(esker_pch OBJECT "${CMAKE_CURRENT_BINARY_DIR}/esker_pch.cc")
  target_link_libraries(esker_pch PRIVATE Arrow::arrow Arrow::compute Parquet::parquet)
  target_precompile_headers(esker_pch PRIVATE
    <algorithm> <cstdint> <functional> <memory> <optional> <span> <string> <string_view>
    <unordered_map> <utility> <variant> <vector>
    <arrow/api.h> <arrow/compute/api.h> <parquet/arrow/reader.h>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(esker_pch PRIVATE -fpch-preprocess)
  else()
    target_compile_options(esker_pch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# esker_reuse_header(TARGET): compiles TARGET with the shared precompiled header.
function(esker_reuse_header target)
  if(TARGET esker_pch)
    target_precompile_headers(${target} REUSE_FROM esker_pch)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

# esker_glob(OUT DIR PATTERN): sources of DIR, looked up again at every build.
function(esker_glob out dir pattern)
  file(GLOB files CONFIGURE_DEPENDS "${ESKER_ROOT}/${dir}/${pattern}")
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# esker_sources(OUT DIR): what of DIR goes into its library.
function(esker_sources out dir)
  esker_glob(files ${dir} "*.cc")
  list(FILTER files EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# esker_library(TARGET DIR LIBS...): a static library, or an empty one while DIR has no source.
function(esker_library target dir)
  esker_sources(sources ${dir})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "${ESKER_ROOT}/src" "${ESKER_ROOT}/include")
    target_link_libraries(${target} PUBLIC ${ARGN})
    esker_reuse_header(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${ESKER_ROOT}/src" "${ESKER_ROOT}/include")
    target_link_libraries(${target} INTERFACE ${ARGN})
  endif()
endfunction()

# esker_test(NAME DIR LIBS...): DIR/*_test.cc as one program, each TEST known to ctest.
function(esker_test name dir)
  esker_glob(sources ${dir} "*_test.cc")
  if(NOT ESKER_TESTS OR NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  # esker_testing stands first: its members are taken only if used, and find what they need
  # in the libraries behind it.
  target_link_libraries(${name} PRIVATE esker_testing ${ARGN} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${ESKER_ROOT}")
  target_compile_definitions(${name} PRIVATE ESKER_SOURCE_DIR="${ESKER_ROOT}")
  esker_reuse_header(${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    TEST_PREFIX "${name}." PROPERTIES ENVIRONMENT "ESKER_SOURCE_DIR=${ESKER_ROOT}"
    TIMEOUT 600)
endfunction()

# esker_bench(NAME DIR LIBS...): DIR/*_bench.cc as one program.
function(esker_bench name dir)
  esker_glob(sources ${dir} "*_bench.cc")
  if(NOT ESKER_BENCH OR NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE esker_testing ${ARGN} benchmark::benchmark_main
    benchmark::benchmark)
  target_include_directories(${name} PRIVATE "${ESKER_ROOT}")
  target_compile_definitions(${name} PRIVATE ESKER_SOURCE_DIR="${ESKER_ROOT}")
  esker_reuse_header(${name})
endfunction()

# esker_stage(NAME [DEPENDS stage...] [LINK library...]): one stage of the road.
function(esker_stage name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LINK")
  set(libs)
  foreach(stage IN LISTS arg_DEPENDS)
    if(NOT TARGET esker_${stage})
      message(FATAL_ERROR "stage ${name} depends on ${stage}, which is not an earlier stage")
    endif()
    list(PREPEND libs esker_${stage})
  endforeach()
  esker_library(esker_${name} src/${name} ${libs} ${arg_LINK})
  if(name STREQUAL "base")
    # Links base alone: helpers that need later stages are linked by tests of those stages.
    esker_library(esker_testing testing esker_base)
    target_include_directories(esker_testing INTERFACE "${ESKER_ROOT}")
    esker_testing_private()
  endif()
  esker_test(${name}_test src/${name} esker_${name})
  esker_bench(${name}_bench src/${name} esker_${name})
endfunction()

# esker_testing_private(): what compiles testing/ but is not handed on.
function(esker_testing_private)
  get_target_property(type esker_testing TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  if(ESKER_TESTS)
    target_link_libraries(esker_testing PUBLIC GTest::gtest)
  endif()
  target_link_libraries(esker_testing PUBLIC nlohmann_json::nlohmann_json)
  target_include_directories(esker_testing PUBLIC "${ESKER_ROOT}")
  target_compile_definitions(esker_testing PRIVATE ESKER_SOURCE_DIR="${ESKER_ROOT}")
  set_target_properties(esker_testing PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

# esker_command(NAME LINK library...): the program from cli/. All but main.cc is a library, so
# that cli/*_test.cc can call it.
function(esker_command name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  esker_glob(main cli main.cc)
  if(NOT main)
    return()
  endif()
  esker_sources(sources cli)
  list(REMOVE_ITEM sources ${main})
  set(libs esker_api ${arg_LINK})
  if(sources)
    add_library(esker_cli STATIC ${sources})
    target_include_directories(esker_cli PUBLIC "${ESKER_ROOT}")
    target_link_libraries(esker_cli PUBLIC ${libs})
    esker_reuse_header(esker_cli)
    set(libs esker_cli)
  endif()
  add_executable(${name} ${main})
  target_include_directories(${name} PRIVATE "${ESKER_ROOT}")
  target_link_libraries(${name} PRIVATE ${libs})
  esker_reuse_header(${name})
  esker_test(cli_test cli ${libs})
endfunction()

# esker_fuzz_targets(): one program for each fuzz/<name>_fuzz.cc.
function(esker_fuzz_targets)
  esker_glob(sources fuzz "*_fuzz.cc")
  list(TRANSFORM ESKER_FUZZ_STAGES PREPEND esker_ OUTPUT_VARIABLE libs)
  list(REVERSE libs)
  add_custom_target(fuzzers)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE "${ESKER_ROOT}")
    target_link_libraries(${name} PRIVATE ${libs})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    esker_reuse_header(${name})
    add_dependencies(fuzzers ${name})
  endforeach()
endfunction()
