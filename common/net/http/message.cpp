// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/message.h"

#include <algorithm>
#include <array>
#include <llhttp.h>

namespace cocoonbox::net::http {

namespace {

bool same(QByteArrayView a, QByteArrayView b)
{
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

constexpr std::array<const char*, 9> kHopByHop = {
    "Connection",        "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer",
    "Transfer-Encoding", "Upgrade"};

} // namespace

void Headers::set(const QByteArray& name, QByteArray value)
{
    remove(name);
    add(name, std::move(value));
}

void Headers::remove(QByteArrayView name)
{
    m_fields.removeIf([name](const Field& field) { return same(field.name, name); });
}

bool Headers::contains(QByteArrayView name) const
{
    return count(name) > 0;
}

QByteArray Headers::value(QByteArrayView name) const
{
    const auto found = std::ranges::find_if(m_fields, [name](const Field& field) { return same(field.name, name); });
    return found == m_fields.end() ? QByteArray() : found->value;
}

qsizetype Headers::count(QByteArrayView name) const
{
    return std::ranges::count_if(m_fields, [name](const Field& field) { return same(field.name, name); });
}

void Headers::removeHopByHop()
{
    QList<QByteArray> named;
    for (const Field& field : std::as_const(m_fields)) {
        if (!same(field.name, "Connection")) continue;
        for (const QByteArray& word : field.value.split(','))
            named.append(word.trimmed());
    }
    for (const QByteArray& name : std::as_const(named))
        remove(name);
    for (const char* name : kHopByHop)
        remove(name);
}

std::optional<AbsoluteTarget> parseAbsoluteTarget(QByteArrayView target)
{
    constexpr QByteArrayView kScheme = "http://";
    if (target.size() <= kScheme.size() || !same(target.first(kScheme.size()), kScheme)) return std::nullopt;
    const QByteArrayView rest = target.sliced(kScheme.size());
    const qsizetype end = std::distance(
        rest.begin(), std::ranges::find_if(rest, [](char c) { return c == '/' || c == '?' || c == '#'; }));
    QByteArrayView authority = rest.first(end);
    AbsoluteTarget result;
    result.path = rest.sliced(end).toByteArray();
    if (!result.path.startsWith('/')) result.path.prepend('/');
    if (authority.contains('@') || result.path.contains('#')) return std::nullopt;
    const qsizetype colon = authority.lastIndexOf(':');
    if (colon >= 0 && !authority.endsWith(']')) {
        bool isNumber = false;
        result.port = authority.sliced(colon + 1).toByteArray().toUShort(&isNumber);
        if (!isNumber || result.port == 0) return std::nullopt;
        authority = authority.first(colon);
    }
    result.host = authority.toByteArray().toLower();
    if (result.host.isEmpty()) return std::nullopt;
    return result;
}

namespace {

// "PAYLOAD_TOO_LARGE" as people write it.
QByteArray readable(QByteArray name)
{
    for (qsizetype i = 1; i < name.size(); ++i) {
        char& c = name[i];
        if (c == '_')
            c = ' ';
        else if (name[i - 1] != ' ' && name.size() > 2)
            c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    return name;
}

} // namespace

QByteArray statusText(int status)
{
    switch (status) {
#define COCOONBOX_STATUS(code, name, text)                                                                             \
    case code: return readable(#name);
        HTTP_STATUS_MAP(COCOONBOX_STATUS)
#undef COCOONBOX_STATUS
    default: return "Status";
    }
}

void appendFields(QByteArray& out, const Headers& headers)
{
    const auto clean = [](QByteArray text) {
        for (char& c : text)
            if (c == '\r' || c == '\n' || c == '\0') c = ' ';
        return text;
    };
    for (const Headers::Field& field : headers.fields())
        out += clean(field.name) + ": " + clean(field.value) + "\r\n";
}

} // namespace cocoonbox::net::http
