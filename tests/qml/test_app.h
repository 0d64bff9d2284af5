// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/app_model.h"
#include "tests/app/gui/fake_links.h"

#include <QQuickItem>
#include <QTemporaryDir>
#include <QtQmlIntegration>

namespace cocoonbox::test {

// The application over fakes, for QML tests: a scene to start from, then what the world says next.
class TestApp : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString scene READ scene WRITE setScene NOTIFY sceneChanged FINAL)
    Q_PROPERTY(cocoonbox::app::gui::AppModel* model READ model NOTIFY sceneChanged FINAL)
public:
    using QObject::QObject;
    ~TestApp() override;

    QString scene() const { return m_scene; }
    void setScene(const QString& scene);
    gui::AppModel* model() const { return m_model.get(); }

    Q_INVOKABLE QStringList prompts() const;
    Q_INVOKABLE QStringList cancelled() const;
    Q_INVOKABLE QStringList ensured() const;
    Q_INVOKABLE QStringList hibernated() const;
    Q_INVOKABLE QStringList deleted() const;
    Q_INVOKABLE int retries() const;
    Q_INVOKABLE void failNext(const QString& message);
    Q_INVOKABLE void sayReply(const QString& text);
    Q_INVOKABLE void sayDraft(const QString& text);
    Q_INVOKABLE void sayIdle();
    Q_INVOKABLE void sayBaton(const QString& heldBy);
    Q_INVOKABLE void sayConnection(const QString& message);
    // Of the open box; empty: connected.
    Q_INVOKABLE void sayLink(const QString& message);
    // A file of this computer is dragged over the item, and let go there.
    Q_INVOKABLE void dragOver(QQuickItem* item);
    Q_INVOKABLE void drop(QQuickItem* item);

signals:
    void sceneChanged();

private:
    FakeBoxLink* link() const;
    std::unique_ptr<QMimeData> aFile();

    QTemporaryDir m_folder;
    QString m_scene;
    FakeAccountLink m_accounts;
    std::unique_ptr<gui::Preferences> m_preferences;
    std::unique_ptr<gui::AppModel> m_model;
    qint64 m_seq = 100;
};

} // namespace cocoonbox::test
