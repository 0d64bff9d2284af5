// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <chrono>
#include <QList>
#include <QMultiHash>
#include <QStringList>

namespace cocoonbox::app::cli {

struct OptionSpec {
    QString name;  // "agent": given as --agent
    QChar letter;  // 't': also given as -t; null for none
    QString value; // "ID": takes a value, shown so in the help; empty: a switch
    QString help;
    bool repeated = false;
};

// What stood on the command line after the verb.
class Arguments {
public:
    bool has(const QString& option) const { return m_options.contains(option); }
    QString value(const QString& option) const { return m_options.value(option); }
    QStringList values(const QString& option) const; // in the order given
    const QStringList& words() const { return m_words; }
    QString word(qsizetype index) const { return m_words.value(index); }

private:
    friend struct ArgumentReader;
    QMultiHash<QString, QString> m_options;
    QStringList m_words;
};

enum class Words { Mixed, Verbatim }; // Verbatim: the first word ends the options, as in "exec ls -l"

// Options may stand before and after words; "--" ends them. InvalidArgument USAGE for what is unknown, lacks its value,
// or is given twice.
Result<Arguments> readArguments(const QStringList& given, const QList<OptionSpec>& options, Words words);

// "30", "30s", "500ms", "2m", "1h"; InvalidArgument USAGE otherwise, or when it is not positive.
Result<std::chrono::milliseconds> readDuration(const QString& text);
Result<qint64> readNumber(const QString& text, const QString& option, qint64 least, qint64 most);

inline auto usageFailure(const QString& message)
{
    return fail(ErrorCode::InvalidArgument, message, QStringLiteral("USAGE"));
}

} // namespace cocoonbox::app::cli
