// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/words.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>

namespace cocoonbox::app::gui {

namespace {
QString tr(const char* text, int count = -1)
{
    return QCoreApplication::translate("words", text, nullptr, count);
}
} // namespace

QString timeText(qint64 atMs)
{
    if (atMs <= 0) return {};
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(atMs);
    const QLocale locale;
    const QString time = locale.toString(at.time(), QStringLiteral("HH:mm"));
    const qint64 days = at.date().daysTo(QDate::currentDate());
    if (days == 0) return time;
    const QString format = days > 0 && days < 7 ? QStringLiteral("ddd") : QStringLiteral("d MMM");
    return locale.toString(at.date(), format) + u' ' + time;
}

QString durationText(qint64 durationMs)
{
    if (durationMs < 100) return {};
    const double seconds = static_cast<double>(durationMs) / 1000;
    if (seconds < 9.95) return tr("%1 s").arg(QLocale().toString(seconds, 'f', 1));
    const qint64 whole = (durationMs + 500) / 1000;
    if (whole < 60) return tr("%1 s").arg(whole);
    return tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

QString bytesText(qint64 bytes)
{
    if (bytes < 1000) return tr("%1 bytes").arg(bytes);
    return QLocale().formattedDataSize(bytes, bytes < 10'000'000 ? 1 : 0, QLocale::DataSizeSIFormat);
}

QString sizeText(int cpus, qint64 memoryBytes)
{
    constexpr double kGibibyte = 1024.0 * 1024 * 1024;
    QStringList parts;
    if (cpus > 0) parts.append(cpus == 1 ? tr("1 CPU") : tr("%1 CPUs").arg(cpus));
    if (memoryBytes > 0)
        parts.append(tr("%1 GB").arg(QLocale().toString(static_cast<double>(memoryBytes) / kGibibyte, 'g', 3)));
    return parts.join(QStringLiteral(" · "));
}

} // namespace cocoonbox::app::gui
