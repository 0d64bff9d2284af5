// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/frame.h"

namespace cocoonbox::app::rfb {

// Collects changed rectangles, at most kDamageRectsMax: beyond that it joins the two that waste the least.
class Damage {
public:
    void add(QRect rect);
    QList<QRect> take() { return std::exchange(m_rects, {}); }
    void clear() { m_rects.clear(); }
    bool isEmpty() const { return m_rects.isEmpty(); }

private:
    QList<QRect> m_rects;
};

} // namespace cocoonbox::app::rfb
