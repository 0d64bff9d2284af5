// SPDX-License-Identifier: AGPL-3.0-only
#include "common/rpc/channel.h"
#include "tests/api/edge/edge_fixture.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <QTcpSocket>
#include <QTest>
#include <QUrl>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace std::chrono_literals;

namespace {

struct Pem {
    QByteArray certificate;
    QByteArray key;
};

QByteArray drained(BIO* memory)
{
    char* text = nullptr;
    const auto size = BIO_get_mem_data(memory, &text);
    QByteArray copy(text, static_cast<qsizetype>(size));
    BIO_free(memory);
    return copy;
}

// A certificate for "localhost" that vouches for itself.
Pem makeCertificate()
{
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                               0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost");
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate, key, EVP_sha256());
    BIO* certificateText = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(certificateText, certificate);
    BIO* keyText = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(keyText, key, nullptr, nullptr, 0, nullptr, nullptr);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return {drained(certificateText), drained(keyText)};
}

} // namespace

class TestEdgeTls : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void callsPassThroughTls();
    void largeMessagesPassThroughTls();
    void stalledReaderResumesOverTls();
    void plaintextClientIsCutOff();
    void wrongPairIsRefused();

private:
    Pem m_pem = makeCertificate();
    std::unique_ptr<EdgeFixture> m_fixture;
};

void TestEdgeTls::init()
{
    m_fixture = std::make_unique<EdgeFixture>();
    api::edge::EdgeOptions options;
    options.certificatePem = m_pem.certificate;
    options.privateKeyPem = m_pem.key;
    m_fixture->startEdge(options);
    rpc::ChannelOptions trust;
    trust.rootCertificates = m_pem.certificate;
    m_fixture->channel =
        *rpc::makeChannel(QUrl(QStringLiteral("https://localhost:%1").arg(m_fixture->edge->port())), trust);
}

void TestEdgeTls::cleanup()
{
    m_fixture.reset();
}

void TestEdgeTls::callsPassThroughTls()
{
    const auto call = m_fixture->call("Echo");
    for (int i = 0; i < 200; ++i) {
        QVERIFY(call->write(std::to_string(i)));
        QCOMPARE(call->read(), std::to_string(i));
    }
    call->writesDone();
    QVERIFY(!call->read());
    QVERIFY(call->finish().ok());
    QCOMPARE(m_fixture->outcomeOf(kTestService + "Echo", {}).reason, "TOKEN_MISSING");
}

void TestEdgeTls::largeMessagesPassThroughTls()
{
    const auto call = m_fixture->call("Echo");
    for (const size_t size : {size_t{16'384}, size_t{100'000}, size_t{4} << 20}) {
        std::string message(size, '\0');
        for (size_t i = 0; i < size; ++i)
            message[i] = static_cast<char>((i * 2654435761u) >> 13);
        QVERIFY(call->write(message));
        QVERIFY(call->read() == message);
    }
}

void TestEdgeTls::stalledReaderResumesOverTls()
{
    const auto call = m_fixture->call("Flood");
    QVERIFY(call->read());
    QTest::qSleep(500);
    for (int i = 0; i < 500; ++i) {
        const auto message = call->read();
        QVERIFY(message && message->size() == 64 << 10);
    }
}

void TestEdgeTls::plaintextClientIsCutOff()
{
    QTcpSocket socket;
    socket.connectToHost("127.0.0.1", static_cast<quint16>(m_fixture->edge->port()));
    QVERIFY(socket.waitForConnected(2000));
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    QVERIFY(socket.waitForDisconnected(2000) || socket.state() == QAbstractSocket::UnconnectedState);
    QCOMPARE(m_fixture->outcomeOf(kTestService + "Upper", EdgeFixture::ann()).code, grpc::StatusCode::OK);
}

void TestEdgeTls::wrongPairIsRefused()
{
    api::edge::EdgeOptions options;
    options.address = "127.0.0.1:0";
    options.certificatePem = m_pem.certificate;
    options.privateKeyPem = makeCertificate().key;
    const auto refused =
        api::edge::Edge::start(options, m_fixture->tokens, m_fixture->boxes, m_fixture->key, m_fixture->clock);
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "CERTIFICATE_INVALID");
}

QTEST_GUILESS_MAIN(TestEdgeTls)
#include "tst_edge_tls.moc"
