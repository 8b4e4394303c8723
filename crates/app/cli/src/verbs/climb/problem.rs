//! What the check or the build of a program said, in one line.

/// What keeps a program from playing, in one line: the first thing that is wrong, and the last line
/// of what was said about it.
pub(super) fn in_one_line(said: &str) -> String {
    let lines = || said.lines().map(|line| line.trim().trim_start_matches(['|', ' ']));
    let is_finding = |line: &&str| line.starts_with("BAD ");
    let first = lines().find(is_finding).or_else(|| lines().find(|line| !line.is_empty()));
    let Some(first) = first else { return "it cannot play".to_owned() };
    let about = lines().skip_while(|line| *line != first).skip(1);
    let about = about.take_while(|line| !is_finding(line) && !line.starts_with("on turn "));
    match about.filter(|line| !line.is_empty()).last() {
        Some(last) => format!("{}; {last}", first.trim_start_matches("BAD ").trim()),
        None => first.trim_start_matches("BAD ").trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_one_line;

    #[test]
    fn why_a_program_cannot_play_is_one_line() {
        let said = "bot:mine@1f0c0000 is not ready to play\n\
                    BAD  tron:hackerrank as seat 0: crash: it ended with exit code 1\n  \
                    Traceback (most recent call last):\n    KeyError: 'board'\n  \
                    on turn 0, seed 1; to see it again, line by line:\n    quintain match …\n\
                    BAD  tron:hackerrank as seat 1:\n  the same\n";
        let expected = "tron:hackerrank as seat 0: crash: it ended with exit code 1; \
                        KeyError: 'board'";
        assert_eq!(in_one_line(said), expected);
        let built = "the build failed: make\n  | cc bot.c\n  | bot.c:3: error: expected ‘;’\n";
        let expected = "the build failed: make; bot.c:3: error: expected ‘;’";
        assert_eq!(in_one_line(built), expected);
        assert_eq!(in_one_line("no such file"), "no such file");
    }
}
