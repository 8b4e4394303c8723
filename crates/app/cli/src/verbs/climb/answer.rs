//! The files in a model's answer: blocks between fences, each with the name of its file behind the
//! opening fence or in the line above it.

use std::path::{Component, Path};

/// Signs that models put around the name of a file.
const DECORATION: [char; 12] = ['`', '*', '"', '\'', ':', ',', '(', ')', '[', ']', '#', '>'];
/// The most words of a line that is nothing but a title.
const TITLE: usize = 2;

/// A file of an answer: its name, and what it contains.
pub(super) type File = (String, String);

/// A block between fences.
struct Block<'a> {
    /// What stands behind the opening fence.
    info: &'a str,
    /// The last line with text before it.
    above: &'a str,
    lines: Vec<&'a str>,
    is_closed: bool,
}

/// Reads the files of an answer about a program that has these files. Blocks without a name are
/// no files.
pub(super) fn read_files(answer: &str, known: &[String]) -> Result<Vec<File>, String> {
    let mut files: Vec<File> = Vec::new();
    for block in blocks(answer) {
        if !block.is_closed {
            return Err("the answer was cut off; raise max_tokens".to_owned());
        }
        let Some(name) = file_name(&block, known) else { continue };
        let is_inside =
            Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside {
            return Err(format!("it names a file outside the program's folder: {name}"));
        }
        files.push((name, format!("{}\n", block.lines.join("\n"))));
    }
    match files.is_empty() {
        true => Err("its answer has no file: expected a block such as ```bot.py".to_owned()),
        false => Ok(files),
    }
}

fn blocks(answer: &str) -> Vec<Block<'_>> {
    let (mut found, mut above) = (Vec::new(), "");
    let mut lines = answer.lines();
    while let Some(line) = lines.next() {
        let Some((ticks, info)) = opening(line) else {
            above = if line.trim().is_empty() { above } else { line };
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let (mut content, mut is_closed) = (Vec::new(), false);
        for line in lines.by_ref() {
            if is_closing(line, ticks) {
                is_closed = true;
                break;
            }
            // A block in a list is indented as a whole.
            let own = line.len() - line.trim_start_matches(' ').len();
            content.push(&line[own.min(indent)..]);
        }
        found.push(Block { info, above, lines: content, is_closed });
        above = "";
    }
    found
}

/// The number of backticks of a line that opens a block, and what stands behind them.
fn opening(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let info = line.trim_start_matches('`');
    let ticks = line.len() - info.len();
    (ticks >= 3 && !info.contains('`')).then_some((ticks, info))
}

fn is_closing(line: &str, ticks: usize) -> bool {
    let line = line.trim();
    line.len() >= ticks && line.bytes().all(|byte| byte == b'`')
}

/// The file that a block is.
fn file_name(block: &Block<'_>, known: &[String]) -> Option<String> {
    let info = block.info.split_whitespace().last().unwrap_or_default();
    let info = plain(info.rsplit(['=', ':']).next().unwrap_or_default());
    if is_file(info, known) {
        return Some(info.to_owned());
    }
    // In a sentence the program's own files alone are files: “I use `random.choice`:”
    let words: Vec<&str> = block.above.split_whitespace().map(plain).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let last = *words.last()?;
    let is_known = known.iter().any(|file| file == last);
    (is_known || words.len() <= TITLE && is_file(last, known)).then(|| last.to_owned())
}

/// A name without the signs around it.
fn plain(word: &str) -> &str {
    let word = word.trim_matches(DECORATION);
    word.strip_prefix("./").unwrap_or(word)
}

fn is_file(word: &str, known: &[String]) -> bool {
    let has_ending =
        word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty());
    has_ending || word.contains('/') || known.iter().any(|file| file == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> Result<Vec<File>, String> {
        read_files(answer, &["bot.py".to_owned(), "Makefile".to_owned()])
    }

    #[test]
    fn a_file_is_named_behind_the_fence_or_in_the_line_above() {
        for before in [
            "```bot.py",
            "```python bot.py",
            "```python:bot.py",
            "```python title=\"bot.py\"",
            "````bot.py",
            "**bot.py**\n\n```python",
            "`bot.py`:\n```python",
            "### `bot.py`\n```",
            "File: bot.py\n```py",
            "1. **./bot.py:**\n\n  ```python",
            "Here is the new version of `bot.py`:\n\n```python",
        ] {
            let fence = if before.contains("````") { "````" } else { "```" };
            let answer = format!("I changed it.\n\n{before}\nx = 1\n{fence}\nDone.");
            let expected = Ok(vec![("bot.py".to_owned(), "x = 1\n".to_owned())]);
            assert_eq!(read(&answer), expected, "{before}");
        }
        let two = "```\nnot a file\n```\n```Makefile\nall:\n```\n**lib/new.py**\n```\ny\n```\n";
        let names: Vec<String> = read(two).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Makefile", "lib/new.py"]);
    }

    #[test]
    fn what_is_no_file_is_refused_with_the_reason() {
        for (answer, problem) in [
            ("Sorry, I can't help with that.", "its answer has no file"),
            ("```python\nx = 1\n```", "its answer has no file"),
            ("It calls `random.choice` once more:\n```python\nx\n```", "its answer has no file"),
            ("```../../evil.py\nx\n```", "outside the program's folder: ../../evil.py"),
            ("```/etc/x.py\nx\n```", "outside the program's folder: /etc/x.py"),
            ("```bot.py\nx = 1", "the answer was cut off; raise max_tokens"),
            ("```bot.py\nx\n```\n```lib.py\ny", "the answer was cut off; raise max_tokens"),
        ] {
            let refused = read(answer).unwrap_err();
            assert!(refused.contains(problem), "{answer}: {refused}");
        }
    }
}
