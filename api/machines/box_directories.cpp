// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/box_directories.h"

#include "common/base/ids.h"
#include "common/crypto/credential.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <sys/stat.h>
#include <unistd.h>

namespace cocoonbox::api::machines {

namespace {

constexpr gid_t kAgentGroup = 990; // cbagent, in the box's image
// JSON writes a control character as six.
constexpr qint64 kMetaFileBytesMax = 8 * kMetaKeysMax * (kMetaKeyCharsMax + kMetaValueBytesMax);

std::unexpected<Error> failedStep(const QString& doing, int error, const QString& path)
{
    const bool isFull = error == ENOSPC || error == EDQUOT;
    Error failure{isFull ? ErrorCode::ResourceExhausted : ErrorCode::Internal,
                  isFull ? QStringLiteral("%1: the disk of the host is full. Free some space and try again.").arg(doing)
                         : QStringLiteral("%1 did not work: %2. The api's log names the file.")
                               .arg(doing, QString::fromLocal8Bit(std::strerror(error))),
                  isFull ? QStringLiteral("DISK_FULL") : QStringLiteral("FILE_FAILED"), path,
                  std::source_location::current()};
    return std::unexpected(std::move(failure));
}

// mkdir, then the mode regardless of the umask. A directory that is there keeps its mode and owner: the box's first
// program has set them.
Result<bool> makeDirectory(const QString& path, mode_t mode)
{
    const QByteArray name = QFile::encodeName(path);
    if (::mkdir(name.constData(), mode) == 0) {
        if (::chmod(name.constData(), mode) != 0) return failedStep(QStringLiteral("Preparing the box"), errno, path);
        return true;
    }
    struct stat found = {};
    if (errno != EEXIST || ::lstat(name.constData(), &found) != 0)
        return failedStep(QStringLiteral("Preparing the box"), errno, path);
    if (!S_ISDIR(found.st_mode)) return failedStep(QStringLiteral("Preparing the box"), ENOTDIR, path);
    return false;
}

bool isMetaKey(const QString& key)
{
    return !key.isEmpty() && key.size() <= kMetaKeyCharsMax && std::ranges::all_of(key, [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'.' || c == u'_' || c == u'-';
    });
}

bool isShortText(const QString& text)
{
    return !text.isEmpty() && text.size() <= 128;
}

std::unexpected<Error> damagedMeta(const QString& path)
{
    Error error{ErrorCode::DataLoss,
                QStringLiteral("What was noted about this box's machine cannot be read. Delete the box, or restore "
                               "its meta.json."),
                QStringLiteral("META_DAMAGED"), path, std::source_location::current()};
    return std::unexpected(std::move(error));
}

} // namespace

Result<void> checkBoxId(const QString& boxId)
{
    if (isId(boxId, u"box_")) return {};
    return fail(ErrorCode::InvalidArgument, QStringLiteral("That is not the id of a box."),
                QStringLiteral("BOX_ID_INVALID"));
}

Result<void> checkIdentity(const Identity& identity, const QString& boxId)
{
    if (identity.boxId == boxId && isShortText(identity.wakeId) && isShortText(identity.keyId) &&
        (identity.model.isEmpty() || isShortText(identity.model)) && identity.publicKey.size() == 32)
        return {};
    return fail(ErrorCode::InvalidArgument,
                QStringLiteral("The identity does not fit the box: it needs the box's own id, a wake id, a key id and "
                               "a public key of 32 bytes."),
                QStringLiteral("IDENTITY_INVALID"));
}

Result<BoxDirectories> BoxDirectories::open(const QString& dataDirectory)
{
    if (!QDir().mkpath(dataDirectory + QStringLiteral("/boxes")))
        return fail(ErrorCode::FailedPrecondition,
                    QStringLiteral("The data directory cannot be made. Choose one that this account may write to."),
                    QStringLiteral("DATA_DIR_UNUSABLE"));
    const QString path = QFileInfo(dataDirectory).canonicalFilePath();
    TRY_VOID(makeDirectory(path + QStringLiteral("/boxes"), 0700));
    return BoxDirectories(path);
}

QString BoxDirectories::box(const QString& boxId) const
{
    return m_dataDirectory + QStringLiteral("/boxes/") + boxId;
}

QString BoxDirectories::channel(const QString& boxId, Channel channel) const
{
    return box(boxId) + (channel == Channel::Agent ? QStringLiteral("/run/agent") : QStringLiteral("/run/screen"));
}

QString BoxDirectories::identity(const QString& boxId) const
{
    return box(boxId) + QStringLiteral("/run/identity");
}

QString BoxDirectories::door(const QString& boxId) const
{
    return box(boxId) + QStringLiteral("/run/door");
}

Result<void> BoxDirectories::prepare(const QString& boxId) const
{
    TRY_VOID(checkBoxId(boxId));
    TRY_VOID(makeDirectory(box(boxId), 0700));
    TRY_VOID(makeDirectory(box(boxId) + QStringLiteral("/run"), 0700));
    TRY_VOID(makeDirectory(identity(boxId), 0755));
    TRY_VOID(makeDirectory(channel(boxId, Channel::Agent), 0770));
    TRY_VOID(makeDirectory(channel(boxId, Channel::Screen), 0770));
    TRY_ASSIGN(const bool isNew, makeDirectory(door(boxId), 0750));
    const QByteArray doorName = QFile::encodeName(door(boxId));
    if (isNew && ::geteuid() == 0 && ::chown(doorName.constData(), static_cast<uid_t>(-1), kAgentGroup) != 0)
        return failedStep(QStringLiteral("Preparing the box"), errno, door(boxId));
    const QString meta = box(boxId) + QStringLiteral("/meta.json");
    if (QFile::exists(meta) && !QFile::remove(meta))
        return failedStep(QStringLiteral("Preparing the box"), errno, meta);
    return {};
}

Result<void> BoxDirectories::writeIdentity(const Identity& identity) const
{
    TRY_VOID(checkBoxId(identity.boxId));
    TRY_ASSIGN(const crypto::PublicKey key, crypto::PublicKey::fromRaw(identity.publicKey));
    const QString path = this->identity(identity.boxId) + QStringLiteral("/identity");
    const QString draft = path + QStringLiteral(".new");
    QFile file(draft);
    const QByteArray text =
        crypto::encodeIdentity({identity.boxId, identity.wakeId, identity.keyId, key, identity.model}) + '\n';
    errno = 0;
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size() || !file.flush() ||
        ::fchmod(file.handle(), 0644) != 0)
        return failedStep(QStringLiteral("Writing the box's identity"), errno, draft);
    file.close();
    if (::rename(QFile::encodeName(draft).constData(), QFile::encodeName(path).constData()) != 0)
        return failedStep(QStringLiteral("Writing the box's identity"), errno, path);
    return {};
}

