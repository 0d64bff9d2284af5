// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/port/message.h"

#include <limits>
#include <QCborArray>
#include <QCborMap>
#include <QCborValue>
#include <QtEndian>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::port {

namespace {

constexpr qsizetype kHeaderBytes = 4;
constexpr qint64 kMaxInt = std::numeric_limits<int>::max();
constexpr qsizetype kWordsMax = 1024;
constexpr qsizetype kTextBytesMax = 256 * 1024; // of argv and the environment, each

std::unexpected<Error> broken(const QString& what)
{
    return fail(ErrorCode::InvalidArgument, u"A frame on the tools socket is broken: %1."_s.arg(what),
                u"FRAME_BROKEN"_s);
}

// Reads the fields of one message; remembers the first that is missing, of another type or out of its bounds.
class Fields {
public:
    explicit Fields(QCborMap map) : m_map(std::move(map)) {}

    quint64 id()
    {
        const qint64 value = integer("id"_L1, 1, std::numeric_limits<qint64>::max());
        return static_cast<quint64>(value);
    }
    qint64 integer(QLatin1StringView key, qint64 min, qint64 max)
    {
        const QCborValue value = take(key);
        if (!value.isInteger() || value.toInteger() < min || value.toInteger() > max) return bad(key), qint64{0};
        return value.toInteger();
    }
    int number(QLatin1StringView key, int min, int max) { return static_cast<int>(integer(key, min, max)); }
    bool flag(QLatin1StringView key)
    {
        const QCborValue value = take(key);
        if (!value.isBool()) bad(key);
        return value.toBool();
    }
    QString text(QLatin1StringView key, qsizetype bytesMax)
    {
        const QCborValue value = take(key);
        if (!value.isString()) return bad(key), QString();
        QString text = value.toString();
        if (text.size() > bytesMax || text.toUtf8().size() > bytesMax) bad(key);
        return text;
    }
    QByteArray bytes(QLatin1StringView key, qsizetype bytesMax)
    {
        const QCborValue value = take(key);
        if (!value.isByteArray() || value.toByteArray().size() > bytesMax) return bad(key), QByteArray();
        return value.toByteArray();
    }
    QStringList words(QLatin1StringView key)
    {
        const QCborValue value = take(key);
        const QCborArray array = value.toArray();
        if (!value.isArray() || array.size() > kWordsMax) return bad(key), QStringList();
        QStringList words;
        qsizetype size = 0;
        for (const QCborValue& word : array) {
            words.append(word.toString());
            size += words.last().size();
            if (!word.isString() || size > kTextBytesMax) return bad(key), QStringList();
        }
        return words;
    }
    QMap<QString, QString> dictionary(QLatin1StringView key)
    {
        const QCborValue value = take(key);
        if (!value.isMap() || value.toMap().size() > kWordsMax) return bad(key), QMap<QString, QString>();
        QMap<QString, QString> dictionary;
        qsizetype size = 0;
        for (const auto& [name, text] : value.toMap()) {
            size += name.toString().size() + text.toString().size();
            if (!name.isString() || !text.isString() || size > kTextBytesMax) return bad(key), dictionary;
            dictionary.insert(name.toString(), text.toString());
        }
        return dictionary;
    }
    // The message, when every field was right and none is left over.
    Result<Message> finish(Message message)
    {
        if (m_bad.isEmpty() && !m_map.isEmpty()) m_bad = u"it has a field too many"_s;
        if (!m_bad.isEmpty()) return broken(m_bad);
        return message;
    }

private:
    QCborValue take(QLatin1StringView key) { return m_map.take(key); }
    void bad(QLatin1StringView key)
    {
        if (m_bad.isEmpty()) m_bad = u"field \"%1\" is missing or out of bounds"_s.arg(key);
    }

