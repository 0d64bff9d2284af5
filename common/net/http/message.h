// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <optional>
#include <QByteArray>
#include <QByteArrayView>
#include <QList>

namespace cocoonbox::net::http {

// Header fields in the order they were sent; names are compared without case.
class Headers {
public:
    struct Field {
        QByteArray name;
        QByteArray value;
    };

    Headers() = default;
    Headers(std::initializer_list<Field> fields) : m_fields(fields) {}

    void add(QByteArray name, QByteArray value) { m_fields.append({std::move(name), std::move(value)}); }
    void set(const QByteArray& name, QByteArray value);
    void remove(QByteArrayView name);
    bool contains(QByteArrayView name) const;
    // The first field's value; null when there is none.
    QByteArray value(QByteArrayView name) const;
    qsizetype count(QByteArrayView name) const;
    const QList<Field>& fields() const { return m_fields; }
    // Drops what belongs to one hop only (RFC 9110 §7.6.1): Connection, what it names, Keep-Alive, Proxy-*, TE,
    // Trailer, Transfer-Encoding, Upgrade.
    void removeHopByHop();

private:
    QList<Field> m_fields;
};

struct RequestHead {
    QByteArray method; // "GET"; case as sent
    QByteArray target; // as sent: "/path?query", "http://host/path", "host:443", "*"
    int minorVersion = 1;
    Headers headers;
    bool keepAlive = true;
    std::optional<qint64> contentLength; // empty with a chunked body
    bool chunked = false;
};

struct ResponseHead {
    int status = 0;
    int minorVersion = 1;
    Headers headers;
};

struct Response {
    ResponseHead head;
    QByteArray body;
};

// "http://HOST[:PORT]/path?query" split; nothing when it is not of that form, or names a user.
struct AbsoluteTarget {
    QByteArray host; // in lower case, without a port
    quint16 port = 80;
    QByteArray path; // with the query; at least "/"
};
std::optional<AbsoluteTarget> parseAbsoluteTarget(QByteArrayView target);

QByteArray statusText(int status);

// The fields as they go on the wire; a line break inside one becomes a space, so no field can smuggle in another.
void appendFields(QByteArray& out, const Headers& headers);

} // namespace cocoonbox::net::http
