// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/damage.h"

namespace cocoonbox::app::rfb {

namespace {

qint64 area(const QRect& rect)
{
    return qint64(rect.width()) * rect.height();
}

// Pixels that the joined rectangle would have beyond the two.
qint64 waste(const QRect& a, const QRect& b)
{
    return area(a.united(b)) - area(a) - area(b);
}

} // namespace

void Damage::add(QRect rect)
{
    if (rect.isEmpty()) return;
    for (qsizetype i = 0; i < m_rects.size(); ++i) {
        if (waste(m_rects[i], rect) > 0) continue; // neither adjacent in a line nor mostly the same
        rect = rect.united(m_rects.takeAt(i));
        i = -1; // what it joins with may have changed
    }
    m_rects.append(rect);
    if (m_rects.size() <= kDamageRectsMax) return;
    qsizetype best = 0;
    for (qsizetype i = 1; i + 1 < m_rects.size(); ++i)
        if (waste(m_rects[i], m_rects.last()) < waste(m_rects[best], m_rects.last())) best = i;
    const QRect last = m_rects.takeLast();
    m_rects[best] = m_rects[best].united(last);
}

} // namespace cocoonbox::app::rfb
