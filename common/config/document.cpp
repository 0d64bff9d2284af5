// SPDX-License-Identifier: AGPL-3.0-only
#include "common/config/document.h"

#include <optional>
#include <QFile>
#include <QMap>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <toml++/toml.h>
#pragma GCC diagnostic pop

namespace cocoonbox::config {

namespace {

constexpr qint64 kFileBytesMax = 1024 * 1024;
constexpr int kAfterTheFile = std::numeric_limits<int>::max(); // where variables and flags stand in the order

enum class Kind { Table, Text, Boolean, Integer, List, Numbers, Other };

struct Entry {
    Kind kind = Kind::Other;
    QString text;
    bool boolean = false;
    qint64 integer = 0;
    QStringList list;
    QList<qint64> numbers;
    QString place; // "api.toml:12", "COCOONBOX_API__EDGE__LISTEN", "--listen"
    int line = kAfterTheFile;
    bool isLoose = false; // of a variable or flag: text that is read as the target's type
    bool isUsed = false;
};

struct Problem {
    int line = kAfterTheFile;
    QString text;
};

QString toText(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString tomlString(const QString& text)
{
    QString escaped = text;
    escaped.replace(u'\\', QStringLiteral("\\\\")).replace(u'"', QStringLiteral("\\\""));
    escaped.replace(u'\n', QStringLiteral("\\n")).replace(u'\t', QStringLiteral("\\t"));
    return u'"' + escaped + u'"';
}

} // namespace

struct DocumentState {
    QMap<QString, Entry> entries; // by dotted path
    QList<Problem> problems;
    QList<std::pair<QString, QString>> effective; // path and TOML literal, in reading order

