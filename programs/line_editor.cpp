#include "programs/line_editor.h"

#include "columns/string_text.h"
#include "programs/line_screen.h"
#include "programs/sql_colours.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

namespace basalt
{

namespace
{

constexpr int kEscapeWaitMs = 50; // for the rest of a key's sequence
constexpr size_t kMaxShownWords = 200;

enum Key : int
{
    kEnd = -1,
    kNone = -2,
    kUp = 0x110000, // beyond Unicode
    kDown,
    kLeft,
    kRight,
    kHome,
    kEndOfLine,
    kDelete,
    kWordLeft,
    kWordRight,
    kNewLine,
    kPaste,
    kDeleteWord,
};

constexpr int control(char c)
{
    return c & 31;
}

// The terminal gives every key at once, and tells a paste from typing.
class RawTerminal
{
public:
    RawTerminal()
    {
        tcgetattr(STDIN_FILENO, &before_);
        termios raw = before_;
        raw.c_iflag &= static_cast<tcflag_t>(~(BRKINT | ICRNL | INPCK | ISTRIP | IXON));
        raw.c_oflag &= static_cast<tcflag_t>(~OPOST);
        raw.c_lflag &= static_cast<tcflag_t>(~(ECHO | ICANON | IEXTEN | ISIG));
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
        write_out("\033[?2004h");
    }
    ~RawTerminal()
    {
        write_out("\033[?2004l");
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }

    static void write_out(std::string_view text)
    {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }

private:
    termios before_ = {};
};

class Keys
{
public:
    // A byte of text is itself.
    int next()
    {
        const int c = byte(-1);
        if (c != '\033')
            return c;
        const int second = byte(kEscapeWaitMs);
        if (second == kEnd)
            return kNone;
        if (second == '\r' || second == '\n')
            return kNewLine;
        if (second == 'b')
            return kWordLeft;
        if (second == 'f')
            return kWordRight;
        if (second == 127)
            return kDeleteWord;
        if (second != '[' && second != 'O')
            return kNone;
        std::string sequence;
        for (;;)
        {
            const int more = byte(kEscapeWaitMs);
            if (more == kEnd)
                return kNone;
            sequence += static_cast<char>(more);
            if ((more >= 'A' && more <= 'Z') || (more >= 'a' && more <= 'z') || more == '~')
                break;
            if (sequence.size() > 16)
                return kNone;
        }
        return key_of(sequence);
    }

    // Until the end of the paste.
    std::string pasted()
    {
        static constexpr std::string_view kMark = "\033[201~";
        std::string text;
        for (int c = byte(-1); c != kEnd; c = byte(-1))
        {
            text += static_cast<char>(c);
            if (text.ends_with(kMark))
            {
                text.resize(text.size() - kMark.size());
                break;
            }
            if (text.size() > kMaxStatementBytes)
                text.erase(0, text.size() / 2);
        }
        std::string lines;
        for (size_t i = 0; i < text.size(); ++i)
            if (text[i] != '\r')
                lines += text[i];
            else if (i + 1 == text.size() || text[i + 1] != '\n')
                lines += '\n';
        return lines;
    }

private:
    static int key_of(const std::string& sequence)
    {
        static constexpr std::pair<std::string_view, int> kKeys[] = {
            {"A", kUp}, {"B", kDown}, {"C", kRight}, {"D", kLeft}, {"H", kHome},
            {"F", kEndOfLine}, {"1~", kHome}, {"7~", kHome}, {"4~", kEndOfLine},
            {"8~", kEndOfLine}, {"3~", kDelete}, {"1;5C", kWordRight}, {"1;5D", kWordLeft},
            {"1;3C", kWordRight}, {"1;3D", kWordLeft}, {"200~", kPaste}};
        for (const auto& [text, key] : kKeys)
            if (sequence == text)
                return key;
        return kNone;
    }

    int byte(int wait_ms)
    {
        if (at_ == have_)
        {
            if (wait_ms >= 0)
            {
                pollfd one = {STDIN_FILENO, POLLIN, 0};
                if (poll(&one, 1, wait_ms) <= 0)
                    return kEnd;
            }
            ssize_t n;
            do
                n = ::read(STDIN_FILENO, bytes_, sizeof bytes_);
            while (n < 0 && errno == EINTR);
            if (n <= 0)
                return kEnd;
            at_ = 0;
            have_ = static_cast<size_t>(n);
        }
        return static_cast<unsigned char>(bytes_[at_++]);
    }

    char bytes_[4096];
    size_t at_ = 0, have_ = 0;
};

bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80);
}

} // namespace

