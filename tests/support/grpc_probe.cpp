// SPDX-License-Identifier: AGPL-3.0-only
// A raw gRPC client for the end-to-end tests: one call of any method with any metadata and bytes, its outcome as one
// JSON line. It can sign a credential, honest or not, with a key file.
#include "common/crypto/credential.h"
#include "common/crypto/ed25519.h"

#include <cstdio>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <QByteArray>
#include <QCommandLineParser>
#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::StringLiterals;

namespace {

struct Outcome {
    grpc::Status status;
    QString reason;
    qint64 replies = 0;
    qint64 replyBytes = 0;
};

Outcome callOnce(const std::string& target, const std::string& method, const QStringList& metadata,
                 const QByteArray& body, std::chrono::milliseconds deadline)
{
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(64 << 20);
    grpc::GenericStub stub(grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + deadline);
    for (const QString& pair : metadata)
        context.AddMetadata(pair.section(u'=', 0, 0).toStdString(), pair.section(u'=', 1).toStdString());

    grpc::CompletionQueue queue;
    void* tag = nullptr;
    bool ok = false;
    const auto step = [&](auto&& begin) {
        begin();
        return queue.Next(&tag, &ok) && ok;
    };
    const auto call = stub.PrepareCall(&context, method, &queue);
    Outcome outcome;
    const grpc::Slice slice(body.constData(), static_cast<size_t>(body.size()));
    const grpc::ByteBuffer request(&slice, 1);
    const bool sent = step([&] { call->StartCall(&tag); }) && step([&] { call->Write(request, &tag); }) &&
                      step([&] { call->WritesDone(&tag); });
    grpc::ByteBuffer reply;
    while (sent && step([&] { call->Read(&reply, &tag); })) {
        ++outcome.replies;
        outcome.replyBytes += static_cast<qint64>(reply.Length());
    }
    step([&] { call->Finish(&outcome.status, &tag); });
    const auto& trailers = context.GetServerTrailingMetadata();
    if (const auto found = trailers.find("x-cocoonbox-reason"); found != trailers.end())
        outcome.reason = QString::fromUtf8(found->second.data(), static_cast<qsizetype>(found->second.size()));
    return outcome;
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    QCommandLineParser flags;
    flags.addHelpOption();
    flags.addOptions({{u"target"_s, u"grpc target"_s, u"target"_s},
                      {u"method"_s, u"full method"_s, u"method"_s},
                      {u"metadata"_s, u"key=value"_s, u"pair"_s},
                      {u"hex"_s, u"request in hex"_s, u"hex"_s},
                      {u"zeros"_s, u"request of N zero bytes"_s, u"n"_s},
                      {u"deadline-ms"_s, u"deadline"_s, u"ms"_s, u"10000"_s},
                      {u"sign-key"_s, u"edge key file"_s, u"file"_s},
                      {u"sign-box"_s, u"box id"_s, u"id"_s},
                      {u"sign-wake"_s, u"wake id"_s, u"id"_s},
                      {u"sign-expires-in"_s, u"seconds from now"_s, u"s"_s, u"600"_s}});
    flags.process(app);

    QStringList metadata = flags.values(u"metadata"_s);
    if (flags.isSet(u"sign-key"_s)) {
        const auto key = cocoonbox::crypto::KeyPair::loadOrCreate(flags.value(u"sign-key"_s));
        if (!key) {
            std::fprintf(stderr, "%s\n", qPrintable(key.error().message));
            return 2;
        }
        const cocoonbox::crypto::Credential credential{
            key->publicKey().keyId(), flags.value(u"sign-box"_s), flags.value(u"sign-wake"_s),
            QDateTime::currentSecsSinceEpoch() + flags.value(u"sign-expires-in"_s).toLongLong()};
        metadata << u"x-cocoonbox-credential="_s +
                        QString::fromLatin1(cocoonbox::crypto::signCredential(credential, *key));
    }
    QByteArray body = QByteArray::fromHex(flags.value(u"hex"_s).toLatin1());
    if (flags.isSet(u"zeros"_s)) body = QByteArray(flags.value(u"zeros"_s).toInt(), '\0');

    const Outcome outcome = callOnce(flags.value(u"target"_s).toStdString(), flags.value(u"method"_s).toStdString(),
                                     metadata, body, std::chrono::milliseconds(flags.value(u"deadline-ms"_s).toInt()));
    const QJsonObject line{{u"code"_s, outcome.status.error_code()},
                           {u"message"_s, QString::fromStdString(outcome.status.error_message())},
                           {u"reason"_s, outcome.reason},
                           {u"replies"_s, outcome.replies},
                           {u"reply_bytes"_s, outcome.replyBytes}};
    std::puts(QJsonDocument(line).toJson(QJsonDocument::Compact).constData());
    return 0;
}
