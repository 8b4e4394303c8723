// NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.
// Build it with `BUILD`.
#include <iostream>
#include <random>
#include <string>
#include <vector>

// Enough of JSON to read the messages. `field` returns the value under a name as it is written,
// whether a number, a text, a list or an object: field(match, "seat"); `items` the elements of a
// list. std::stoi(items(items(field(message, "heads"))[0])[1]) is the column of the first head.
std::string field(const std::string& object, const std::string& name);
std::vector<std::string> items(const std::string& list);

// Returns one of the actions. The message is a line of JSON with what this seat sees under
// "observation": `quintain games --schema GAME` describes it. `match` is the line that began the
// match, with "seat", "seats", "scenario" and "setting".
std::string choose(const std::string& message, const std::vector<std::string>& actions,
                   const std::string& match, std::mt19937_64& random) {
    return actions[random() % actions.size()];
}

// Returns where the value that begins at a place ends.
size_t end_of(const std::string& text, size_t at) {
    int depth = 0;
    bool quoted = false;
    for (; at < text.size(); at++) {
        char sign = text[at];
        if (quoted && sign == '\\') {
            at++;
        } else if (sign == '"') {
            quoted = !quoted;
        } else if (!quoted && (sign == '[' || sign == '{')) {
            depth++;
        } else if (!quoted && (sign == ']' || sign == '}' || (sign == ',' && depth == 0))) {
            if (depth == 0) break;
            depth--;
        }
    }
    return at;
}

std::string field(const std::string& object, const std::string& name) {
    size_t at = object.find("\"" + name + "\":");
    if (at == std::string::npos) return "";
    at += name.size() + 3;
    return object.substr(at, end_of(object, at) - at);
}

std::vector<std::string> items(const std::string& list) {
    std::vector<std::string> found;
    for (size_t at = 1, end; at + 1 < list.size(); at = end + 1) {
        end = end_of(list, at);
        found.push_back(list.substr(at, end - at));
    }
    return found;
}

// Returns the texts of a list, without their quotes.
std::vector<std::string> texts(const std::string& list) {
    std::vector<std::string> found = items(list);
    for (std::string& text : found) text = text.substr(1, text.size() - 2);
    return found;
}

int main() {
    std::string line, match;
    std::mt19937_64 random;
    while (std::getline(std::cin, line)) {
        std::string type = field(line, "type");
        if (type == "\"hello\"") {
            std::cout << R"({"type":"ready","name":"NAME","games":["GAME"],"protocol":2})" << std::endl;
        } else if (type == "\"start\"") {
            match = line;
            random.seed(std::stoull(field(line, "seed")));
        } else if (type == "\"turn\"") {
            std::string action = choose(line, texts(field(line, "actions")), match, random);
            std::cout << R"({"type":"action","action":")" << action << "\"}" << std::endl;
            // Standard output belongs to the protocol; for debugging, print to standard error:
            // std::cerr << action << std::endl;
        } else if (type == "\"bye\"") {
            break;
        }
    }
}
