// SPDX-License-Identifier: AGPL-3.0-only
#include "common/base/ids.h"

#include <QDateTime>
#include <QRandomGenerator>

#include <algorithm>
#include <array>

namespace cocoonbox {

namespace {

constexpr qsizetype kBodyLength = 26;
constexpr QLatin1StringView kAlphabet{"0123456789abcdefghjkmnpqrstvwxyz"};

std::array<quint32, 4> randomWords()
{
    std::array<quint32, 4> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    return words;
}

} // namespace

QString newId(QStringView prefix)
{
    const auto random = randomWords();
    auto time = static_cast<quint64>(QDateTime::currentMSecsSinceEpoch());
    std::array<char16_t, kBodyLength> body{};
    for (qsizetype i = 9; i >= 0; --i, time >>= 5)
        body[static_cast<size_t>(i)] = kAlphabet[static_cast<qsizetype>(time & 31)].unicode();
    quint64 bits = 0;
    int available = 0;
    size_t word = 0;
    for (size_t i = 10; i < body.size(); ++i) {
        if (available < 5) {
            bits |= static_cast<quint64>(random[word++]) << available;
            available += 32;
        }
        body[i] = kAlphabet[static_cast<qsizetype>(bits & 31)].unicode();
        bits >>= 5;
        available -= 5;
    }
    return prefix.toString() + QString(reinterpret_cast<const QChar*>(body.data()), kBodyLength);
}

QString randomHex128()
{
    const auto words = randomWords();
    return QString::fromLatin1(QByteArray(reinterpret_cast<const char*>(words.data()), sizeof(words)).toHex());
}

bool isId(QStringView id, QStringView prefix)
{
    if (id.size() != prefix.size() + kBodyLength || !id.startsWith(prefix)) return false;
    return std::all_of(id.begin() + prefix.size(), id.end(), [](QChar c) { return kAlphabet.contains(c); });
}

} // namespace cocoonbox
