// NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.
// Build it with `BUILD`.
#include <iostream>
#include <random>
#include <string>
#include <vector>

// Returns the value under a name in a line of JSON, as it is written there: field(match, "seat").
std::string field(const std::string& line, const std::string& name);

// Returns one of the actions. The message is a line of JSON with what this seat sees under
// "observation": `quintain games --schema GAME` describes it. `match` is the line that began the
// match, with "seat", "seats", "scenario" and "setting".
std::string choose(const std::string& message, const std::vector<std::string>& actions,
                   const std::string& match, std::mt19937_64& random) {
    return actions[random() % actions.size()];
}

// Returns the strings of the list under a name; this is enough of JSON for strings without quotes
// in them.
std::vector<std::string> texts(const std::string& line, const std::string& name) {
    std::vector<std::string> found;
    size_t at = line.find("\"" + name + "\":[") + name.size() + 4;
    while (line[at] == '"') {
        size_t end = line.find('"', at + 1);
        found.push_back(line.substr(at + 1, end - at - 1));
        at = end + 1 + (line[end + 1] == ',');
    }
    return found;
}

std::string field(const std::string& line, const std::string& name) {
    size_t at = line.find("\"" + name + "\":") + name.size() + 3;
    return line.substr(at, line.find_first_of(",}", at) - at);
}

int main() {
    std::string line, match;
    std::mt19937_64 random;
    while (std::getline(std::cin, line)) {
        std::string type = field(line, "type");
        if (type == "\"hello\"") {
            std::cout << R"({"type":"ready","name":"NAME","games":["GAME"]})" << std::endl;
        } else if (type == "\"start\"") {
            match = line;
            random.seed(std::stoull(field(line, "seed")));
        } else if (type == "\"turn\"") {
            std::string action = choose(line, texts(line, "actions"), match, random);
            std::cout << R"({"type":"action","action":")" << action << "\"}" << std::endl;
            // Standard output belongs to the protocol; for debugging, print to standard error:
            // std::cerr << action << std::endl;
        } else if (type == "\"bye\"") {
            break;
        }
    }
}
