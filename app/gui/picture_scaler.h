// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QImage>
#include <QList>
#include <QRect>
#include <QSize>

namespace cocoonbox::app::gui {

// Scales a 32-bit picture in parts: what it makes of a damaged part is pixel for pixel what it would make of it when
// scaling the whole. A tent filter as wide as the shrinking, so that small text stays readable.
class PictureScaler {
public:
    void setSizes(QSize source, QSize target);
    QSize source() const { return m_source; }
    QSize target() const { return m_target; }

    // The part of the target that changes when `source` changes.
    QRect targetOf(const QRect& source) const;
    // Computes the pixels `part` of `target` from `source`. Both are 32-bit RGB of the sizes set before.
    void scale(const QImage& source, QImage& target, const QRect& part);

private:
    struct Taps {
        int first = 0;
        int count = 0;
        int weightsAt = 0;
    };
    struct Axis {
        QList<Taps> taps;
        QList<quint16> weights; // of one target pixel they add up to 256
    };
    static Axis makeAxis(int source, int target);

    QSize m_source;
    QSize m_target;
    Axis m_x;
    Axis m_y;
    QList<quint32> m_rows; // source rows, already scaled across
};

} // namespace cocoonbox::app::gui
