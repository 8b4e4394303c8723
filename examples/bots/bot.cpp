// A player of tron and hextris in C++: build it with `c++ -O2 -std=c++17 -o bot bot.cpp`.
#include <iostream>
#include <string>
#include <vector>
using Texts = std::vector<std::string>;

// The strings of a JSON list that follows a name; enough of JSON for this protocol.
Texts texts(const std::string& line, const std::string& name) {
    Texts found;
    size_t at = line.find("\"" + name + "\":[") + name.size() + 4;
    while (line[at] == '"') {
        size_t end = line.find('"', at + 1);
        found.push_back(line.substr(at + 1, end - at - 1));
        at = end + 1 + (line[end + 1] == ',');
    }
    return found;
}

// A field of a JSON line, as it is written there.
std::string field(const std::string& line, const std::string& name) {
    size_t at = line.find("\"" + name + "\":") + name.size() + 3;
    return line.substr(at, line.find_first_of(",}", at) - at);
}

// The cells that can be reached from a cell; they are filled in.
int room(Texts& board, int row, int column) {
    if (board[row][column] != ' ') return 0;
    board[row][column] = '#';
    return 1 + room(board, row - 1, column) + room(board, row, column + 1) +
           room(board, row + 1, column) + room(board, row, column - 1);
}

// The way to the largest room.
std::string tron(const std::string& line, int seat) {
    int row = 0, column = 0;
    const char* heads = line.c_str() + line.find("\"heads\":[") + 8;
    for (int at = 0; at <= seat; at++) {
        while (*heads < '0' || *heads > '9') heads++;
        row = std::stoi(heads);
        while (*heads != ',') heads++;
        column = std::stoi(++heads);
        while (*heads != ']') heads++;
    }
    const int down[] = {-1, 0, 1, 0}, right[] = {0, 1, 0, -1};
    int best = 0, most = -1;
    for (int way = 0; way < 4; way++) {
        Texts board = texts(line, "board");
        int cells = room(board, row + down[way], column + right[way]);
        if (cells > most) best = way, most = cells;
    }
    return std::string(1, "URDL"[best]);
}

// The longest way down.
std::string hextris(const std::string& line) {
    std::string best;
    for (const auto& action : texts(line, "actions"))
        if (action.size() > best.size()) best = action;
    return best;
}

int main() {
    std::string line, game;
    int seat = 0;
    while (std::getline(std::cin, line)) {
        std::string type = field(line, "type");
        if (type == "\"hello\"") {
            std::cout << R"({"type":"ready","name":"bot.cpp","games":["tron","hextris"]})" << std::endl;
        } else if (type == "\"start\"") {
            game = field(line, "game");
            seat = std::stoi(field(line, "seat"));
        } else if (type == "\"turn\"") {
            std::string action = game == "\"tron\"" ? tron(line, seat) : hextris(line);
            std::cout << R"({"type":"action","action":")" << action << "\"}" << std::endl;
        } else if (type == "\"bye\"") {
            return 0;
        }
    }
}