    Entry* find(const QString& path)
    {
        const auto found = entries.find(path);
        if (found == entries.end()) return nullptr;
        found->isUsed = true;
        return &*found;
    }
    void refuse(const Entry& entry, const QString& path, const QString& why)
    {
        problems.append({entry.line, QStringLiteral("%1: \"%2\" %3").arg(entry.place, path, why)});
    }
    void note(const QString& path, const QString& literal) { effective.append({path, literal}); }
    void flatten(const toml::table& table, const QString& prefix, const QString& file);
};

namespace {

std::optional<QStringList> textList(const toml::array& array)
{
    QStringList list;
    for (const toml::node& node : array) {
        const auto text = node.value_exact<std::string>();
        if (!text) return std::nullopt;
        list.append(toText(*text));
    }
    return list;
}

std::optional<QList<qint64>> numberList(const toml::array& array)
{
    QList<qint64> list;
    for (const toml::node& node : array) {
        const auto number = node.value_exact<int64_t>();
        if (!number) return std::nullopt;
        list.append(*number);
    }
    return list;
}

std::optional<QList<qint64>> numbersOf(const Entry& entry)
{
    if (entry.kind == Kind::Numbers || (entry.kind == Kind::List && entry.list.isEmpty())) return entry.numbers;
    if (!entry.isLoose) return std::nullopt;
    QList<qint64> numbers;
    for (const QString& word : entry.text.split(u',', Qt::SkipEmptyParts)) {
        bool isNumber = false;
        numbers.append(word.toLongLong(&isNumber));
        if (!isNumber) return std::nullopt;
    }
    return numbers;
}

Entry entryOf(const toml::node& node, const QString& file)
{
    Entry entry;
    entry.line = static_cast<int>(node.source().begin.line);
    entry.place = QStringLiteral("%1:%2").arg(file).arg(entry.line);
    if (node.is_table()) {
        entry.kind = Kind::Table;
    } else if (const auto text = node.value_exact<std::string>()) {
        entry.kind = Kind::Text;
        entry.text = toText(*text);
    } else if (const auto boolean = node.value_exact<bool>()) {
        entry.kind = Kind::Boolean;
        entry.boolean = *boolean;
    } else if (const auto integer = node.value_exact<int64_t>()) {
        entry.kind = Kind::Integer;
        entry.integer = *integer;
    } else if (node.is_array()) {
        if (auto list = textList(*node.as_array())) {
            entry.kind = Kind::List;
            entry.list = *std::move(list);
        } else if (auto numbers = numberList(*node.as_array())) {
            entry.kind = Kind::Numbers;
            entry.numbers = *std::move(numbers);
        }
    }
    return entry;
}

} // namespace

void DocumentState::flatten(const toml::table& table, const QString& prefix, const QString& file)
{
    for (const auto& [key, node] : table) {
        const QString name = toText(key.str());
        const QString path = prefix.isEmpty() ? name : prefix + u'.' + name;
        const Entry entry = entryOf(node, file);
        // A quoted key with a dot would pass for a path.
        if (name.contains(u'.')) refuse(entry, path, QStringLiteral("has a dot inside its name."));
        entries.insert(path, entry);
        if (const toml::table* child = node.as_table()) flatten(*child, path, file);
    }
}

void Section::read(const char* key, QString& target)
{
    const QString path = pathOf(QString::fromLatin1(key));
    if (const Entry* entry = m_state->find(path)) {
        if (entry->kind == Kind::Text)
            target = entry->text;
        else
            m_state->refuse(*entry, path, QStringLiteral("must be a string in quotes."));
    }
    m_state->note(path, tomlString(target));
}

void Section::readWord(const char* key, QString& target, const QStringList& allowed)
{
    read(key, target);
    if (!allowed.contains(target)) refuse(key, QStringLiteral("must be one of: %1.").arg(allowed.join(u", ")));
}

void Section::read(const char* key, QStringList& target)
{
    const QString path = pathOf(QString::fromLatin1(key));
    if (const Entry* entry = m_state->find(path)) {
        if (entry->kind == Kind::List)
            target = entry->list;
        else if (entry->isLoose)
            target = entry->text.split(u',', Qt::SkipEmptyParts);
        else
            m_state->refuse(*entry, path, QStringLiteral("must be a list of strings: [\"a\", \"b\"]."));
    }
    QStringList literals;
    for (const QString& item : std::as_const(target))
        literals.append(tomlString(item));
    m_state->note(path, u'[' + literals.join(u", ") + u']');
}

void Section::read(const char* key, QList<int>& target, Bounds bounds)
{
    const QString path = pathOf(QString::fromLatin1(key));
    if (const Entry* entry = m_state->find(path)) {
        const std::optional<QList<qint64>> numbers = numbersOf(*entry);
        const auto isIn = [&bounds](qint64 number) { return number >= bounds.min && number <= bounds.max; };
        if (numbers && std::ranges::all_of(*numbers, isIn))
            target = QList<int>(numbers->cbegin(), numbers->cend());
        else
            m_state->refuse(*entry, path,
                            QStringLiteral("must be a list of whole numbers from %1 to %2: [80, 443].")
                                .arg(bounds.min)
                                .arg(bounds.max));
    }
    QStringList literals;
    for (const int number : std::as_const(target))
        literals.append(QString::number(number));
    m_state->note(path, u'[' + literals.join(u", ") + u']');
}

void Section::read(const char* key, bool& target)
{
    const QString path = pathOf(QString::fromLatin1(key));
    if (const Entry* entry = m_state->find(path)) {
        if (entry->kind == Kind::Boolean)
            target = entry->boolean;
        else if (entry->isLoose && (entry->text == u"true" || entry->text == u"false"))
            target = entry->text == u"true";
        else
            m_state->refuse(*entry, path, QStringLiteral("must be true or false."));
    }
    m_state->note(path, target ? QStringLiteral("true") : QStringLiteral("false"));
}

void Section::read(const char* key, qint64& target, Bounds bounds)
{
    const QString path = pathOf(QString::fromLatin1(key));
    if (const Entry* entry = m_state->find(path)) {
        bool isNumber = entry->kind == Kind::Integer;
        const qint64 value = entry->isLoose ? entry->text.toLongLong(&isNumber) : entry->integer;
        if (!isNumber)
            m_state->refuse(*entry, path, QStringLiteral("must be a whole number."));
        else if (value < bounds.min || value > bounds.max)
            m_state->refuse(*entry, path, QStringLiteral("must be from %1 to %2.").arg(bounds.min).arg(bounds.max));
        else
            target = value;
    }
    m_state->note(path, QString::number(target));
}

void Section::read(const char* key, int& target, Bounds bounds)
{
    qint64 value = target;
    read(key, value,
         {std::max<qint64>(bounds.min, std::numeric_limits<int>::min()),
          std::min<qint64>(bounds.max, std::numeric_limits<int>::max())});
    target = static_cast<int>(value);
}

Section Section::section(const QString& key)
{
    const QString path = pathOf(key);
    if (const Entry* entry = m_state->find(path); entry && entry->kind != Kind::Table)
        m_state->refuse(*entry, path, QStringLiteral("must be a table: [%1].").arg(path));
    return Section(m_state, path);
}

QStringList Section::names() const
{
    QStringList names;
    const QString prefix = m_path.isEmpty() ? QString() : m_path + u'.';
    for (const auto& [path, entry] : m_state->entries.asKeyValueRange()) {
        if (!path.startsWith(prefix)) continue;
        const qsizetype dot = path.indexOf(u'.', prefix.size());
        // [flavors.small] itself, or flavors.small.cpus that only a variable named.
        if (dot < 0 && entry.kind != Kind::Table) continue;
        const QString name = path.mid(prefix.size(), dot < 0 ? -1 : dot - prefix.size());
        if (!names.contains(name)) names.append(name);
    }
    return names;
}

void Section::refuse(const char* key, const QString& why)
{
    const QString path = pathOf(QString::fromLatin1(key));
    if (const Entry* entry = m_state->find(path))
        m_state->refuse(*entry, path, why);
    else
        m_state->problems.append(
            {kAfterTheFile, QStringLiteral("The configuration lacks a good value: \"%1\" %2").arg(path, why)});
}

Document::Document(std::unique_ptr<DocumentState> state) : m_state(std::move(state)) {}
Document::Document(Document&&) noexcept = default;
Document::~Document() = default;

Result<Document> Document::load(const QString& file)
{
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly))
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("Cannot read the configuration %1: %2.").arg(file, source.errorString()),
                    QStringLiteral("CONFIG_UNREADABLE"));
    const QByteArray toml = source.read(kFileBytesMax + 1);
    if (toml.size() > kFileBytesMax)
        return fail(ErrorCode::InvalidArgument, QStringLiteral("The configuration %1 is larger than 1 MiB.").arg(file),
                    QStringLiteral("CONFIG_UNREADABLE"));
    return parse(toml, file);
}

