// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/app_model.h"

namespace cocoonbox::app::gui {

AppModel::AppModel(AccountLink& accounts, Preferences& preferences, const QString& boxName, QObject* parent)
    : QObject(parent), m_accounts(accounts), m_preferences(preferences), m_boxName(boxName)
{
    connect(&m_trouble, &PatientMessage::shownChanged, this, &AppModel::connectionChanged);
    connect(&m_boxes, &BoxListModel::aboutToRemove, this, [this](const BoxModel* box) {
        if (box == m_currentBox) setCurrentBox(nullptr);
    });
}

AppModel::~AppModel()
{
    m_scope.requestStop();
    closeApi();
}

void AppModel::start(const QString& urlFlag)
{
    m_scope.spawn(resolve(urlFlag), QStringLiteral("looking for an account"));
}

Task<void> AppModel::resolve(QString urlFlag)
{
    const QPointer self(this);
    Result<client::Account> account = co_await m_accounts.resolve(urlFlag);
    if (!self) co_return {};
    if (!account) {
        setSignIn(false, account.error().message);
        setStage(Stage::SignedOut);
        co_return {};
    }
    m_account = *account;
    if (!account->isSignedIn()) {
        setStage(Stage::SignedOut);
        co_return {};
    }
    // The window opens at once; whether the api takes the token shows when it answers.
    Result<std::unique_ptr<ApiLink>> api = m_accounts.connect(*account);
    if (!api) {
        setSignIn(false, api.error().message);
        setStage(Stage::SignedOut);
        co_return {};
    }
    adopt(*std::move(api), *account);
    m_scope.spawn(learnName(), QStringLiteral("asking who is signed in"));
    co_return {};
}

void AppModel::signIn(const QString& apiUrl, const QString& token)
{
    if (m_signingIn) return;
    const QUrl url = QUrl::fromUserInput(apiUrl.trimmed());
    if (!url.isValid() || url.host().isEmpty())
        return setSignIn(false, tr("That is not an address. It looks like http://127.0.0.1:7400."));
    if (token.trimmed().isEmpty())
        return setSignIn(false, tr("A token is needed. ./run --headless prints one for the first user."));
    client::Account account;
    account.apiUrl = url;
    account.token = Secret(token.trimmed().toUtf8());
    account.tokenOrigin = client::Origin::Flag;
    setSignIn(true, {});
    m_scope.spawn(tryAccount(account), QStringLiteral("signing in"));
}

Task<void> AppModel::tryAccount(client::Account account)
{
    const QPointer self(this);
    Result<std::unique_ptr<ApiLink>> api = m_accounts.connect(account);
    if (!api) {
        setSignIn(false, api.error().message);
        co_return {};
    }
    const Result<client::User> user = co_await (*api)->whoAmI();
    if (!self) co_return {};
    if (!user) {
        setSignIn(false, user.error().message);
        co_return {};
    }
    const Result<QString> place = co_await m_accounts.remember(account.apiUrl, account.token);
    if (!self) co_return {};
    setNotice(place ? tr("Signed in. The token is kept in: %1").arg(*place)
                    : tr("Signed in, for now: the token could not be kept. %1").arg(place.error().message));
    m_user = *user;
    setSignIn(false, {});
    adopt(*std::move(api), account);
    co_return {};
}

Task<void> AppModel::learnName()
{
    const QPointer self(this);
    const Result<client::User> user = co_await m_api->whoAmI();
    if (!self || !user) co_return {}; // the connection says what is wrong, and is tried again by itself
    m_user = *user;
    emit stageChanged();
    onBoxes();
    co_return {};
}

void AppModel::adopt(std::unique_ptr<ApiLink> api, client::Account account)
{
    closeApi();
    m_api = std::move(api);
    m_account = std::move(account);
    connect(m_api.get(), &ApiLink::boxesChanged, this, &AppModel::onBoxes);
    connect(m_api.get(), &ApiLink::connectionChanged, this, &AppModel::onConnection);
    setStage(Stage::SignedIn);
    m_api->startWatching();
    onBoxes();
    onConnection();
}

void AppModel::onConnection()
{
    m_trouble.set(m_api->connectionMessage());
    if (m_api->connectionState() != client::ConnectionState::SignedOut) return;
    const QString why = m_api->connectionMessage();
    // The api is the sender of this signal: it goes once it has returned.
    QMetaObject::invokeMethod(
        this,
        [this, why] {
            closeApi();
            setSignIn(false, why);
            setStage(Stage::SignedOut);
        },
        Qt::QueuedConnection);
}

void AppModel::onBoxes()
{
    if (!m_api) return;
    m_boxes.setBoxes(*m_api, m_api->boxes(), m_user.name);
    emit boxesChanged();
    if (m_currentBox || m_boxes.count() == 0) return;
    BoxModel* first = m_boxes.at(0);
    for (int row = 0; row < m_boxes.count(); ++row)
        if (m_boxes.at(row)->name() == m_boxName) first = m_boxes.at(row);
    setCurrentBox(first);
}

void AppModel::openBox(const QString& boxId)
{
    if (BoxModel* box = m_boxes.find(boxId)) setCurrentBox(box);
}

void AppModel::setCurrentBox(BoxModel* box)
{
    if (box == m_currentBox) return;
    if (m_currentBox) m_currentBox->close();
    m_currentBox = box;
    if (box) box->open();
    followClipboard();
    emit currentBoxChanged();
    emit sharesClipboardChanged();
}

void AppModel::shareClipboard(QClipboard& clipboard)
{
    m_clipboard = std::make_unique<ClipboardBridge>(clipboard);
    connect(m_clipboard.get(), &ClipboardBridge::problem, this, &AppModel::setNotice);
    followClipboard();
}

bool AppModel::sharesClipboard() const
{
    return m_currentBox && m_preferences.sharesClipboard(m_currentBox->boxId());
}

void AppModel::setSharesClipboard(bool shares)
{
    if (!m_currentBox || shares == sharesClipboard()) return;
    m_preferences.setSharesClipboard(m_currentBox->boxId(), shares);
    followClipboard();
    emit sharesClipboardChanged();
}

void AppModel::followClipboard()
{
    if (m_clipboard) m_clipboard->follow(m_currentBox ? m_currentBox->screen() : nullptr, sharesClipboard());
}

void AppModel::typeClipboard()
{
    if (m_clipboard && m_currentBox) m_currentBox->screen()->sendText(m_clipboard->localText());
}

void AppModel::createBox()
{
    if (!m_api || m_creatingBox) return;
    m_creatingBox = true;
    emit boxesChanged();
    m_scope.spawn(ensureFirstBox(), QStringLiteral("creating a box"));
}

Task<void> AppModel::ensureFirstBox()
{
    const QPointer self(this);
    const Result<client::Box> box = co_await m_api->ensureBox(m_boxName);
    if (!self) co_return {};
    m_creatingBox = false;
    if (!box) setNotice(box.error().message);
    emit boxesChanged();
    co_return {};
}

void AppModel::signOut()
{
    if (m_stage != Stage::SignedIn) return;
    const QUrl apiUrl = m_account.apiUrl;
    closeApi();
    m_user = {};
    m_account.token = {};
    setNotice({});
    setSignIn(false, {});
    setStage(Stage::SignedOut);
    m_scope.spawn(forgetAccount(apiUrl), QStringLiteral("forgetting the token"));
}

Task<void> AppModel::forgetAccount(QUrl apiUrl)
{
    const QPointer self(this);
    const Result<void> forgotten = co_await m_accounts.forget(apiUrl);
    if (self && !forgotten) setSignIn(false, forgotten.error().message);
    co_return {};
}

void AppModel::closeApi()
{
    setCurrentBox(nullptr);
    m_boxes.clear();
    if (m_api) m_api->disconnect(this);
    m_api.reset();
    m_trouble.set({});
}

void AppModel::retry()
{
    if (m_api) m_api->retryNow();
    if (m_currentBox) m_currentBox->retry();
}

void AppModel::dismissNotice()
{
    setNotice({});
}

void AppModel::setStage(Stage stage)
{
    m_stage = stage;
    emit stageChanged();
}

void AppModel::setSignIn(bool signingIn, const QString& error)
{
    m_signingIn = signingIn;
    m_signInError = error;
    emit signInChanged();
}

void AppModel::setNotice(const QString& notice)
{
    if (notice == m_notice) return;
    m_notice = notice;
    emit noticeChanged();
}

} // namespace cocoonbox::app::gui
