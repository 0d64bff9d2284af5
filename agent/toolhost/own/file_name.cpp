// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/own/file_name.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::own {

namespace {

constexpr qsizetype kExtensionCharsMax = 16; // longer ones are a part of the name

bool isBanned(QChar c)
{
    return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format ||
           c.category() == QChar::Separator_Line || c.category() == QChar::Separator_Paragraph;
}

// Where the extension starts, with its dot; the size when there is none.
qsizetype extensionAt(const QString& name)
{
    qsizetype dot = name.lastIndexOf(u'.');
    if (dot <= 0 || name.size() - dot > kExtensionCharsMax) return name.size();
    if (dot > 4 && name.first(dot).endsWith(u".tar"_s)) dot -= 4;
    return dot;
}

// Shortens the part before the extension, never between the halves of a character.
QString fitted(QString stem, const QString& end)
{
    while (!stem.isEmpty() && (stem + end).toUtf8().size() > kNameBytesMax) {
        stem.chop(1);
        if (!stem.isEmpty() && stem.back().isHighSurrogate()) stem.chop(1);
    }
    return stem + end;
}

} // namespace

Result<QString> safeName(const QString& wanted)
{
    const QString last = wanted.sliced(std::max(wanted.lastIndexOf(u'/'), wanted.lastIndexOf(u'\\')) + 1);
    QString name;
    for (const QChar c : last.normalized(QString::NormalizationForm_C))
        if (!isBanned(c)) name.append(c);
    name = name.trimmed();
    while (name.startsWith(u'.') || name.startsWith(u' '))
        name.remove(0, 1);
    if (name.isEmpty())
        return fail(ErrorCode::InvalidArgument, u"The file needs a name of letters, digits or signs."_s,
                    u"NAME_INVALID"_s);
    const qsizetype dot = extensionAt(name);
    return fitted(name.first(dot), name.sliced(dot));
}

QString numberedName(const QString& name, int number)
{
    if (number <= 1) return name;
    const qsizetype dot = extensionAt(name);
    return fitted(name.first(dot), u" (%1)"_s.arg(number) + name.sliced(dot));
}

} // namespace cocoonbox::agent::toolhost::own
