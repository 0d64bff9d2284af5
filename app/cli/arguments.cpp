// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/arguments.h"

#include <algorithm>
#include <QRegularExpression>

namespace cocoonbox::app::cli {

QStringList Arguments::values(const QString& option) const
{
    QStringList values = m_options.values(option); // newest first
    std::ranges::reverse(values);
    return values;
}

struct ArgumentReader {
    const QStringList& given;
    const QList<OptionSpec>& options;
    Words words;
    Arguments result;
    qsizetype at = 0;

    const OptionSpec* find(const QString& name) const
    {
        const auto found = std::ranges::find(options, name, &OptionSpec::name);
        return found == options.end() ? nullptr : &*found;
    }
    const OptionSpec* find(QChar letter) const
    {
        const auto found = std::ranges::find(options, letter, &OptionSpec::letter);
        return found == options.end() || letter.isNull() ? nullptr : &*found;
    }

    Result<void> put(const OptionSpec* option, const QString& shown, std::optional<QString> value)
    {
        if (!option) return usageFailure(QStringLiteral("There is no option %1 here.").arg(shown));
        if (option->value.isEmpty() && value) return usageFailure(QStringLiteral("%1 takes no value.").arg(shown));
        if (!option->value.isEmpty() && !value) {
            if (at >= given.size())
                return usageFailure(QStringLiteral("%1 needs a value: %1 %2").arg(shown, option->value));
            value = given[at++];
        }
        if (!option->repeated && result.has(option->name))
            return usageFailure(QStringLiteral("%1 is given twice.").arg(shown));
        result.m_options.insert(option->name, value.value_or(QString()));
        return {};
    }

    Result<Arguments> read()
    {
        while (at < given.size()) {
            const QString word = given[at++];
            if (word == u"--") {
                result.m_words += given.sliced(at);
                break;
            }
            if (word.startsWith(u"--")) {
                const qsizetype equals = word.indexOf(u'=');
                const QString shown = word.left(equals);
                const auto value = equals < 0 ? std::nullopt : std::optional(word.sliced(equals + 1));
                TRY_VOID(put(find(shown.sliced(2)), shown, value));
            } else if (word.size() == 2 && word[0] == u'-') {
                TRY_VOID(put(find(word[1]), word, std::nullopt));
            } else if (word.size() > 2 && word[0] == u'-') {
                return usageFailure(QStringLiteral("There is no option %1 here.").arg(word));
            } else {
                result.m_words.append(word);
                if (words == Words::Mixed) continue;
                result.m_words += given.sliced(at);
                break;
            }
        }
        return std::move(result);
    }
};

Result<Arguments> readArguments(const QStringList& given, const QList<OptionSpec>& options, Words words)
{
    return ArgumentReader{given, options, words, {}}.read();
}

Result<std::chrono::milliseconds> readDuration(const QString& text)
{
    static const QRegularExpression shape(QStringLiteral("^([0-9]{1,9}(?:\\.[0-9]{1,3})?)(ms|s|m|h)?$"));
    const auto match = shape.match(text);
    const QString unit = match.captured(2);
    const double scale = unit == u"ms" ? 1 : unit == u"m" ? 60'000 : unit == u"h" ? 3'600'000 : 1000;
    const auto time = std::chrono::milliseconds(static_cast<qint64>(match.captured(1).toDouble() * scale));
    if (!match.hasMatch() || time.count() <= 0 || time > std::chrono::hours(24 * 7))
        return usageFailure(QStringLiteral("\"%1\" is not a time; write 30s, 500ms, 2m or 1h.").arg(text));
    return time;
}

Result<qint64> readNumber(const QString& text, const QString& option, qint64 least, qint64 most)
{
    bool ok = false;
    const qint64 number = text.toLongLong(&ok);
    if (!ok || number < least || number > most)
        return usageFailure(
            QStringLiteral("%1 takes a number from %2 to %3, not \"%4\".").arg(option).arg(least).arg(most).arg(text));
    return number;
}

} // namespace cocoonbox::app::cli
