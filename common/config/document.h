// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <limits>
#include <memory>
#include <QByteArray>
#include <QStringList>

// Configuration: TOML into plain structs. Precedence: the struct's own defaults < file < environment < flags.
//
//   TRY_ASSIGN(config::Document document, config::Document::load(path));
//   document.applyEnvironment("COCOONBOX_API", QProcess::systemEnvironment());
//   config::Section edge = document.section("edge");
//   edge.read("listen", settings.edge.listen);
//   TRY_VOID(document.finish());
//
// What nobody read is an unknown key. `finish` refuses unknown keys, wrong types and values out of bounds with
// file:line (or the variable's or flag's name) and says what was expected.
namespace cocoonbox::config {

struct DocumentState;

struct Bounds {
    qint64 min = std::numeric_limits<qint64>::min();
    qint64 max = std::numeric_limits<qint64>::max();
};

// One table of a document; must not outlive it. A key that is absent leaves the target alone.
class Section {
public:
    void read(const char* key, QString& target);
    void read(const char* key, QStringList& target);
    void read(const char* key, QList<int>& target, Bounds bounds = {}); // bounds of each; within int
    void read(const char* key, bool& target);
    void read(const char* key, int& target, Bounds bounds = {});
    void read(const char* key, qint64& target, Bounds bounds = {});
    // One of the words.
    void readWord(const char* key, QString& target, const QStringList& allowed);

    Section section(const QString& key);
    // The names of the tables in this one: of [flavors.small] and [flavors.large], "large" and "small".
    QStringList names() const;
    // Refuses the document with a sentence about this key; for rules between keys.
    void refuse(const char* key, const QString& why);

private:
    friend class Document;
    Section(DocumentState* state, QString path) : m_state(state), m_path(std::move(path)) {}
    QString pathOf(const QString& key) const { return m_path.isEmpty() ? key : m_path + u'.' + key; }

    DocumentState* m_state;
    QString m_path;
};

class Document {
public:
    // InvalidArgument: CONFIG_UNREADABLE, CONFIG_SYNTAX (with file:line).
    static Result<Document> load(const QString& file);
    static Result<Document> parse(const QByteArray& toml, const QString& file);
    Document(Document&&) noexcept;
    ~Document();

    // Of "NAME=value" strings, PREFIX__EDGE__LISTEN sets edge.listen; a single underscore is a hyphen of the key.
    void applyEnvironment(const QString& prefix, const QStringList& environment);
    // A value of the command line: set("edge.listen", "127.0.0.1:0", "--listen").
    void set(const QString& path, const QString& value, const QString& flag);

    Section root() { return Section(m_state.get(), {}); }
    Section section(const QString& key) { return root().section(key); }
    // InvalidArgument: CONFIG_INVALID with the first problem in the order of the file.
    Result<void> finish() const;
    // Every value that was read, as it is in force, as TOML.
    QByteArray effective() const;

private:
    explicit Document(std::unique_ptr<DocumentState> state);

    std::unique_ptr<DocumentState> m_state;
};

} // namespace cocoonbox::config
