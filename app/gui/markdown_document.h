// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <memory>
#include <QColor>
#include <QFont>
#include <QTextDocument>

namespace cocoonbox::app::gui {

struct MarkdownStyle {
    QFont text;
    QFont mono;
    QColor ink;
    QColor muted;
    QColor link;
    QColor codeGround;
    QColor border;
    bool operator==(const MarkdownStyle&) const = default;
};

inline constexpr qsizetype kMarkdownCharactersMax = 100'000; // more is shown as plain text, and cut there

// Markdown as a document in our type scale. The text is a model's or a box's, so it is not trusted: HTML stays text,
// pictures become their caption (nothing is ever fetched or read), and a link leads to http or https or nowhere.
std::unique_ptr<QTextDocument> markdownDocument(const QString& markdown, const MarkdownStyle& style);

} // namespace cocoonbox::app::gui
