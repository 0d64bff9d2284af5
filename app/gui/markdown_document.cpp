// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/markdown_document.h"

#include <algorithm>
#include <array>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextFragment>
#include <QTextFrame>
#include <QTextList>
#include <QTextTable>
#include <QUrl>

namespace cocoonbox::app::gui {

namespace {

constexpr double kLineHeightPercent = 128;
constexpr double kParagraphGap = 8;
constexpr double kHeadingGap = 14;
constexpr double kListGap = 3;
constexpr double kCodeGap = 2;
constexpr double kQuoteIndent = 12;
constexpr double kCodePadding = 8;
constexpr double kListIndent = 20;
constexpr auto kHeadingGrowth = std::to_array<int>({4, 3, 1, 0, 0, 0}); // pixels above the body size

struct Range {
    int from;
    int to;
};

bool isCode(const QTextBlock& block)
{
    return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) ||
           block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage) || block.blockFormat().nonBreakableLines();
}

bool leadsOutside(const QString& href)
{
    const QUrl url(href, QUrl::StrictMode);
    return url.isValid() && !url.host().isEmpty() &&
           (url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http"));
}

class Dresser {
public:
    Dresser(QTextDocument& document, const MarkdownStyle& style) : m_document(document), m_style(style) {}

    void run()
    {
        replacePictures();
        dressText();
        dressBlocks();
        dressTables();
        frameCode();
    }

private:
    template <class Visit>
    void eachFragment(Visit visit)
    {
        for (QTextBlock block = m_document.begin(); block.isValid(); block = block.next())
            for (auto at = block.begin(); !at.atEnd(); ++at)
                visit(at.fragment(), block);
    }

    QTextCursor select(Range range)
    {
        QTextCursor cursor(&m_document);
        cursor.setPosition(range.from);
        cursor.setPosition(range.to, QTextCursor::KeepAnchor);
        return cursor;
    }

    void replacePictures()
    {
        QList<std::pair<Range, QString>> pictures;
        eachFragment([&](const QTextFragment& fragment, const QTextBlock&) {
            if (!fragment.charFormat().isImageFormat()) return;
            const QString caption = fragment.charFormat().property(QTextFormat::ImageAltText).toString();
            pictures.prepend(
                {{fragment.position(), fragment.position() + fragment.length()},
                 caption.isEmpty() ? QStringLiteral("[picture]") : QStringLiteral("[picture: %1]").arg(caption)});
        });
        for (const auto& [range, text] : pictures)
            select(range).insertText(text, QTextCharFormat());
    }

    void dressText()
    {
        QList<std::pair<Range, QTextCharFormat>> changes;
        eachFragment([&](const QTextFragment& fragment, const QTextBlock& block) {
            const QTextCharFormat was = fragment.charFormat();
            QTextCharFormat format;
            if (was.fontWeight() > QFont::Normal) format.setFontWeight(QFont::DemiBold);
            format.setFontItalic(was.fontItalic());
            format.setFontStrikeOut(was.fontStrikeOut());
            format.setForeground(block.blockFormat().hasProperty(QTextFormat::BlockQuoteLevel) ? m_style.muted
                                                                                               : m_style.ink);
            if (was.fontFixedPitch() || isCode(block)) {
                format.setFontFamilies(m_style.mono.families());
                format.setProperty(QTextFormat::FontPixelSize, m_style.mono.pixelSize());
                if (!isCode(block)) format.setBackground(m_style.codeGround);
            }
            if (const int level = block.blockFormat().headingLevel(); level > 0) {
                const int growth = kHeadingGrowth.at(static_cast<std::size_t>(std::clamp(level, 1, 6) - 1));
                format.setProperty(QTextFormat::FontPixelSize, m_style.text.pixelSize() + growth);
                format.setFontWeight(QFont::DemiBold);
            }
            if (was.isAnchor() && leadsOutside(was.anchorHref())) {
                format.setAnchor(true);
                format.setAnchorHref(was.anchorHref());
                format.setForeground(m_style.link);
                format.setFontUnderline(true);
            }
            changes.append({{fragment.position(), fragment.position() + fragment.length()}, format});
        });
        for (const auto& [range, format] : changes)
            select(range).setCharFormat(format);
    }

    void dressBlocks()
    {
        for (QTextBlock block = m_document.begin(); block.isValid(); block = block.next()) {
            QTextBlockFormat format = block.blockFormat();
            const bool first = block == m_document.begin();
            const bool inList = block.textList() != nullptr;
            const bool inTable = QTextCursor(block).currentTable() != nullptr;
            format.setTopMargin(format.headingLevel() > 0 && !first ? kHeadingGap : 0);
            format.setBottomMargin(isCode(block) ? kCodeGap : inTable ? 0 : inList ? kListGap : kParagraphGap);
            if (format.hasProperty(QTextFormat::BlockQuoteLevel))
                format.setLeftMargin(kQuoteIndent * format.intProperty(QTextFormat::BlockQuoteLevel));
            if (!isCode(block)) format.setLineHeight(kLineHeightPercent, QTextBlockFormat::ProportionalHeight);
            format.setNonBreakableLines(false);
            QTextCursor(block).setBlockFormat(format);
        }
        QTextCursor last(m_document.lastBlock());
        QTextBlockFormat format = last.blockFormat();
        format.setBottomMargin(0);
        last.setBlockFormat(format);
    }

    void dressTables()
    {
        for (QTextFrame* frame : m_document.rootFrame()->childFrames()) {
            auto* table = qobject_cast<QTextTable*>(frame);
            if (!table) continue;
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorder(1);
            format.setBorderBrush(m_style.border);
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            format.setCellPadding(kCodePadding / 2);
            format.setBottomMargin(kParagraphGap);
            table->setFormat(format);
            dropEmptyStart(table->cellAt(0, 0));
            for (int column = 0; column < table->columns(); ++column)
                embolden(table->cellAt(0, column));
        }
    }

    // After a block of code Qt's importer starts the first cell with an empty line.
    void dropEmptyStart(const QTextTableCell& cell)
    {
        QTextCursor start = cell.firstCursorPosition();
        if (start.block().length() == 1 && start.block() != cell.lastCursorPosition().block()) start.deleteChar();
    }

    void embolden(const QTextTableCell& cell)
    {
        QTextCharFormat bold;
        bold.setFontWeight(QFont::DemiBold);
        select({cell.firstPosition(), cell.lastPosition()}).mergeCharFormat(bold);
    }

    // Runs of code blocks get a ground with air around it. From the last to the first: frames move what follows.
    void frameCode()
    {
        QList<Range> runs;
        for (QTextBlock block = m_document.begin(); block.isValid(); block = block.next()) {
            if (!block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) &&
                !block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage))
                continue;
            const int end = block.position() + block.length() - 1;
            const bool continues = !runs.isEmpty() && runs.last().to + 1 == block.position();
            if (continues)
                runs.last().to = end;
            else
                runs.append({block.position(), end});
        }
        QTextFrameFormat format;
        format.setBackground(m_style.codeGround);
        format.setPadding(kCodePadding);
        std::ranges::for_each(runs.crbegin(), runs.crend(), [&](const Range& run) {
            const QTextFrame* frame = select(run).insertFrame(format);
            shrink(m_document.findBlock(frame->firstPosition() - 1), 1);
            shrink(m_document.findBlock(frame->lastPosition() + 1), kParagraphGap);
        });
    }

    // A frame leaves an empty line before and after it; the one after serves as the gap.
    static void shrink(const QTextBlock& block, double height)
    {
        if (!block.isValid() || block.length() > 1) return;
        QTextBlockFormat format;
        format.setLineHeight(height, QTextBlockFormat::FixedHeight);
        QTextCursor(block).setBlockFormat(format);
    }

    QTextDocument& m_document;
    const MarkdownStyle& m_style;
};

} // namespace

std::unique_ptr<QTextDocument> markdownDocument(const QString& markdown, const MarkdownStyle& style)
{
    auto document = std::make_unique<QTextDocument>();
    document->setUndoRedoEnabled(false);
    document->setDocumentMargin(0);
    document->setIndentWidth(kListIndent);
    document->setDefaultFont(style.text);
    if (markdown.size() > kMarkdownCharactersMax) {
        document->setPlainText(markdown.left(kMarkdownCharactersMax) +
                               QStringLiteral("\n[cut here: the text is longer]"));
        return document;
    }
    document->setMarkdown(markdown, QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) |
                                        QTextDocument::MarkdownNoHTML);
    Dresser(*document, style).run();
    return document;
}

} // namespace cocoonbox::app::gui
