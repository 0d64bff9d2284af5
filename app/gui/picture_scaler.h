// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QImage>
#include <QList>
#include <QRect>
#include <QSize>

namespace cocoonbox::app::gui {

// Scales a 32-bit picture in parts: what it makes of a damaged part is pixel for pixel what it would make of it when
// scaling the whole. A tent filter as wide as the shrinking, so that small text stays readable; twice, three times the
// size and so on repeats pixels, so that what is sharp stays sharp.
class PictureScaler {
public:
    void setSizes(QSize source, QSize target);
    QSize source() const { return m_source; }
    QSize target() const { return m_target; }

    // The part of the target that changes when `source` changes.
    QRect targetOf(const QRect& source) const;
    // Computes the pixels `part` of the target from `source`, which is 32-bit RGB of the size set before. `out` holds
    // the target from `origin` on, whole or a part of it; what it does not hold is left out.
    void scale(const QImage& source, QImage& out, const QRect& part, QPoint origin = {});

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
    void scaleAcross(const QImage& source, const QRect& area, int firstRow, int lastRow);

    QSize m_source;
    QSize m_target;
    Axis m_x;
    Axis m_y;
    QList<quint32> m_rows; // source rows, already scaled across
};

} // namespace cocoonbox::app::gui
