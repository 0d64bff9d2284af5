// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QJsonObject>
#include <QString>

namespace cocoonbox::agent::toolhost {

// Takes a tool's arguments out of the model's JSON and remembers the first that is missing or wrong, in words the model
// can act on. `problem` is asked once all are taken: it also names an argument that the tool does not have.
class Arguments {
public:
    explicit Arguments(const QJsonObject& object) : m_left(object) {}

    QString text(const char* name); // required
    QString text(const char* name, const QString& otherwise);
    qint64 number(const char* name, qint64 min, qint64 max, qint64 otherwise);
    qint64 number(const char* name, qint64 min, qint64 max); // required
    bool flag(const char* name, bool otherwise);

    // Empty when all is well.
    QString problem() const;

private:
    QJsonValue take(const char* name) { return m_left.take(QLatin1StringView(name)); }
    void refuse(const char* name, const QString& why);

    QJsonObject m_left;
    QString m_problem;
};

} // namespace cocoonbox::agent::toolhost