Result<Document> Document::parse(const QByteArray& toml, const QString& file)
{
    const toml::parse_result parsed = toml::parse(std::string_view(toml.constData(), static_cast<size_t>(toml.size())));
    if (!parsed)
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("%1:%2: %3")
                        .arg(file)
                        .arg(parsed.error().source().begin.line)
                        .arg(toText(parsed.error().description())),
                    QStringLiteral("CONFIG_SYNTAX"));
    auto state = std::make_unique<DocumentState>();
    state->flatten(parsed.table(), {}, file);
    return Document(std::move(state));
}

void Document::applyEnvironment(const QString& prefix, const QStringList& environment)
{
    for (const QString& variable : environment) {
        const qsizetype equals = variable.indexOf(u'=');
        const QString name = variable.left(equals);
        if (equals < 0 || !name.startsWith(prefix + QStringLiteral("__"))) continue;
        QString path = name.mid(prefix.size() + 2).toLower();
        path.replace(QStringLiteral("__"), QStringLiteral(".")).replace(u'_', u'-');
        set(path, variable.mid(equals + 1), name);
    }
}

void Document::set(const QString& path, const QString& value, const QString& flag)
{
    Entry entry;
    entry.kind = Kind::Text;
    entry.text = value;
    entry.place = flag;
    entry.isLoose = true;
    m_state->entries.insert(path, entry);
}

Result<void> Document::finish() const
{
    QList<Problem> problems = m_state->problems;
    for (const auto& [path, entry] : m_state->entries.asKeyValueRange())
        if (!entry.isUsed)
            problems.append(
                {entry.line, QStringLiteral("%1: \"%2\" is no key of this program; see --print-config for those "
                                            "there are.")
                                 .arg(entry.place, path)});
    if (problems.isEmpty()) return {};
    const auto first = std::ranges::min_element(problems, {}, &Problem::line);
    return fail(ErrorCode::InvalidArgument, first->text, QStringLiteral("CONFIG_INVALID"));
}

QByteArray Document::effective() const
{
    QMap<QString, QString> tables; // the root's own keys come first: its name is empty
    for (const auto& [path, literal] : std::as_const(m_state->effective)) {
        const qsizetype dot = path.lastIndexOf(u'.');
        tables[path.left(std::max<qsizetype>(dot, 0))] += QStringLiteral("%1 = %2\n").arg(path.mid(dot + 1), literal);
    }
    QString text;
    for (const auto& [table, lines] : tables.asKeyValueRange()) {
        if (!table.isEmpty()) text += QStringLiteral("\n[%1]\n").arg(table);
        text += lines;
    }
    return text.toUtf8();
}

} // namespace cocoonbox::config
