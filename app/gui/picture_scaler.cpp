// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/picture_scaler.h"

#include <algorithm>
#include <cmath>

namespace cocoonbox::app::gui {

namespace {

constexpr int kOne = 256;
constexpr quint32 kOpaque = 0xff000000;

// Two channels at a time: each has 16 bits for the sum of bytes times weights that add up to 256.
struct Sum {
    quint32 redBlue = 0x00800080; // rounds to nearest
    quint32 green = 0x00000080;
    void add(quint32 pixel, quint32 weight)
    {
        redBlue += (pixel & 0x00ff00ff) * weight;
        green += ((pixel >> 8) & 0xff) * weight;
    }
    quint32 pixel() const { return kOpaque | ((redBlue >> 8) & 0x00ff00ff) | (green & 0xff00); }
};

} // namespace

PictureScaler::Axis PictureScaler::makeAxis(int source, int target)
{
    Axis axis;
    if (target % source == 0) {
        const int times = target / source;
        axis.weights.append(kOne);
        for (int at = 0; at < target; ++at)
            axis.taps.append({at / times, 1, 0});
        return axis;
    }
    const double ratio = static_cast<double>(source) / target;
    const double reach = std::max(1.0, ratio);
    for (int at = 0; at < target; ++at) {
        const double centre = (at + 0.5) * ratio - 0.5;
        const int first = std::max(0, static_cast<int>(std::ceil(centre - reach + 1e-9)));
        const int last = std::min(source - 1, static_cast<int>(std::floor(centre + reach - 1e-9)));
        double total = 0;
        for (int i = first; i <= last; ++i)
            total += 1 - std::abs(i - centre) / reach;
        const Taps taps{first, last - first + 1, static_cast<int>(axis.weights.size())};
        int left = kOne;
        for (int i = first; i <= last; ++i) {
            const double share = (1 - std::abs(i - centre) / reach) / total;
            const int weight = i == last ? left : std::min(left, static_cast<int>(std::lround(share * kOne)));
            axis.weights.append(static_cast<quint16>(weight));
            left -= weight;
        }
        axis.taps.append(taps);
    }
    return axis;
}

void PictureScaler::setSizes(QSize source, QSize target)
{
    if (source == m_source && target == m_target) return;
    m_source = source;
    m_target = target;
    m_x = makeAxis(source.width(), target.width());
    m_y = makeAxis(source.height(), target.height());
}

QRect PictureScaler::targetOf(const QRect& source) const
{
    const auto span = [](int from, int to, int sourceSize, int targetSize) {
        const double ratio = static_cast<double>(targetSize) / sourceSize;
        const double reach = std::max(1.0, 1 / ratio);
        return std::pair(static_cast<int>(std::floor((from - reach) * ratio)) - 1,
                         static_cast<int>(std::ceil((to + 1 + reach) * ratio)) + 1);
    };
    const auto [left, right] = span(source.left(), source.right(), m_source.width(), m_target.width());
    const auto [top, bottom] = span(source.top(), source.bottom(), m_source.height(), m_target.height());
    return QRect(QPoint(left, top), QPoint(right, bottom)) & QRect(QPoint(), m_target);
}

void PictureScaler::scaleAcross(const QImage& source, const QRect& area, int firstRow, int lastRow)
{
    const int width = area.width();
    m_rows.resize(static_cast<qsizetype>(lastRow - firstRow + 1) * width);
    for (int row = firstRow; row <= lastRow; ++row) {
        const auto* from = reinterpret_cast<const quint32*>(source.constScanLine(row));
        quint32* to = m_rows.data() + static_cast<qsizetype>(row - firstRow) * width;
        for (int i = 0; i < width; ++i) {
            const Taps& taps = m_x.taps[area.left() + i];
            const quint16* weights = m_x.weights.constData() + taps.weightsAt;
            Sum sum;
            for (int tap = 0; tap < taps.count; ++tap)
                sum.add(from[taps.first + tap], weights[tap]);
            to[i] = sum.pixel();
        }
    }
}

void PictureScaler::scale(const QImage& source, QImage& out, const QRect& part, QPoint origin)
{
    const QRect area = part & QRect(QPoint(), m_target) & QRect(origin, out.size());
    if (area.isEmpty() || source.size() != m_source) return;
    const int firstRow = m_y.taps[area.top()].first;
    const int lastRow = m_y.taps[area.bottom()].first + m_y.taps[area.bottom()].count - 1;
    const int width = area.width();
    scaleAcross(source, area, firstRow, lastRow);
    for (int row = area.top(); row <= area.bottom(); ++row) {
        const Taps& taps = m_y.taps[row];
        const quint16* weights = m_y.weights.constData() + taps.weightsAt;
        const quint32* from = m_rows.constData() + static_cast<qsizetype>(taps.first - firstRow) * width;
        auto* to = reinterpret_cast<quint32*>(out.scanLine(row - origin.y())) + (area.left() - origin.x());
        for (int i = 0; i < width; ++i) {
            Sum sum;
            for (int tap = 0; tap < taps.count; ++tap)
                sum.add(from[static_cast<qsizetype>(tap) * width + i], weights[tap]);
            to[i] = sum.pixel();
        }
    }
}

} // namespace cocoonbox::app::gui
