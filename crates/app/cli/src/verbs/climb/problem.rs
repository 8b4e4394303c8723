//! What the check or the build of a program said, in one line and in a few.

/// The most lines about what keeps a program from playing.
const LINES: usize = 16;

/// What keeps a program from playing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Problem {
    /// The first thing that is wrong, and the last line of what was said about it.
    pub(super) line: String,
    /// The end of what was said about it, such as its standard error.
    pub(super) details: String,
}

impl Problem {
    /// Reads what a check or a build printed.
    pub(super) fn of(said: &str) -> Problem {
        let lines = || said.lines().map(|line| line.trim().trim_start_matches(['|', ' ']));
        let is_finding = |line: &&str| line.starts_with("BAD ");
        let first = lines().find(is_finding).or_else(|| lines().find(|line| !line.is_empty()));
        let Some(first) = first else {
            return Problem { line: "it cannot play".to_owned(), details: String::new() };
        };
        // The same lines as they are indented: programs in Python depend on that.
        let raw = said.lines().map(|line| match line.trim_start().strip_prefix("| ") {
            Some(rest) => rest.trim_end(),
            None => line.trim(),
        });
        let about = raw.zip(lines()).skip_while(|(_, line)| *line != first).skip(1);
        let about =
            about.take_while(|(_, line)| !is_finding(line) && !line.starts_with("on turn "));
        let about: Vec<(&str, &str)> =
            about.filter(|(_, line)| !line.is_empty() && !is_pointer(line)).collect();
        let first = first.trim_start_matches("BAD ").trim();
        let first = first.split("; see http").next().unwrap_or(first);
        let line = match about.last() {
            Some((_, last)) => format!("{first}; {last}"),
            None => first.to_owned(),
        };
        let from = about.len().saturating_sub(LINES);
        let details: Vec<&str> = about[from..].iter().map(|(raw, _)| *raw).collect();
        Problem { line, details: details.join("\n") }
    }
}

/// Whether a line of a check says where to read on, or what comes next.
fn is_pointer(line: &str) -> bool {
    line.starts_with("see http") || line == "the end of its standard error:"
}

#[cfg(test)]
mod tests {
    use super::Problem;

    #[test]
    fn why_a_program_cannot_play_is_one_line() {
        let said = "bot:mine@1f0c0000 is not ready to play\n\
                    BAD  tron:hackerrank as seat 0: crash: it ended with exit code 1\n  \
                    Traceback (most recent call last):\n    KeyError: 'board'\n  \
                    on turn 0, seed 1; to see it again, line by line:\n    quintain match …\n\
                    BAD  tron:hackerrank as seat 1:\n  the same\n";
        let expected = "tron:hackerrank as seat 0: crash: it ended with exit code 1; \
                        KeyError: 'board'";
        assert_eq!(Problem::of(said).line, expected);
        let built = "the build failed: make\n  | cc bot.c\n  | bot.c:3: error: expected ‘;’\n";
        let expected = "the build failed: make; bot.c:3: error: expected ‘;’";
        assert_eq!(Problem::of(built).line, expected);
        assert_eq!(Problem::of("no such file").line, "no such file");
    }

    #[test]
    fn standard_error_is_told_and_where_to_read_on_is_not() {
        let said = "bot:mine@1f0c0000 is not ready to play\n\
                    BAD  hello: crash: it ended with exit code 1\n     \
                    the end of its standard error:\n     \
                    |   File \"bot.py\", line 12\n     \
                    |     return actions[0\n     \
                    | SyntaxError: '[' was never closed\n     \
                    see https://example.org/docs/bots.md#when-a-program-fails\n";
        let problem = Problem::of(said);
        let line = "hello: crash: it ended with exit code 1; SyntaxError: '[' was never closed";
        assert_eq!(problem.line, line);
        let details = "  File \"bot.py\", line 12\n    return actions[0\n\
                       SyntaxError: '[' was never closed";
        assert_eq!(problem.details, details);
    }
}
