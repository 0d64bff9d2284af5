# A part is one static library named cocoonbox_<room>_<part>. tests/arch reads these calls, so every part uses them.
#
#   cocoonbox_add_part(ROOM PART SOURCES … [PARTS other parts as ROOM/PART …] [LIBS external targets …])
#   cocoonbox_add_program(NAME SOURCES … PARTS … [LIBS …])        -> build/bin/NAME
#   cocoonbox_add_test(NAME LABELS … SOURCES … PARTS … [LIBS …])  -> one Qt Test executable, one ctest
include_guard()

function(cocoonbox_part_targets out)
    set(targets "")
    foreach(part IN LISTS ARGN)
        string(REPLACE "/" "_" name ${part})
        list(APPEND targets cocoonbox_${name})
    endforeach()
    set(${out} ${targets} PARENT_SCOPE)
endfunction()

function(cocoonbox_add_part room part)
    cmake_parse_arguments(ARG "" "" "SOURCES;PARTS;LIBS" ${ARGN})
    set(target cocoonbox_${room}_${part})
    add_library(${target} STATIC ${ARG_SOURCES})
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
    cocoonbox_part_targets(parts ${ARG_PARTS})
    target_link_libraries(${target} PUBLIC cocoonbox_flags Qt6::Core ${parts} ${ARG_LIBS})
    cocoonbox_precompile(${target} PARTS ${ARG_PARTS})
endfunction()

function(cocoonbox_add_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;PARTS;LIBS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
    cocoonbox_part_targets(parts ${ARG_PARTS})
    target_link_libraries(${name} PRIVATE cocoonbox_flags ${parts} ${ARG_LIBS})
    cocoonbox_precompile(${name} PARTS ${ARG_PARTS})
endfunction()

function(cocoonbox_add_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;PARTS;LIBS;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    cocoonbox_part_targets(parts ${ARG_PARTS})
    target_link_libraries(${name} PRIVATE cocoonbox_flags Qt6::Test ${parts} ${ARG_LIBS})
    cocoonbox_precompile(${name} PARTS ${ARG_PARTS})
    # Mostly an empty file, for which reading the precompiled headers would be all the work.
    set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${name}_autogen/mocs_compilation.cpp
        PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    # QTRY_* narrows a chrono count; a source's options come after those of the linked targets.
    set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS -Wno-conversion)
    target_compile_definitions(${name} PRIVATE COCOONBOX_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        COCOONBOX_BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 60)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;TZ=UTC")
endfunction()
