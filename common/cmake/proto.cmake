# cocoonbox_add_proto(PACKAGE FILES …): protoc's messages and services of one proto package as one library,
# cocoonbox_proto_<package>. Generated code is compiled without our warnings.
include_guard()

set(COCOONBOX_GENERATED_OPTIONS -w -O1)

function(cocoonbox_add_proto package)
    cmake_parse_arguments(ARG "" "" "FILES;PROTOS" ${ARGN})
    set(out ${CMAKE_BINARY_DIR}/generated)
    file(MAKE_DIRECTORY ${out})
    set(sources "")
    foreach(file IN LISTS ARG_FILES)
        string(REGEX REPLACE "\\.proto$" "" stem ${file})
        set(generated ${out}/${stem}.pb.cc ${out}/${stem}.pb.h ${out}/${stem}.grpc.pb.cc ${out}/${stem}.grpc.pb.h)
        add_custom_command(
            OUTPUT ${generated}
            COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR}/proto --cpp_out=${out} --grpc_out=${out}
                --plugin=protoc-gen-grpc=${COCOONBOX_GRPC_PLUGIN} ${CMAKE_SOURCE_DIR}/proto/${file}
            DEPENDS ${CMAKE_SOURCE_DIR}/proto/${file}
            COMMENT "protoc ${file}")
        list(APPEND sources ${generated})
    endforeach()
    add_library(cocoonbox_proto_${package} STATIC ${sources})
    target_include_directories(cocoonbox_proto_${package} SYSTEM PUBLIC ${out})
    target_link_libraries(cocoonbox_proto_${package} PUBLIC cocoonbox_grpc)
    target_precompile_headers(cocoonbox_proto_${package} REUSE_FROM cocoonbox_precompiled_proto)
    target_compile_options(cocoonbox_proto_${package} PRIVATE ${COCOONBOX_GENERATED_OPTIONS})
endfunction()
