# Third-party libraries, each a Debian package of installers/packages.txt.
find_package(Qt6 6.8 REQUIRED COMPONENTS Core Network Sql Test Gui Qml Quick QuickControls2 QuickTest)
find_package(QCoro6 REQUIRED COMPONENTS Core)
find_package(PkgConfig REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)

# gRPC's own CMake package walks pkg-config through re2 and abseil for 37 s; naming the libraries takes none.
find_program(COCOONBOX_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
find_library(COCOONBOX_GRPCXX_LIBRARY grpc++ REQUIRED)
find_library(COCOONBOX_GRPC_LIBRARY grpc REQUIRED)
find_library(COCOONBOX_GPR_LIBRARY gpr REQUIRED)
find_library(COCOONBOX_ABSL_SYNC_LIBRARY absl_synchronization REQUIRED) # grpc++'s headers use absl::Mutex inline
add_library(cocoonbox_grpc INTERFACE)
target_link_libraries(cocoonbox_grpc INTERFACE ${COCOONBOX_GRPCXX_LIBRARY} ${COCOONBOX_GRPC_LIBRARY}
    ${COCOONBOX_GPR_LIBRARY} ${COCOONBOX_ABSL_SYNC_LIBRARY} protobuf::libprotobuf)

# Linked in: 40 KB, and the box needs one library less.
find_library(COCOONBOX_LLHTTP_LIBRARY NAMES libllhttp.a REQUIRED)
pkg_check_modules(VNCCLIENT REQUIRED IMPORTED_TARGET libvncclient)
pkg_check_modules(XCB REQUIRED IMPORTED_TARGET xcb) # comes with qt6-base-dev, and in a box with its desktop
find_package(Qt6Keychain REQUIRED)
