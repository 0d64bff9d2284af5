// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/box_list_model.h"
#include "app/gui/clipboard_bridge.h"
#include "app/gui/patient_message.h"
#include "app/gui/preferences.h"

namespace cocoonbox::app::gui {

// The application as the window sees it: who is signed in where, the boxes, and the one that is open.
class AppModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(Stage stage READ stage NOTIFY stageChanged FINAL)
    Q_PROPERTY(QString apiUrl READ apiUrl NOTIFY stageChanged FINAL)
    Q_PROPERTY(QString userName READ userName NOTIFY stageChanged FINAL)
    Q_PROPERTY(bool isSigningIn READ isSigningIn NOTIFY signInChanged FINAL)
    Q_PROPERTY(QString signInError READ signInError NOTIFY signInChanged FINAL)
    Q_PROPERTY(QString notice READ notice NOTIFY noticeChanged FINAL)
    Q_PROPERTY(QString connectionMessage READ connectionMessage NOTIFY connectionChanged FINAL)
    Q_PROPERTY(bool hasBoxes READ hasBoxes NOTIFY boxesChanged FINAL)
    Q_PROPERTY(cocoonbox::app::gui::BoxListModel* boxes READ boxes CONSTANT FINAL)
    Q_PROPERTY(cocoonbox::app::gui::BoxModel* currentBox READ currentBox NOTIFY currentBoxChanged FINAL)
    Q_PROPERTY(bool isCreatingBox READ isCreatingBox NOTIFY boxesChanged FINAL)
    Q_PROPERTY(cocoonbox::app::gui::Preferences* preferences READ preferences CONSTANT FINAL)
    Q_PROPERTY(bool sharesClipboard READ sharesClipboard WRITE setSharesClipboard NOTIFY sharesClipboardChanged FINAL)
public:
    enum class Stage { Starting, SignedOut, SignedIn };
    Q_ENUM(Stage)

    // `boxName` is opened first when there is such a box.
    AppModel(AccountLink& accounts, Preferences& preferences, const QString& boxName, QObject* parent = nullptr);
    ~AppModel() override;

    Stage stage() const { return m_stage; }
    QString apiUrl() const { return m_account.apiUrl.toString(); }
    QString userName() const { return m_user.name; }
    bool isSigningIn() const { return m_signingIn; }
    QString signInError() const { return m_signInError; }
    QString notice() const { return m_notice; }
    QString connectionMessage() const { return m_trouble.shown(); }
    bool hasBoxes() const { return m_api && m_api->hasBoxes(); }
    bool isCreatingBox() const { return m_creatingBox; }
    BoxListModel* boxes() { return &m_boxes; }
    BoxModel* currentBox() const { return m_currentBox; }
    Preferences* preferences() { return &m_preferences; }

    // From now on the open box and `clipboard` are one while the user is in control, for boxes that share.
    void shareClipboard(QClipboard& clipboard);
    bool sharesClipboard() const; // of the open box
    void setSharesClipboard(bool shares);

    // Looks for an account (flag, environment, keychain) and signs in with it, or asks for one.
    void start(const QString& urlFlag);

    Q_INVOKABLE void signIn(const QString& apiUrl, const QString& token);
    Q_INVOKABLE void signOut();
    Q_INVOKABLE void dismissNotice();
    Q_INVOKABLE void retry();
    Q_INVOKABLE void createBox();
    Q_INVOKABLE void openBox(const QString& boxId);
    // Types what is copied here in the box, as text.
    Q_INVOKABLE void typeClipboard();

signals:
    void stageChanged();
    void signInChanged();
    void noticeChanged();
    void connectionChanged();
    void boxesChanged();
    void currentBoxChanged();
    void sharesClipboardChanged();

private:
    void followClipboard();
    Task<void> resolve(QString urlFlag);
    Task<void> tryAccount(client::Account account);
    Task<void> learnName();
    Task<void> ensureFirstBox();
    Task<void> forgetAccount(QUrl apiUrl);
    void adopt(std::unique_ptr<ApiLink> api, client::Account account);
    void onConnection();
    void onBoxes();
    void setStage(Stage stage);
    void setSignIn(bool signingIn, const QString& error);
    void setNotice(const QString& notice);
    void setCurrentBox(BoxModel* box);
    void closeApi();

    AccountLink& m_accounts;
    Preferences& m_preferences;
    QString m_boxName;
    Stage m_stage = Stage::Starting;
    client::Account m_account;
    client::User m_user;
    bool m_signingIn = false;
    bool m_creatingBox = false;
    QString m_signInError;
    QString m_notice;
    PatientMessage m_trouble;
    std::unique_ptr<ApiLink> m_api;
    BoxListModel m_boxes; // after the api: its boxes use it
    QPointer<BoxModel> m_currentBox;
    std::unique_ptr<ClipboardBridge> m_clipboard;
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
