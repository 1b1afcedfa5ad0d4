# EskerCompiler: the language, warnings, sanitizers, compiler cache and linker of every target.
#
# Flags are set for the whole directory, so that all targets have the same ones: a precompiled
# header can only be shared between compilations whose flags agree.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# -fPIC everywhere, not CMake's mix of PIC and PIE: the libraries also go into the Python module,
# and the two kinds could not share a precompiled header.
add_compile_options(-fPIC -Wall -Wextra -Wpedantic)
if(ESKER_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-semantic-interposition)
  # These depend on inlining and are wrong too often: GCC 12 sees a -Wrestrict in "a" + string.
  add_compile_options(-Wno-restrict -Wno-error=array-bounds -Wno-error=maybe-uninitialized
                      -Wno-error=stringop-overflow -Wno-error=stringop-overread)
else()
  # clang finds GCC 12's own std::stable_sort at fault, in a system header.
  add_compile_options(-Wno-error=deprecated-declarations)
endif()

if(ESKER_SANITIZE)
  add_compile_options(-fsanitize=${ESKER_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ESKER_SANITIZE})
endif()
if(ESKER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ESKER_FUZZ needs clang++: cmake --preset asan")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Debug and release objects of one file share nothing but the cache. The sloppiness is what
# ccache asks for before it caches compilations with a precompiled header.
find_program(ESKER_CCACHE ccache)
if(ESKER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros "${ESKER_CCACHE}")
endif()

# Not mold: it takes members out of a static library for weak references inside Arrow's shared
# libraries, and so drags parts of esker_testing into programs that cannot link what they need.
