// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/port/own_program.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QtEndian>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::port {

namespace {

constexpr qsizetype kMessageCharsMax = 2048;
constexpr qsizetype kReasonCharsMax = 64;

} // namespace

QByteArray inputFrame(QByteArrayView bytes)
{
    QByteArray frame(4, Qt::Uninitialized);
    qToLittleEndian(static_cast<quint32>(bytes.size()), frame.data());
    return frame.append(bytes);
}

QByteArray failureLine(const Error& error)
{
    const QJsonObject object{{u"code"_s, static_cast<int>(error.code)},
                             {u"reason"_s, error.reason.left(kReasonCharsMax)},
                             {u"message"_s, error.message.left(kMessageCharsMax)}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

Error failureFrom(QByteArrayView said, int exitCode)
{
    const QByteArray line = said.trimmed().toByteArray();
    const QJsonObject object = QJsonDocument::fromJson(line.sliced(line.lastIndexOf('\n') + 1)).object();
    const int code = object.value("code"_L1).toInt(-1);
    if (code < 0 || code > static_cast<int>(ErrorCode::Internal))
        return Error{ErrorCode::Internal, u"A program of the box's own failed (%1). Try again."_s.arg(exitCode),
                     u"PROGRAM_FAILED"_s, QString::fromUtf8(line.left(kMessageCharsMax)),
                     std::source_location::current()};
    return Error{static_cast<ErrorCode>(code),
                 object.value("message"_L1).toString().left(kMessageCharsMax),
                 object.value("reason"_L1).toString().left(kReasonCharsMax),
                 {},
                 std::source_location::current()};
}

} // namespace cocoonbox::agent::toolhost::port