struct LineEditor::Impl
{
    explicit Impl(LineEditorOptions given)
        : options(std::move(given)), history(options.history_path)
    {
    }

    LineEditorOptions options;
    HistoryFile history;
    Keys keys;
    LineScreen screen;
    std::string prompt, continuation;
    std::string text, killed, unsent; // unsent: what was typed before going through the history
    size_t cursor = 0, place = 0;     // place: in the history
    std::vector<std::string> words;
    bool learnt = false, listed = false;

    void paint() { screen.paint(prompt, continuation, text, colours_of(text), cursor); }

    void insert(std::string_view bytes)
    {
        if (text.size() + bytes.size() > kMaxStatementBytes)
            return;
        text.insert(cursor, bytes);
        cursor += bytes.size();
    }

    void erase(size_t begin, size_t end, bool keep = false)
    {
        if (keep)
            killed = text.substr(begin, end - begin);
        text.erase(begin, end - begin);
        cursor = begin;
    }

    size_t line_begin() const
    {
        const size_t end = cursor == 0 ? std::string::npos : text.rfind('\n', cursor - 1);
        return end == std::string::npos ? 0 : end + 1;
    }
    size_t line_end() const { return std::min(text.find('\n', cursor), text.size()); }

    size_t word_left() const
    {
        size_t at = cursor;
        while (at > 0 && !is_word_byte(text[at - 1]))
            --at;
        while (at > 0 && is_word_byte(text[at - 1]))
            --at;
        return at;
    }
    size_t word_right() const
    {
        size_t at = cursor;
        while (at < text.size() && !is_word_byte(text[at]))
            ++at;
        while (at < text.size() && is_word_byte(text[at]))
            ++at;
        return at;
    }

    void go(bool up)
    {
        const size_t begin = line_begin(), end = line_end();
        if (up ? begin > 0 : end < text.size())
        {
            // The same place in the line above or below.
            const size_t column = cursor - begin;
            cursor = up ? begin - 1 : end + 1;
            const size_t other = line_begin();
            cursor = std::min(other + column, line_end());
            while (cursor > other && cursor < text.size() && (text[cursor] & 0xC0) == 0x80)
                --cursor;
            return;
        }
        const auto& entries = history.entries();
        if (up ? place == 0 : place >= entries.size())
            return;
        if (place == entries.size())
            unsent = text;
        place = up ? place - 1 : place + 1;
        text = place == entries.size() ? unsent : entries[place];
        cursor = text.size();
    }

    void complete()
    {
        if (!learnt)
        {
            learnt = true;
            words = options.words();
            std::sort(words.begin(), words.end());
            words.erase(std::unique(words.begin(), words.end()), words.end());
        }
        size_t begin = cursor;
        while (begin > 0 && is_word_byte(text[begin - 1]))
            --begin;
        const std::string prefix = text.substr(begin, cursor - begin);
        std::vector<std::string> found;
        for (const auto& word : words)
            if (word.size() >= prefix.size() &&
                strncasecmp(word.c_str(), prefix.c_str(), prefix.size()) == 0)
                found.push_back(word);
        if (prefix.empty() || found.empty())
            return;
        std::string common = found[0];
        for (const auto& word : found)
        {
            size_t same = 0;
            while (same < common.size() && same < word.size() &&
                   strncasecmp(&common[same], &word[same], 1) == 0)
                ++same;
            common.resize(same);
        }
        if (found.size() == 1)
            common += ' ';
        if (common.size() > prefix.size())
        {
            erase(begin, cursor);
            insert(common);
            listed = false;
            return;
        }
        if (listed)
            list(found);
        listed = !listed;
    }

    void list(const std::vector<std::string>& found)
    {
        screen.leave();
        size_t widest = 0;
        for (const auto& word : found)
            widest = std::max(widest, word.size());
        const size_t columns = std::max<size_t>(1, 80 / (widest + 2));
        std::string out;
        for (size_t i = 0; i < found.size() && i < kMaxShownWords; ++i)
        {
            out += found[i];
            if (i % columns + 1 == columns)
                out += "\r\n";
            else
                out += std::string(widest + 2 - found[i].size(), ' ');
        }
        if (found.size() > kMaxShownWords)
            out += "… and " + std::to_string(found.size() - kMaxShownWords) + " more";
        RawTerminal::write_out(out + "\r\n");
    }

