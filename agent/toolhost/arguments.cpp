// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/arguments.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost {

QString Arguments::text(const char* name)
{
    const QJsonValue value = take(name);
    if (!value.isString()) refuse(name, value.isUndefined() ? u"is missing"_s : u"must be a string"_s);
    return value.toString();
}

QString Arguments::text(const char* name, const QString& otherwise)
{
    const QJsonValue value = take(name);
    if (value.isUndefined() || value.isNull()) return otherwise;
    if (!value.isString()) refuse(name, u"must be a string"_s);
    return value.toString();
}

qint64 Arguments::number(const char* name, qint64 min, qint64 max, qint64 otherwise)
{
    const QJsonValue value = take(name);
    if (value.isUndefined() || value.isNull()) return otherwise;
    const qint64 number = value.toInteger(max == std::numeric_limits<qint64>::max() ? min - 1 : max + 1);
    if (!value.isDouble() || number < min || number > max) {
        refuse(name, u"must be a whole number from %1 to %2"_s.arg(min).arg(max));
        return otherwise;
    }
    return number;
}

qint64 Arguments::number(const char* name, qint64 min, qint64 max)
{
    if (!m_left.contains(QLatin1StringView(name))) refuse(name, u"is missing"_s);
    return number(name, min, max, min);
}

bool Arguments::flag(const char* name, bool otherwise)
{
    const QJsonValue value = take(name);
    if (value.isUndefined() || value.isNull()) return otherwise;
    if (!value.isBool()) refuse(name, u"must be true or false"_s);
    return value.toBool();
}

QString Arguments::problem() const
{
    if (!m_problem.isEmpty() || m_left.isEmpty()) return m_problem;
    return u"There is no argument \"%1\"."_s.arg(m_left.keys().constFirst());
}

void Arguments::refuse(const char* name, const QString& why)
{
    if (m_problem.isEmpty()) m_problem = u"The argument \"%1\" %2."_s.arg(QLatin1StringView(name), why);
}

} // namespace cocoonbox::agent::toolhost
