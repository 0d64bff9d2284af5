// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/edge.h"
#include "tests/api/edge/fake_agent.h"
#include "tests/api/edge/raw_call.h"

#include <functional>
#include <mutex>
#include <QTemporaryDir>
#include <vector>

namespace cocoonbox::testing {

// Ann has the token "token-ann", Ben "token-ben".
class FakeTokens final : public api::users::TokenCheck {
public:
    std::optional<api::users::Actor> check(QByteArrayView token) const override;
};

// Boxes whose channels are sockets of this test, in any state.
class FakeBoxes final : public api::boxes::BoxDirectory {
public:
    void add(const QString& boxId, const QString& ownerId, const QString& agentPath, const QString& screenPath);
    void wakeAgain(const QString& boxId, const QString& wakeId);
    void put(const QString& boxId, Error state); // `route` answers this
    // Cuts every connection to an agent that was dialled, as the death of the box does.
    void cut();
    int dials() const;

    Result<api::boxes::Route> route(QStringView userId, QStringView boxId) const override;

private:
    enum class Keep { Yes, No };
    Result<int> dial(const QString& path, Keep keep) const;

    struct Box {
        QString ownerId;
        QString wakeId = QStringLiteral("wake1");
        QString agentPath;
        QString screenPath;
        std::optional<Error> state;
    };
    mutable std::mutex m_mutex;
    QMap<QString, Box> m_boxes;
    mutable std::vector<int> m_dialled; // duplicates
    mutable int m_dials = 0;
};

// An edge in front of one fake agent: Ann's box "box_ann". "box_down" is Ann's, runs, and has no agent.
struct EdgeFixture {
    EdgeFixture();
    ~EdgeFixture();

    void startEdge(api::edge::EdgeOptions options = {});
    using Metadata = std::multimap<std::string, std::string>;
    static Metadata ann(const std::string& boxId = "box_ann");
    std::unique_ptr<RawCall> call(const std::string& method, const Metadata& metadata = ann(),
                                  std::optional<std::chrono::milliseconds> timeout = std::nullopt);
    // The status of a call that sends one empty message.
    struct Outcome {
        grpc::StatusCode code;
        QString reason;
        QString message;
        std::chrono::milliseconds time;
    };
    Outcome outcomeOf(const std::string& path, const Metadata& metadata);

    QTemporaryDir folder;
    FakeAgent agent{folder.filePath(QStringLiteral("a"))};
    FakeTokens tokens;
    FakeBoxes boxes;
    SystemClock clock;
    crypto::KeyPair key = *crypto::KeyPair::generate();
    std::unique_ptr<api::edge::Edge> edge;
    std::shared_ptr<grpc::Channel> channel;
};

// Whether `condition` comes true within five seconds.
bool eventually(const std::function<bool()>& condition);

inline const std::string kTestService = "/cocoonbox.agent.v1.Test/";

} // namespace cocoonbox::testing