    QCborMap m_map;
    QString m_bad;
};

QCborMap toMap(const Hello& m)
{
    return {{u"type"_s, u"hello"_s}, {u"version"_s, m.version}};
}
QCborMap toMap(const CallStart& m)
{
    return {{u"type"_s, u"call"_s},        {u"id"_s, qint64(m.id)},        {u"tool"_s, m.tool},
            {u"arguments"_s, m.arguments}, {u"timeout_ms"_s, m.timeoutMs}, {u"scope"_s, m.scope}};
}
QCborMap toMap(const CallOutput& m)
{
    return {{u"type"_s, u"call_output"_s}, {u"id"_s, qint64(m.id)}, {u"text"_s, m.text}};
}
QCborMap toMap(const CallResult& m)
{
    return {{u"type"_s, u"call_result"_s}, {u"id"_s, qint64(m.id)}, {u"text"_s, m.text}, {u"error"_s, m.isError}};
}
QCborMap toMap(const CallCancel& m)
{
    return {{u"type"_s, u"call_cancel"_s}, {u"id"_s, qint64(m.id)}};
}
QCborMap toMap(const ExecStart& m)
{
    QCborMap env;
    for (const auto& [name, value] : m.env.asKeyValueRange())
        env.insert(name, value);
    return {{u"type"_s, u"exec"_s}, {u"id"_s, qint64(m.id)},   {u"argv"_s, QCborArray::fromStringList(m.argv)},
            {u"cwd"_s, m.cwd},      {u"env"_s, env},           {u"tty"_s, m.tty},
            {u"rows"_s, m.rows},    {u"columns"_s, m.columns}, {u"login"_s, m.loginShell},
            {u"own"_s, m.own}};
}
QCborMap toMap(const ExecStdin& m)
{
    return {{u"type"_s, u"exec_stdin"_s}, {u"id"_s, qint64(m.id)}, {u"bytes"_s, m.bytes}, {u"closed"_s, m.closed}};
}
QCborMap toMap(const ExecResize& m)
{
    return {{u"type"_s, u"exec_resize"_s}, {u"id"_s, qint64(m.id)}, {u"rows"_s, m.rows}, {u"columns"_s, m.columns}};
}
QCborMap toMap(const ExecSignal& m)
{
    return {{u"type"_s, u"exec_signal"_s}, {u"id"_s, qint64(m.id)}, {u"number"_s, m.number}};
}
QCborMap toMap(const ExecHangUp& m)
{
    return {{u"type"_s, u"exec_hang_up"_s}, {u"id"_s, qint64(m.id)}};
}
QCborMap toMap(const ExecCredit& m)
{
    return {{u"type"_s, u"exec_credit"_s}, {u"id"_s, qint64(m.id)}, {u"bytes"_s, m.bytes}};
}
QCborMap toMap(const ExecOutput& m)
{
    return {{u"type"_s, u"exec_output"_s}, {u"id"_s, qint64(m.id)}, {u"bytes"_s, m.bytes}, {u"stderr"_s, m.isStderr}};
}
QCborMap toMap(const ExecExit& m)
{
    return {{u"type"_s, u"exec_exit"_s},
            {u"id"_s, qint64(m.id)},
            {u"code"_s, m.exitCode},
            {u"signal"_s, m.signalNumber},
            {u"failure"_s, m.failure}};
}

Result<Message> callFrom(const QString& type, Fields& f)
{
    if (type == "call"_L1)
        return f.finish(CallStart{f.id(), f.text("tool"_L1, 64), f.bytes("arguments"_L1, kArgumentBytesMax),
                                  f.integer("timeout_ms"_L1, 1, kTimeoutMsMax), f.text("scope"_L1, 64)});
    if (type == "call_output"_L1) return f.finish(CallOutput{f.id(), f.text("text"_L1, kCallOutputBytesMax)});
    if (type == "call_result"_L1)
        return f.finish(CallResult{f.id(), f.text("text"_L1, kResultBytesMax), f.flag("error"_L1)});
    if (type == "call_cancel"_L1) return f.finish(CallCancel{f.id()});
    return broken(u"its type is unknown"_s);
}

Result<Message> execFrom(const QString& type, Fields& f)
{
    if (type == "exec"_L1)
        return f.finish(ExecStart{f.id(), f.words("argv"_L1), f.text("cwd"_L1, 4096), f.dictionary("env"_L1),
                                  f.flag("tty"_L1), f.number("rows"_L1, 0, 4096), f.number("columns"_L1, 0, 4096),
                                  f.flag("login"_L1), f.flag("own"_L1)});
    if (type == "exec_stdin"_L1)
        return f.finish(ExecStdin{f.id(), f.bytes("bytes"_L1, kExecChunkBytesMax), f.flag("closed"_L1)});
    if (type == "exec_resize"_L1)
        return f.finish(ExecResize{f.id(), f.number("rows"_L1, 1, 4096), f.number("columns"_L1, 1, 4096)});
    if (type == "exec_signal"_L1) return f.finish(ExecSignal{f.id(), f.number("number"_L1, 1, 31)});
    if (type == "exec_hang_up"_L1) return f.finish(ExecHangUp{f.id()});
    if (type == "exec_credit"_L1) return f.finish(ExecCredit{f.id(), f.integer("bytes"_L1, 1, kMaxInt)});
    if (type == "exec_output"_L1)
        return f.finish(ExecOutput{f.id(), f.bytes("bytes"_L1, kExecChunkBytesMax), f.flag("stderr"_L1)});
    if (type == "exec_exit"_L1)
        return f.finish(
            ExecExit{f.id(), f.number("code"_L1, 0, 255), f.number("signal"_L1, 0, 64), f.text("failure"_L1, 4096)});
    return broken(u"its type is unknown"_s);
}

} // namespace

