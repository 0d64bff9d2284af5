// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/markdown_text.h"

namespace cocoonbox::app::gui {

MarkdownText::MarkdownText(QObject* parent) : QObject(parent)
{
    connect(this, &MarkdownText::changed, this, &MarkdownText::schedule);
}

MarkdownText::~MarkdownText()
{
    // The edit may outlive this object by a little and must not look at a document that is gone.
    if (m_target && m_document) m_document.release()->setParent(m_target);
}

void MarkdownText::componentComplete()
{
    m_complete = true;
    rebuild();
}

// A change of theme changes every colour: one new document is enough.
void MarkdownText::schedule()
{
    if (!m_complete || std::exchange(m_scheduled, true)) return;
    QMetaObject::invokeMethod(this, &MarkdownText::rebuild, Qt::QueuedConnection);
}

void MarkdownText::rebuild()
{
    m_scheduled = false;
    if (!m_target) return;
    auto document = markdownDocument(m_markdown, {m_font, m_mono, m_ink, m_muted, m_link, m_codeGround, m_border});
    m_target->setTextDocument(document.get());
    m_document = std::move(document);
}

} // namespace cocoonbox::app::gui