Result<QHash<QString, QString>> BoxDirectories::meta(const QString& boxId) const
{
    TRY_VOID(checkBoxId(boxId));
    QFile file(box(boxId) + QStringLiteral("/meta.json"));
    QHash<QString, QString> values;
    if (!file.exists()) return values;
    if (!file.open(QIODevice::ReadOnly) || file.size() > kMetaFileBytesMax) return damagedMeta(file.fileName());
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    if (!document.isObject()) return damagedMeta(file.fileName());
    const QJsonObject fields = document.object();
    for (auto field = fields.begin(); field != fields.end(); ++field)
        values.insert(field.key(), field.value().toString());
    return values;
}

Result<void> BoxDirectories::setMeta(const QString& boxId, const QString& key, const QString& value) const
{
    if (!isMetaKey(key) || value.toUtf8().size() > kMetaValueBytesMax)
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("A meta key has 1 to %1 characters of a-z, 0-9, \".\", \"_\" and \"-\"; its value "
                                   "at most %2 bytes.")
                        .arg(kMetaKeyCharsMax)
                        .arg(kMetaValueBytesMax),
                    QStringLiteral("META_INVALID"));
    TRY_ASSIGN(auto values, meta(boxId));
    if (value.isEmpty())
        values.remove(key);
    else
        values.insert(key, value);
    if (values.size() > kMetaKeysMax)
        return fail(ErrorCode::ResourceExhausted,
                    QStringLiteral("A machine keeps at most %1 meta keys. Remove one first.").arg(kMetaKeysMax),
                    QStringLiteral("META_FULL"));
    QJsonObject fields;
    for (auto entry = values.cbegin(); entry != values.cend(); ++entry)
        fields.insert(entry.key(), entry.value());
    QSaveFile file(box(boxId) + QStringLiteral("/meta.json"));
    errno = 0;
    if (!file.open(QIODevice::WriteOnly) || !file.setPermissions(QFile::ReadOwner | QFile::WriteOwner) ||
        file.write(QJsonDocument(fields).toJson()) < 0 || !file.commit())
        return failedStep(QStringLiteral("Noting a value of the box's machine"), errno, file.fileName());
    return {};
}

} // namespace cocoonbox::api::machines