Result<QByteArray> encodeFrame(const Message& message)
{
    const QByteArray cbor = std::visit([](const auto& m) { return toMap(m); }, message).toCborValue().toCbor();
    if (cbor.size() > kFrameBytesMax)
        return fail(ErrorCode::ResourceExhausted, u"A message for the tools socket is larger than 1 MiB."_s,
                    u"FRAME_TOO_LARGE"_s);
    QByteArray frame(kHeaderBytes, Qt::Uninitialized);
    qToLittleEndian(static_cast<quint32>(cbor.size()), frame.data());
    return frame + cbor;
}

Result<Message> decodeMessage(const QByteArray& cbor)
{
    QCborParserError error;
    const QCborValue value = QCborValue::fromCbor(cbor, &error);
    if (error.error != QCborError::NoError || error.offset != cbor.size() || !value.isMap())
        return broken(u"it is no CBOR map"_s);
    QCborMap map = value.toMap();
    const QString type = map.take("type"_L1).toString();
    Fields fields(std::move(map));
    if (type == "hello"_L1) return fields.finish(Hello{fields.number("version"_L1, 1, 1'000'000)});
    return type.startsWith("exec"_L1) ? execFrom(type, fields) : callFrom(type, fields);
}

Result<QList<Message>> FrameReader::feed(const QByteArray& bytes)
{
    m_pending += bytes;
    QList<Message> messages;
    qsizetype at = 0;
    while (m_pending.size() - at >= kHeaderBytes) {
        const auto size = static_cast<qsizetype>(qFromLittleEndian<quint32>(m_pending.constData() + at));
        if (size > kFrameBytesMax) return broken(u"it says that it is larger than 1 MiB"_s);
        if (m_pending.size() - at - kHeaderBytes < size) break;
        TRY_ASSIGN(Message message, decodeMessage(m_pending.mid(at + kHeaderBytes, size)));
        messages.append(std::move(message));
        at += kHeaderBytes + size;
    }
    m_pending.remove(0, at);
    return messages;
}

QString boundedResult(const QString& text)
{
    const QByteArray utf8 = text.toUtf8();
    if (utf8.size() <= kResultBytesMax) return text;
    const QString notice =
        u"\n[cut here: the output was %1 bytes, the limit is %2]"_s.arg(utf8.size()).arg(kResultBytesMax);
    qsizetype keep = kResultBytesMax - notice.toUtf8().size();
    while (keep > 0 && (static_cast<quint8>(utf8[keep]) & 0xC0) == 0x80)
        --keep; // not inside a character
    return QString::fromUtf8(utf8.first(keep)) + notice;
}

} // namespace cocoonbox::agent::toolhost::port