    // Ctrl-R: the newest entry that holds what is typed.
    void search()
    {
        std::string wanted;
        size_t from = history.entries().size();
        const std::string before = text;
        const size_t before_cursor = cursor;
        for (;;)
        {
            size_t at = from;
            while (at > 0 && history.entries()[at - 1].find(wanted) == std::string::npos)
                --at;
            if (at > 0 && !wanted.empty())
            {
                text = history.entries()[at - 1];
                cursor = text.find(wanted);
            }
            screen.paint("(search) " + wanted + ": ", "", text, colours_of(text), cursor);
            const int key = keys.next();
            if (key == control('R'))
                from = at > 0 ? at - 1 : 0;
            else if (key == 127 || key == 8)
            {
                wanted.resize(wanted.size() - character_before(wanted, wanted.size()));
                from = history.entries().size();
            }
            else if (key == control('C') || key == control('G') || key == kEnd)
            {
                text = before;
                cursor = before_cursor;
                return;
            }
            else if (key >= ' ' && key < 256)
                wanted += static_cast<char>(key);
            else
                return; // it is edited
        }
    }

    enum class Outcome
    {
        Goes,
        Sent,
        Dropped,
        Over,
    };

    Outcome press(int key)
    {
        if (key != '\t')
            listed = false;
        switch (key)
        {
        case kEnd:
            return Outcome::Over;
        case '\r':
        case '\n':
            if (options.is_complete(text))
                return Outcome::Sent;
            // A backslash at the end only says that there is more.
            if (cursor == text.size() && text.ends_with('\\'))
                erase(text.size() - 1, text.size());
            insert("\n");
            break;
        case kNewLine:
            insert("\n");
            break;
        case control('C'):
            return Outcome::Dropped;
        case control('D'):
            if (text.empty())
                return Outcome::Over;
            [[fallthrough]];
        case kDelete:
            erase(cursor, cursor + character_after(text, cursor));
            break;
        case 127:
        case 8:
            erase(cursor - character_before(text, cursor), cursor);
            break;
        case '\t':
            complete();
            break;
        case kLeft:
        case control('B'):
            cursor -= character_before(text, cursor);
            break;
        case kRight:
        case control('F'):
            cursor += character_after(text, cursor);
            break;
        case kUp:
        case control('P'):
            go(true);
            break;
        case kDown:
        case control('N'):
            go(false);
            break;
        case kHome:
        case control('A'):
            cursor = line_begin();
            break;
        case kEndOfLine:
        case control('E'):
            cursor = line_end();
            break;
        case kWordLeft:
            cursor = word_left();
            break;
        case kWordRight:
            cursor = word_right();
            break;
        case control('W'):
        case kDeleteWord:
            erase(word_left(), cursor, true);
            break;
        case control('U'):
            erase(line_begin(), cursor, true);
            break;
        case control('K'):
            erase(cursor, cursor == line_end() && cursor < text.size() ? cursor + 1 : line_end(),
                  true);
            break;
        case control('Y'):
            insert(killed);
            break;
        case control('L'):
            RawTerminal::write_out("\033[H\033[2J");
            screen.forget();
            break;
        case control('R'):
            search();
            break;
        case kPaste:
            insert(keys.pasted());
            break;
        default:
            if (key >= ' ' && key < 256)
            {
                const char c = static_cast<char>(key);
                insert({&c, 1});
            }
        }
        return Outcome::Goes;
    }
};

LineEditor::LineEditor(LineEditorOptions options)
    : impl_(std::make_unique<Impl>(std::move(options)))
{
}

LineEditor::~LineEditor() = default;

std::optional<std::string> LineEditor::read(const std::string& prompt)
{
    Impl& impl = *impl_;
    impl.prompt = prompt;
    const size_t width = text_width(prompt);
    impl.continuation =
        width > 4 ? std::string(width - 4, ' ') + ":-] " : std::string(width, ' ');
    impl.text.clear();
    impl.cursor = 0;
    impl.place = impl.history.entries().size();
    std::fflush(stdout);
    const RawTerminal raw;
    impl.screen.forget();
    impl.paint();
    for (;;)
    {
        switch (impl.press(impl.keys.next()))
        {
        case Impl::Outcome::Goes:
            impl.paint();
            break;
        case Impl::Outcome::Sent:
            impl.cursor = impl.text.size();
            impl.paint();
            impl.screen.leave();
            return impl.text;
        case Impl::Outcome::Dropped:
            impl.cursor = impl.text.size();
            impl.paint();
            RawTerminal::write_out("^C");
            impl.screen.leave();
            impl.text.clear();
            impl.cursor = 0;
            impl.place = impl.history.entries().size();
            impl.paint();
            break;
        case Impl::Outcome::Over:
            impl.screen.leave();
            return std::nullopt;
        }
    }
}

void LineEditor::remember(const std::string& statement)
{
    impl_->history.add(statement);
}

std::string usual_history_path()
{
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.basalt-client-history" : "";
}

} // namespace basalt
