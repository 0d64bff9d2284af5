# Headers that nearly every file reads are parsed once: 3 of the 8 seconds that a file took were theirs.
#
#   cocoonbox_precompile(TARGET PARTS …)   TARGET reads them precompiled; gRPC's too when PARTS name an rpc or proto part
#
# They hide a forgotten #include: `cmake -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON` builds without them.
include_guard()

set(COCOONBOX_COMMON_HEADERS
    <QByteArray> <QCoroTask> <QCoreApplication> <QDateTime> <QFile> <QHash> <QJsonArray> <QJsonDocument> <QJsonObject>
    <QList> <QLoggingCategory> <QMap> <QObject> <QPointer> <QSet> <QString> <QStringList> <QTimer> <QUrl>
    <algorithm> <array> <chrono> <deque> <expected> <functional> <map> <memory> <optional> <span> <stop_token> <string>
    <string_view> <thread> <utility> <variant> <vector>)

# The compiler takes them only where everything that was defined for them is defined as well: LIBS are the least.
function(cocoonbox_add_precompiled name)
    cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
    set(source ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// The headers come before this line.\n")
    add_library(cocoonbox_precompiled_${name} OBJECT ${source})
    target_link_libraries(cocoonbox_precompiled_${name} PRIVATE ${ARG_LIBS})
    target_precompile_headers(cocoonbox_precompiled_${name} PRIVATE ${ARG_HEADERS})
endfunction()

cocoonbox_add_precompiled(common LIBS cocoonbox_flags Qt6::Core QCoro6::Core HEADERS ${COCOONBOX_COMMON_HEADERS})
cocoonbox_add_precompiled(grpc LIBS cocoonbox_flags Qt6::Core QCoro6::Core cocoonbox_grpc
    HEADERS ${COCOONBOX_COMMON_HEADERS} <grpcpp/grpcpp.h>)
cocoonbox_add_precompiled(proto LIBS cocoonbox_grpc HEADERS <grpcpp/grpcpp.h>)
target_compile_options(cocoonbox_precompiled_proto PRIVATE ${COCOONBOX_GENERATED_OPTIONS})
cocoonbox_add_precompiled(qml LIBS Qt6::Qml
    HEADERS <QtQml/qqmlprivate.h> <QtQml/qjsengine.h> <QtQml/qqmlcontext.h> <QtQml/qqmlengine.h>)

function(cocoonbox_precompile target)
    cmake_parse_arguments(ARG "" "" "PARTS" ${ARGN})
    set(headers common)
    if("${ARG_PARTS}" MATCHES "common/rpc|proto/")
        set(headers grpc)
    endif()
    target_precompile_headers(${target} REUSE_FROM cocoonbox_precompiled_${headers})
endfunction()
