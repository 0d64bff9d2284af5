// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/preferences.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox::app::gui;

class TestPreferences : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const { return m_folder.filePath(QStringLiteral("app.ini")); }

private slots:
    void whatIsChosenIsRemembered()
    {
        {
            Preferences preferences(file());
            QCOMPARE(preferences.zoom(), 0);
            preferences.setZoom(150);
            preferences.setMacKeys(1);
            preferences.setAppearance(2);
            preferences.setChatWidth(420);
        }
        const Preferences again(file());
        QCOMPARE(again.zoom(), 150);
        QCOMPARE(again.macKeys(), 1);
        QCOMPARE(again.appearance(), 2);
        QCOMPARE(again.chatWidth(), 420);
    }

    void theClipboardIsSharedBoxByBox()
    {
        {
            Preferences preferences(file());
            QVERIFY(preferences.sharesClipboard(QStringLiteral("box_a")));
            preferences.setSharesClipboard(QStringLiteral("box_a"), false);
        }
        Preferences again(file());
        QVERIFY(!again.sharesClipboard(QStringLiteral("box_a")));
        QVERIFY(again.sharesClipboard(QStringLiteral("box_b")));
        again.setSharesClipboard(QStringLiteral("box_a"), true);
        QVERIFY(again.sharesClipboard(QStringLiteral("box_a")));
    }

    void valuesOutOfRangeAreIgnored()
    {
        QSettings settings(file(), QSettings::IniFormat);
        settings.setValue(QStringLiteral("zoom"), 9000);
        settings.setValue(QStringLiteral("mac-keys"), -4);
        settings.setValue(QStringLiteral("appearance"), 77);
        settings.sync();
        const Preferences preferences(file());
        QCOMPARE(preferences.zoom(), 0);
        QCOMPARE(preferences.macKeys(), 0);
        QCOMPARE(preferences.appearance(), 0);
    }
};

QTEST_GUILESS_MAIN(TestPreferences)
#include "tst_preferences.moc"
