// SPDX-License-Identifier: AGPL-3.0-only
#include "common/crypto/credential.h"

#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::crypto;

namespace {

constexpr qint64 kNow = 1'760'000'000;
constexpr auto kUrlBase64 = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;

QByteArray resigned(const QByteArray& fields, const KeyPair& key)
{
    const QByteArray text = fields.toBase64(kUrlBase64);
    return "v1." + text + '.' + key.sign(text).toBase64(kUrlBase64);
}

} // namespace

class TestCredential : public QObject {
    Q_OBJECT

private slots:
    void goodOneIsAccepted();
    void formatIsTheSeeds();
    void eachFaultHasItsOwnReason_data();
    void eachFaultHasItsOwnReason();
    void anyFlippedCharacterIsRefused();
    void timeBoundsAreExact();
    void identitySurvivesItsFile();
    void identityCarriesTheModel();
    void damagedIdentityIsRefused_data();
    void damagedIdentityIsRefused();

private:
    KeyPair m_key = *KeyPair::generate();
    KeyPair m_otherKey = *KeyPair::generate();
    Identity m_identity{"box_1", "wake1", m_key.publicKey().keyId(), m_key.publicKey()};
    Credential m_credential{m_identity.keyId, "box_1", "wake1", kNow + 600};
};

void TestCredential::goodOneIsAccepted()
{
    const auto verified = verifyCredential(signCredential(m_credential, m_key), m_identity, kNow);
    QVERIFY(verified);
    QCOMPARE(verified->boxId, "box_1");
    QCOMPARE(verified->wakeId, "wake1");
    QCOMPARE(verified->expiresAtUnix, kNow + 600);
}

void TestCredential::formatIsTheSeeds()
{
    const QList<QByteArray> parts = signCredential(m_credential, m_key).split('.');
    QCOMPARE(parts.size(), 3);
    QCOMPARE(parts[0], "v1");
    QCOMPARE(QByteArray::fromBase64(parts[1], kUrlBase64),
             m_identity.keyId.toLatin1() + "|box_1|wake1|" + QByteArray::number(kNow + 600));
    QVERIFY(m_key.publicKey().verify(parts[1], QByteArray::fromBase64(parts[2], kUrlBase64)));
    QVERIFY(!parts[1].contains('=') && !parts[2].contains('='));
}

void TestCredential::eachFaultHasItsOwnReason_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    const QByteArray id = m_identity.keyId.toLatin1();
    const QByteArray exp = QByteArray::number(kNow + 600);
    const QByteArray good = signCredential(m_credential, m_key);
    const auto row = [](const char* name, const QByteArray& text, const char* reason) {
        QTest::newRow(name) << text << QString::fromLatin1(reason);
    };
    row("empty", "", "CREDENTIAL_MALFORMED");
    row("another version", "v2" + good.sliced(2), "CREDENTIAL_MALFORMED");
    row("no signature", good.first(good.lastIndexOf('.')), "CREDENTIAL_MALFORMED");
    row("cut signature", good.chopped(4), "CREDENTIAL_MALFORMED");
    row("padded", good + "==", "CREDENTIAL_MALFORMED");
    row("fields missing", resigned(id + "|box_1|wake1", m_key), "CREDENTIAL_MALFORMED");
    row("a field too many", resigned(id + "|box_1|wake1|" + exp + "|x", m_key), "CREDENTIAL_MALFORMED");
    row("an empty field", resigned(id + "||wake1|" + exp, m_key), "CREDENTIAL_MALFORMED");
    row("no number", resigned(id + "|box_1|wake1|soon", m_key), "CREDENTIAL_MALFORMED");
    row("huge", "v1." + QByteArray(100'000, 'A') + "." + QByteArray(86, 'A'), "CREDENTIAL_MALFORMED");
    row("signature of another message",
        good.first(good.lastIndexOf('.') + 1) + m_key.sign("other").toBase64(kUrlBase64), "CREDENTIAL_TAMPERED");
    row("fields changed",
        "v1." + (id + "|box_1|wake1|" + QByteArray::number(kNow + 601)).toBase64(kUrlBase64) +
            good.sliced(good.lastIndexOf('.')),
        "CREDENTIAL_TAMPERED");
    row("our key id, another key", signCredential(m_credential, m_otherKey), "CREDENTIAL_TAMPERED");
    row("another key id", resigned("0011223344556677|box_1|wake1|" + exp, m_otherKey), "CREDENTIAL_KEY_UNKNOWN");
    row("another box", resigned(id + "|box_2|wake1|" + exp, m_key), "CREDENTIAL_WRONG_BOX");
    row("before the wake", resigned(id + "|box_1|wake0|" + exp, m_key), "CREDENTIAL_OLD_WAKE");
    row("ended", resigned(id + "|box_1|wake1|" + QByteArray::number(kNow - 121), m_key), "CREDENTIAL_EXPIRED");
    row("too far ahead", resigned(id + "|box_1|wake1|" + QByteArray::number(kNow + 721), m_key), "CREDENTIAL_EXPIRED");
}

void TestCredential::eachFaultHasItsOwnReason()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    const auto refused = verifyCredential(text, m_identity, kNow);
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, reason);
    QCOMPARE(refused.error().code, ErrorCode::Unauthenticated);
    QVERIFY(!refused.error().message.isEmpty());
}

void TestCredential::anyFlippedCharacterIsRefused()
{
    const QByteArray good = signCredential(m_credential, m_key);
    for (qsizetype i = 0; i < good.size(); ++i) {
        QByteArray changed = good;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        QVERIFY2(!verifyCredential(changed, m_identity, kNow), QByteArray::number(i));
    }
}

void TestCredential::timeBoundsAreExact()
{
    const auto acceptedAt = [this](qint64 expires, qint64 now) {
        Credential credential = m_credential;
        credential.expiresAtUnix = expires;
        return verifyCredential(signCredential(credential, m_key), m_identity, now).has_value();
    };
    QVERIFY(acceptedAt(kNow, kNow + 119));
    QVERIFY(!acceptedAt(kNow, kNow + 120));
    QVERIFY(acceptedAt(kNow + 720, kNow));
    QVERIFY(!acceptedAt(kNow + 721, kNow));
}

void TestCredential::identitySurvivesItsFile()
{
    const auto decoded = decodeIdentity(encodeIdentity(m_identity));
    QVERIFY(decoded);
    QCOMPARE(decoded->boxId, m_identity.boxId);
    QCOMPARE(decoded->wakeId, m_identity.wakeId);
    QCOMPARE(decoded->keyId, m_identity.keyId);
    QVERIFY(decoded->model.isEmpty());
    QVERIFY(verifyCredential(signCredential(m_credential, m_key), *decoded, kNow));
}

void TestCredential::identityCarriesTheModel()
{
    Identity identity = m_identity;
    identity.model = "large-1";
    QCOMPARE(decodeIdentity(encodeIdentity(identity))->model, QString("large-1"));
}

void TestCredential::damagedIdentityIsRefused_data()
{
    QTest::addColumn<QByteArray>("json");
    const QByteArray good = encodeIdentity(m_identity);
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("cut") << good.chopped(5);
    QTest::newRow("no wake") << QByteArray(good).replace("wake_id", "wake_xx");
    QTest::newRow("short key") << QByteArray(good).replace(m_identity.publicKey.raw().toBase64(), "AAAA");
}

void TestCredential::damagedIdentityIsRefused()
{
    QFETCH(QByteArray, json);
    const auto refused = decodeIdentity(json);
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "IDENTITY_DAMAGED");
}

QTEST_GUILESS_MAIN(TestCredential)
#include "tst_credential.moc"
