// SPDX-License-Identifier: AGPL-3.0-only
#include "common/crypto/ed25519.h"
#include "common/crypto/sha256.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <thread>
#include <vector>

using namespace cocoonbox;
using namespace cocoonbox::crypto;

class TestEd25519 : public QObject {
    Q_OBJECT

private slots:
    void sha256MatchesTheStandardsExample();
    void signatureOfRfc8032Verifies();
    void changedMessageSignatureOrKeyIsRefused();
    void fileIsMadeOnceAndPrivate();
    void racingStartsGetOneKey();
    void exposedFileIsRefused();
    void linkIsRefused();
    void damagedFileIsRefusedAndKept();
    void missingFolderIsTold();
};

void TestEd25519::sha256MatchesTheStandardsExample()
{
    QCOMPARE(sha256("abc").toHex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    QVERIFY(equalInConstantTime("same", "same"));
    QVERIFY(!equalInConstantTime("same", "some"));
    QVERIFY(!equalInConstantTime("same", "sam"));
}

void TestEd25519::signatureOfRfc8032Verifies()
{
    // RFC 8032 §7.1, test 2: one byte, 0x72.
    const auto key =
        PublicKey::fromRaw(QByteArray::fromHex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
    QVERIFY(key);
    const QByteArray signature =
        QByteArray::fromHex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    QVERIFY(key->verify("r", signature));
    QVERIFY(!PublicKey::fromRaw("short"));
}

void TestEd25519::changedMessageSignatureOrKeyIsRefused()
{
    const auto key = KeyPair::generate();
    const auto other = KeyPair::generate();
    QVERIFY(key && other);
    QByteArray signature = key->sign("hello");
    QVERIFY(key->publicKey().verify("hello", signature));
    QVERIFY(!key->publicKey().verify("hellp", signature));
    QVERIFY(!other->publicKey().verify("hello", signature));
    QVERIFY(!key->publicKey().verify("hello", signature.first(63)));
    signature[10] = static_cast<char>(signature[10] ^ 1);
    QVERIFY(!key->publicKey().verify("hello", signature));
    QVERIFY(key->publicKey().keyId() != other->publicKey().keyId());
    QCOMPARE(key->publicKey().keyId().size(), 16);
}

void TestEd25519::fileIsMadeOnceAndPrivate()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("edge.key");
    const auto made = KeyPair::loadOrCreate(path);
    QVERIFY(made);
    const auto loaded = KeyPair::loadOrCreate(path);
    QVERIFY(loaded);
    QCOMPARE(loaded->publicKey().raw(), made->publicKey().raw());
    QVERIFY(loaded->publicKey().verify("x", made->sign("x")));
    QCOMPARE(QFile::permissions(path) & ~(QFile::ReadUser | QFile::WriteUser),
             QFile::Permissions(QFile::ReadOwner | QFile::WriteOwner));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("edge.key"));
}

void TestEd25519::racingStartsGetOneKey()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("edge.key");
    std::vector<QByteArray> keys(8);
    std::vector<std::thread> starts;
    for (QByteArray& key : keys)
        starts.emplace_back([&key, &path] {
            if (const auto pair = KeyPair::loadOrCreate(path)) key = pair->publicKey().raw();
        });
    for (std::thread& start : starts)
        start.join();
    for (const QByteArray& key : keys) {
        QCOMPARE(key.size(), kPublicKeyBytes);
        QCOMPARE(key, keys.front());
    }
}

void TestEd25519::exposedFileIsRefused()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("edge.key");
    QVERIFY(KeyPair::loadOrCreate(path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
    const auto refused = KeyPair::loadOrCreate(path);
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "KEY_FILE_EXPOSED");
}

void TestEd25519::linkIsRefused()
{
    const QTemporaryDir folder;
    QVERIFY(KeyPair::loadOrCreate(folder.filePath("real.key")));
    QVERIFY(QFile::link(folder.filePath("real.key"), folder.filePath("edge.key")));
    const auto refused = KeyPair::loadOrCreate(folder.filePath("edge.key"));
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "KEY_FILE_EXPOSED");
}

void TestEd25519::damagedFileIsRefusedAndKept()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath("edge.key"));
    QVERIFY(file.open(QFile::WriteOnly));
    file.write("not a key");
    file.close();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    const auto refused = KeyPair::loadOrCreate(file.fileName());
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "KEY_FILE_DAMAGED");
    QVERIFY(file.open(QFile::ReadOnly));
    QCOMPARE(file.readAll(), "not a key");
}

void TestEd25519::missingFolderIsTold()
{
    const QTemporaryDir folder;
    const auto refused = KeyPair::loadOrCreate(folder.filePath("none/edge.key"));
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "KEY_FILE_UNWRITABLE");
    QVERIFY(!refused.error().message.contains(folder.path()));
}

QTEST_GUILESS_MAIN(TestEd25519)
#include "tst_ed25519.moc"
