// A player that takes the first action that the game offers.
#include <iostream>
#include <string>

int main() {
    std::string line;
    const std::string key = "\"actions\":[\"";
    while (std::getline(std::cin, line)) {
        if (line.find("\"type\":\"hello\"") != std::string::npos) {
            std::cout << R"({"type":"ready","name":"first"})" << std::endl;
        } else if (line.find("\"type\":\"turn\"") != std::string::npos) {
            size_t begin = line.find(key) + key.size();
            std::string action = line.substr(begin, line.find('"', begin) - begin);
            std::cout << R"({"type":"action","action":")" << action << "\"}" << std::endl;
        } else if (line.find("\"type\":\"bye\"") != std::string::npos) {
            break;
        }
    }
}
