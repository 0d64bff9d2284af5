// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/markdown_document.h"

#include <QPointer>
#include <QQmlParserStatus>
#include <QQuickTextDocument>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

// Gives a TextEdit (its `textDocument`) a document made from markdown, and makes it anew when anything changes.
class MarkdownText : public QObject, public QQmlParserStatus {
    Q_OBJECT
    Q_INTERFACES(QQmlParserStatus)
    QML_ELEMENT
    Q_PROPERTY(QQuickTextDocument* target MEMBER m_target NOTIFY changed FINAL)
    Q_PROPERTY(QString markdown MEMBER m_markdown NOTIFY changed FINAL)
    Q_PROPERTY(QFont font MEMBER m_font NOTIFY changed FINAL)
    Q_PROPERTY(QFont monoFont MEMBER m_mono NOTIFY changed FINAL)
    Q_PROPERTY(QColor ink MEMBER m_ink NOTIFY changed FINAL)
    Q_PROPERTY(QColor muted MEMBER m_muted NOTIFY changed FINAL)
    Q_PROPERTY(QColor link MEMBER m_link NOTIFY changed FINAL)
    Q_PROPERTY(QColor codeGround MEMBER m_codeGround NOTIFY changed FINAL)
    Q_PROPERTY(QColor border MEMBER m_border NOTIFY changed FINAL)
public:
    explicit MarkdownText(QObject* parent = nullptr);
    ~MarkdownText() override;

    void classBegin() override {}
    void componentComplete() override;

signals:
    void changed();

private:
    void schedule();
    void rebuild();

    QPointer<QQuickTextDocument> m_target;
    QString m_markdown;
    QFont m_font;
    QFont m_mono;
    QColor m_ink;
    QColor m_muted;
    QColor m_link;
    QColor m_codeGround;
    QColor m_border;
    std::unique_ptr<QTextDocument> m_document;
    bool m_complete = false;
    bool m_scheduled = false;
};

} // namespace cocoonbox::app::gui
