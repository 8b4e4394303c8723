//! Programs that are alike, for the organiser alone: equal files, and code in common found by
//! winnowing over tokens (Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document
//! Fingerprinting", SIGMOD 2003). Names, numbers, texts and comments do not count, so renaming
//! hides nothing. What the starter kits have, and what many have in common, is left out.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::archive::Tree;
use crate::contest::Contest;
use crate::error::HostError;
use crate::kit::Kit;
use crate::program;
use crate::state::{Stage, Version};

/// Tokens in a piece that is compared; shorter ones are alike by chance.
const PIECE: usize = 12;
/// Pieces in a window of which one is a fingerprint: so whatever has `PIECE + WINDOW - 1` tokens in
/// common is found.
const WINDOW: usize = 8;
/// Fingerprints that a pair must share, and the share of the smaller program's.
const MIN_SHARED: usize = 10;
const MIN_SHARE: f64 = 0.3;
/// Fingerprints in more programs than this, or a fifth of all, are common knowledge.
const COMMON: usize = 4;
/// Maximum size in bytes of a program's code that is compared, and of the code of all programs.
const MAX_CODE: usize = 1 << 20;
const MAX_ALL_CODE: usize = 256 << 20;
/// Maximum number of fingerprints of all programs.
const MAX_ALL_PRINTS: usize = 4_000_000;
/// Maximum number of pairs.
const MAX_PAIRS: usize = 50;

/// How much of a program is compared: code in bytes, and fingerprints.
#[derive(Clone, Copy, Debug)]
struct Limits {
    code: usize,
    prints: usize,
}

impl Limits {
    /// Returns the limits of each of so many programs. They are the same for all, so that nobody's
    /// large program takes the place of another one.
    fn of_each(programs: usize) -> Limits {
        let programs = programs.max(1);
        Limits { code: (MAX_ALL_CODE / programs).min(MAX_CODE), prints: MAX_ALL_PRINTS / programs }
    }
}

/// Endings of the names of files with code, and whether `#` begins a comment there.
const CODE: [(&str, bool); 17] = [
    ("py", true),
    ("sh", true),
    ("rb", true),
    ("js", false),
    ("mjs", false),
    ("ts", false),
    ("c", false),
    ("h", false),
    ("cc", false),
    ("cpp", false),
    ("hpp", false),
    ("java", false),
    ("rs", false),
    ("go", false),
    ("zig", false),
    ("kt", false),
    ("cs", false),
];

/// Words that say what code does, in any language; all others are names.
const KEYWORDS: [&str; 42] = [
    "if",
    "else",
    "elif",
    "for",
    "while",
    "loop",
    "do",
    "return",
    "yield",
    "def",
    "fn",
    "func",
    "function",
    "class",
    "struct",
    "enum",
    "impl",
    "trait",
    "interface",
    "import",
    "from",
    "use",
    "in",
    "is",
    "not",
    "and",
    "or",
    "break",
    "continue",
    "switch",
    "case",
    "match",
    "try",
    "except",
    "catch",
    "finally",
    "throw",
    "raise",
    "new",
    "lambda",
    "with",
    "async",
];

/// A token: what it is, and its line from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Token {
    code: u64,
    line: usize,
}

fn hash(values: impl IntoIterator<Item = u64>) -> u64 {
    // FNV-1a over whole words.
    values.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}

fn code_of(word: &str) -> u64 {
    hash(word.bytes().map(u64::from))
}

/// Splits code into tokens.
fn tokens(text: &str, has_hash_comments: bool) -> Vec<Token> {
    let (mut tokens, mut line, mut rest) = (Vec::new(), 0, text);
    let mut unclosed = HashMap::new();
    while let Some(first) = rest.chars().next() {
        let (length, token) = match first {
            _ if first.is_whitespace() => (first.len_utf8(), None),
            '#' if has_hash_comments => (until(rest, "\n"), None),
            '/' if !has_hash_comments && rest.starts_with("//") => (until(rest, "\n"), None),
            '/' if !has_hash_comments && rest.starts_with("/*") => (past(rest, 2, "*/"), None),
            '"' | '\'' | '`' => {
                let at = text.len() - rest.len();
                let is_alone = unclosed.get(&first).is_some_and(|end| at < *end);
                let length = match is_alone {
                    true => 1,
                    false => length_of_text(rest, first).unwrap_or_else(|end| {
                        unclosed.insert(first, at + end);
                        1
                    }),
                };
                (length, Some("\""))
            }
            _ if first.is_ascii_digit() => {
                (length_of(rest, |c| c.is_alphanumeric() || c == '.' || c == '_'), Some("0"))
            }
            _ if first.is_alphabetic() || first == '_' => {
                let length = length_of(rest, |c| c.is_alphanumeric() || c == '_');
                let word = &rest[..length];
                (length, Some(if KEYWORDS.contains(&word) { word } else { "name" }))
            }
            _ => (first.len_utf8(), Some(&rest[..first.len_utf8()])),
        };
        tokens.extend(token.map(|word| Token { code: code_of(word), line }));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn length_of(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !is_part(c)).unwrap_or(text.len())
}

/// Returns where `end` begins.
fn until(text: &str, end: &str) -> usize {
    text.find(end).unwrap_or(text.len())
}

/// Returns where what begins with `skipped` bytes is past `end`.
fn past(text: &str, skipped: usize, end: &str) -> usize {
    text[skipped..].find(end).map_or(text.len(), |at| skipped + at + end.len())
}

/// Returns the length of a text in quotes. One that is not closed in its line is only a quote; then
/// returns where that is certain, as an error: no such quote before is closed either, so that none
/// of a million is looked at again from each of the others.
fn length_of_text(text: &str, quote: char) -> Result<usize, usize> {
    let triple = [quote; 3].iter().collect::<String>();
    if text.starts_with(&triple) {
        return Ok(past(text, 3, &triple));
    }
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' if quote != '`' => return Err(at),
            _ if c == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(text.len())
}

/// A piece of code: its hash, and its first and last line.
type Piece = (u64, usize, usize);

fn pieces(tokens: &[Token]) -> Vec<Piece> {
    let piece = |tokens: &[Token]| {
        let lines = (tokens[0].line, tokens[PIECE - 1].line);
        (hash(tokens.iter().map(|token| token.code)), lines.0, lines.1)
    };
    tokens.windows(PIECE).map(piece).collect()
}

/// Chooses fingerprints: the least piece of each window, the last of equal ones.
fn winnow(pieces: &[Piece]) -> Vec<Piece> {
    let mut chosen: Vec<usize> = Vec::new();
    let last = pieces.len().saturating_sub(WINDOW);
    for begin in 0..=last {
        let window = begin..pieces.len().min(begin + WINDOW);
        let least = window.min_by_key(|at| (pieces[*at].0, std::cmp::Reverse(*at)));
        if let Some(least) = least.filter(|least| chosen.last() != Some(least)) {
            chosen.push(least);
        }
    }
    chosen.into_iter().map(|at| pieces[at]).collect()
}

/// Returns the files with code of a tree, each with its text and whether `#` begins a comment: the
/// first of them, up to `most` bytes in all.
fn code_files(tree: &Tree, most: usize) -> impl Iterator<Item = (&str, &str, bool)> {
    let mut left = most;
    tree.files().iter().filter_map(move |(path, file)| {
        let ending = path.rsplit_once('.')?.1;
        let (_, has_hash) = CODE.iter().find(|(known, _)| *known == ending)?;
        let text = std::str::from_utf8(&file.bytes).ok()?;
        left = left.checked_sub(text.len())?;
        Some((path.as_str(), text, *has_hash))
    })
}

/// Returns whether all code of a tree is compared.
fn is_compared_whole(tree: &Tree, most: usize) -> bool {
    code_files(tree, usize::MAX).map(|(_, text, _)| text.len()).sum::<usize>() <= most
}

/// Pieces of a program by their hashes, in their order.
#[derive(Default)]
struct Prints(Vec<u64>);

impl Prints {
    /// Returns the fingerprints of a program.
    fn of(tree: &Tree, left_out: &HashSet<u64>, most: usize) -> Prints {
        Prints::chosen(tree, left_out, most, winnow)
    }

    fn chosen(
        tree: &Tree,
        left_out: &HashSet<u64>,
        most: usize,
        choose: fn(&[Piece]) -> Vec<Piece>,
    ) -> Prints {
        let mut prints = Vec::new();
        for (_, text, has_hash) in code_files(tree, most) {
            let chosen = choose(&pieces(&tokens(text, has_hash)));
            let hashes = chosen.into_iter().map(|(hash, ..)| hash);
            prints.extend(hashes.filter(|hash| !left_out.contains(hash)));
        }
        prints.sort_unstable();
        prints.dedup();
        Prints(prints)
    }

    fn has(&self, hash: u64) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    fn shared(&self, other: &Prints) -> usize {
        let (mut count, mut theirs) = (0, other.0.iter().peekable());
        for own in &self.0 {
            while theirs.next_if(|hash| *hash < own).is_some() {}
            count += usize::from(theirs.next_if_eq(&own).is_some());
        }
        count
    }

    /// Keeps the least, which are the same ones in every program that has them; returns whether
    /// those were all.
    fn thin(&mut self, most: usize) -> bool {
        let are_all = self.0.len() <= most;
        self.0.truncate(most);
        are_all
    }
}

/// What files with code are like, whatever their comments, names, numbers and texts are.
type Forms = BTreeSet<u64>;

fn form_of(text: &str, has_hash: bool) -> u64 {
    hash(tokens(text, has_hash).iter().map(|token| token.code))
}

/// Returns the forms of all files of the kits.
fn forms_of_kits(kits: &[Kit]) -> Forms {
    let files = kits.iter().flat_map(|kit| &kit.files);
    let form = |(path, text): &(String, String)| {
        let ending = path.rsplit_once('.')?.1;
        let (_, has_hash) = CODE.iter().find(|(known, _)| *known == ending)?;
        Some(form_of(text, *has_hash))
    };
    files.filter_map(form).collect()
}

/// Returns the forms of a program's own files: not those of a kit, nor files that say nothing.
fn own_forms(tree: &Tree, of_kits: &Forms, most: usize) -> Forms {
    let form = |(_, text, has_hash): (&str, &str, bool)| {
        let tokens = tokens(text, has_hash);
        (tokens.len() >= PIECE).then(|| hash(tokens.iter().map(|token| token.code)))
    };
    let forms = code_files(tree, most).filter_map(form);
    forms.filter(|form| !of_kits.contains(form)).collect()
}

/// Returns all pieces of the kits' code.
fn pieces_of_kits(kits: &[Kit]) -> HashSet<u64> {
    let mut all = HashSet::new();
    for (path, text) in kits.iter().flat_map(|kit| &kit.files) {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        if let Some((_, has_hash)) = CODE.iter().find(|(known, _)| *known == ending) {
            all.extend(pieces(&tokens(text, *has_hash)).into_iter().map(|(hash, ..)| hash));
        }
    }
    all
}

/// Programs that are a starter kit and nothing else.
pub(crate) struct Starters {
    /// All of them have the same files.
    pub(crate) versions: Vec<Version>,
    /// Whether no letter differs from the kit; else names, numbers, texts or comments do.
    pub(crate) is_unchanged: bool,
}

/// What is found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) starters: Vec<Starters>,
    /// Programs of which only a part was compared, since they have too much code.
    pub(crate) partial: Vec<Version>,
}

/// Two programs that are alike.
pub(crate) struct Pair {
    pub(crate) first: Version,
    pub(crate) second: Version,
    /// The share of the smaller program's fingerprints that both have.
    pub(crate) share: f64,
    pub(crate) likeness: Likeness,
}

/// How two programs are alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Likeness {
    /// They have pieces of code in common.
    Pieces,
    /// All files of one are also files of the other, but for comments, names, numbers and texts.
    SameButForNames,
    SameFiles,
}

/// A program that is compared.
struct Compared {
    version: Version,
    prints: Prints,
    forms: Forms,
    starter: Option<IsStarter>,
    is_whole: bool,
}

/// What a program is of which nothing is its author's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct IsStarter {
    is_unchanged: bool,
}

/// Returns what a program is whose own forms are these, if it has code and all of it is a kit's.
fn starter_of(tree: &Tree, own: &Forms, kits: &[Kit], most: usize) -> Option<IsStarter> {
    let mut code =
        code_files(tree, most).filter(|(_, text, has_hash)| tokens(text, *has_hash).len() >= PIECE);
    if !own.is_empty() || code.next().is_none() {
        return None;
    }
    let mut texts = code_files(tree, most).map(|(_, text, _)| text);
    let is_known = |text: &str| kits.iter().flat_map(|kit| &kit.files).any(|(_, own)| own == text);
    let is_unchanged = texts.all(is_known);
    Some(IsStarter { is_unchanged })
}

impl Compared {
    /// Returns how it is like another one, if whole programs are.
    fn likeness(&self, other: &Compared) -> Option<Likeness> {
        if self.forms.is_empty() || other.forms.is_empty() {
            return None;
        }
        match () {
            () if self.version.digest == other.version.digest => Some(Likeness::SameFiles),
            () if self.forms.is_subset(&other.forms) || other.forms.is_subset(&self.forms) => {
                Some(Likeness::SameButForNames)
            }
            () => None,
        }
    }
}

/// Returns the version by which a participant is compared: the one on the ladder, or else the
/// latest with files.
fn compared_versions(contest: &Contest) -> Result<Vec<Version>, HostError> {
    let state = contest.read_state();
    let mut compared = Vec::new();
    for who in state.participants()?.into_iter().filter(|who| !who.is_house) {
        let mut versions = state.versions_of(who.id)?;
        versions.retain(|version| version.stage != Stage::Removed);
        let active = versions.iter().position(|version| who.active == Some(version.id));
        if !versions.is_empty() {
            compared.push(versions.swap_remove(active.unwrap_or(0)));
        }
    }
    Ok(compared)
}

/// Finds the pairs of programs that are alike, the most alike first.
pub(crate) fn find(contest: &Contest, kits: &[Kit]) -> Result<Found, HostError> {
    let (left_out, of_kits) = (pieces_of_kits(kits), forms_of_kits(kits));
    let mut all: Vec<Compared> = Vec::new();
    let versions = compared_versions(contest)?;
    let Limits { code, prints: most } = Limits::of_each(versions.len());
    for version in versions {
        // Files that cannot be read are alike to none.
        let tree = program::read_kept(&contest.folder, &version.digest).unwrap_or_default();
        let mut prints = Prints::of(&tree, &left_out, code);
        let forms = own_forms(&tree, &of_kits, code);
        let starter = starter_of(&tree, &forms, kits, code);
        let is_whole = prints.thin(most) && is_compared_whole(&tree, code);
        all.push(Compared { version, prints, forms, starter, is_whole });
    }
    let starters = group_starters(&all);
    let partial = all.iter().filter(|of| !of.is_whole).map(|of| of.version.clone()).collect();
    Ok(Found { pairs: find_pairs(all), starters, partial })
}

/// Groups the programs that are a starter kit by their files, the largest group first.
fn group_starters(all: &[Compared]) -> Vec<Starters> {
    let mut groups: Vec<Starters> = Vec::new();
    for Compared { version, starter, .. } in all {
        let Some(IsStarter { is_unchanged }) = *starter else { continue };
        match groups.iter_mut().find(|group| group.versions[0].digest == version.digest) {
            Some(group) => group.versions.push(version.clone()),
            None => groups.push(Starters { versions: vec![version.clone()], is_unchanged }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.versions.len()));
    groups
}

/// Finds the pairs. Whole programs that are alike are all among them, of others the most alike.
fn find_pairs(mut all: Vec<Compared>) -> Vec<Pair> {
    leave_out_common(&mut all);
    let mut pairs = Vec::new();
    for (at, first) in all.iter().enumerate() {
        for second in &all[at + 1..] {
            let smaller = first.prints.0.len().min(second.prints.0.len());
            let shared = first.prints.shared(&second.prints);
            let share = shared as f64 / smaller.max(1) as f64;
            let is_alike = shared >= MIN_SHARED && share >= MIN_SHARE;
            let whole = first.likeness(second);
            if let Some(likeness) = whole.or(is_alike.then_some(Likeness::Pieces)) {
                let (first, second) = (first.version.clone(), second.version.clone());
                pairs.push(Pair { first, second, share, likeness });
            }
        }
    }
    let order = |pair: &Pair| (pair.likeness != Likeness::Pieces, pair.share);
    pairs.sort_by(|one, other| {
        let ((one_whole, one), (other_whole, other)) = (order(one), order(other));
        other_whole.cmp(&one_whole).then(other.total_cmp(&one))
    });
    let whole = pairs.iter().filter(|pair| pair.likeness != Likeness::Pieces).count();
    pairs.truncate(whole.max(MAX_PAIRS));
    pairs
}

/// Leaves out what many programs have, such as code of the course.
fn leave_out_common(all: &mut [Compared]) {
    let most = COMMON.max(all.len() / 5);
    // Copies of one program, under whatever names, are one program, however many there are.
    let mut programs: HashMap<&Forms, usize> = HashMap::new();
    let mut prints: Vec<(u64, usize)> = Vec::new();
    for of in all.iter() {
        let next = programs.len();
        let program = *programs.entry(&of.forms).or_insert(next);
        prints.extend(of.prints.0.iter().map(|hash| (*hash, program)));
    }
    prints.sort_unstable();
    prints.dedup();
    let of_one_hash = prints.chunk_by(|(one, _), (other, _)| one == other);
    let common = of_one_hash.filter(|of| of.len() > most).map(|of| of[0].0).collect();
    let common = Prints(common);
    for of in all {
        of.prints.0.retain(|hash| !common.has(*hash));
    }
}

/// A file of a program, with its lines and whether each is also in the other program.
pub(crate) struct MarkedFile {
    pub(crate) path: String,
    pub(crate) lines: Vec<(String, bool)>,
}

/// Returns the code of two versions, with the lines that they have in common.
pub(crate) fn side_by_side(
    contest: &Contest,
    kits: &[Kit],
    versions: [&Version; 2],
) -> [Vec<MarkedFile>; 2] {
    let left_out = pieces_of_kits(kits);
    let trees = versions
        .map(|version| program::read_kept(&contest.folder, &version.digest).unwrap_or_default());
    // All pieces, so that no line between two fingerprints is left unmarked.
    let [first, second] = [&trees[0], &trees[1]]
        .map(|tree| Prints::chosen(tree, &left_out, MAX_CODE, <[Piece]>::to_vec));
    [mark(&trees[0], &second), mark(&trees[1], &first)]
}

/// Marks the lines of the pieces that the other program has.
fn mark(tree: &Tree, other: &Prints) -> Vec<MarkedFile> {
    let marked = |(path, text, has_hash): (&str, &str, bool)| {
        let mut lines: Vec<(String, bool)> =
            text.lines().map(|line| (line.to_owned(), false)).collect();
        for (hash, first, last) in pieces(&tokens(text, has_hash)) {
            if other.has(hash) {
                lines[first..=last].iter_mut().for_each(|(_, is_marked)| *is_marked = true);
            }
        }
        MarkedFile { path: path.to_owned(), lines }
    };
    code_files(tree, MAX_CODE).map(marked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::TreeLimits;

    const ONE: &str = "\
def best(board, moves):
    # looks ahead
    top = None
    for move in moves:
        value = score(board.after(move), 3) + len(moves)
        if top is None or value > top[0]:
            top = (value, move)
    return top[1]

def score(board, depth):
    if depth == 0 or board.over:
        return board.free() - board.taken() * 2
    return max(-score(board.after(m), depth - 1) for m in board.moves())
";

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.add(path, false, text.as_bytes().to_vec(), TreeLimits::NONE).unwrap();
        }
        tree
    }

    fn prints(text: &str) -> Prints {
        Prints::of(&tree(&[("bot.py", text)]), &HashSet::new(), MAX_CODE)
    }

    /// Compares programs, each submitted by somebody else.
    fn compare(programs: &[&[(&str, &str)]]) -> Vec<(i64, i64, Likeness)> {
        let compared = programs.iter().enumerate().map(|(at, files)| {
            let tree = tree(files);
            Compared {
                version: Version {
                    id: at as i64,
                    participant: at as i64,
                    name: String::new(),
                    display_name: String::new(),
                    number: 1,
                    digest: format!("{files:?}"),
                    built: String::new(),
                    stage: Stage::Passed,
                    log: String::new(),
                    at: 0,
                    copy_of: None,
                    submitter: None,
                },
                prints: Prints::of(&tree, &HashSet::new(), MAX_CODE),
                forms: own_forms(&tree, &Forms::new(), MAX_CODE),
                starter: None,
                is_whole: true,
            }
        });
        let pairs = find_pairs(compared.collect());
        let mut found: Vec<(i64, i64, Likeness)> =
            pairs.iter().map(|pair| (pair.first.id, pair.second.id, pair.likeness)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_copy_with_another_comment_is_listed_although_many_share_its_parts() {
        // Each has all of the code, and something of its own: so it is common knowledge.
        let own = ["a[1](b)", "{c: d}", "e ** f % g", "h if i else j", "~k | l & m", "n @ o"];
        let own = own.map(|line| format!("{ONE}\nx = {line}\ny = [{line} for q in {line}]\n"));
        let copy = format!("# all my own work\n{}", own[0].replace("board", "field"));
        let mut programs: Vec<Vec<(&str, &str)>> =
            own.iter().map(|text| vec![("bot.py", text.as_str())]).collect();
        programs.push(vec![("main.py", &copy)]);
        let slices: Vec<&[(&str, &str)]> = programs.iter().map(Vec::as_slice).collect();
        assert_eq!(compare(&slices), [(0, 6, Likeness::SameButForNames)]);
        // One more file hides nothing, and equal files are said to be equal.
        let more = [("bot.py", copy.as_str()), ("more.py", "print(1, 2, 3, 4, 5, 6, 7, 8, 9)")];
        assert_eq!(
            compare(&[slices[0], &more, slices[0]]),
            [
                (0, 1, Likeness::SameButForNames),
                (0, 2, Likeness::SameFiles),
                (1, 2, Likeness::SameButForNames)
            ]
        );
    }

    fn share(one: &str, other: &str) -> f64 {
        let (one, other) = (prints(one), prints(other));
        one.shared(&other) as f64 / one.0.len().min(other.0.len()).max(1) as f64
    }

    #[test]
    fn other_names_comments_and_numbers_hide_nothing() {
        let disguised = ONE
            .replace("top", "champion")
            .replace("board", "field_of_play")
            .replace("# looks ahead", "# all my own work")
            .replace(", 3)", ", 7)")
            .replace("    ", "\t");
        assert_eq!(share(ONE, &disguised), 1.0);
    }

    #[test]
    fn other_code_is_not_alike_and_a_part_that_was_moved_is_found() {
        let other = "import sys\nclass Wall:\n    def __init__(self, w, h):\n        self.cells = \
                     [[0] * w for _ in range(h)]\n    def free(self, x, y):\n        return 0 <= x \
                     < len(self.cells[0]) and self.cells[y][x] == 0\nwhile True:\n    line = \
                     sys.stdin.readline().split()\n    print(line[0] if line else 'U')\n";
        assert!(share(ONE, other) < 0.1, "{}", share(ONE, other));
        let (first, second) = ONE.split_once("\n\n").unwrap();
        let mixed = format!("{other}\n{second}\n{other}\n{first}\n");
        assert!(share(ONE, &mixed) > 0.7, "{}", share(ONE, &mixed));
    }

    #[test]
    fn whatever_is_as_long_as_a_window_and_a_piece_is_found() {
        // Distinct tokens, in front of which something else is, so that windows begin elsewhere.
        let signs: Vec<char> = "+-*/%&|^~<>=!?:;,.()[]{}@$".chars().collect();
        let common: String = signs[..PIECE + WINDOW - 1].iter().collect();
        for before in 0..WINDOW {
            let other = format!("{} {common}", ". ; ".repeat(before));
            assert!(prints(&common).shared(&prints(&other)) > 0, "{before}");
        }
    }

    #[test]
    fn texts_in_quotes_are_one_token_whatever_is_in_them() {
        let codes =
            |text: &str| tokens(text, true).into_iter().map(|token| token.code).collect::<Vec<_>>();
        assert_eq!(codes("a = 'x # y'"), codes("b = \"\"\"two\nlines\"\"\""));
        assert_eq!(codes("a = 'it\\'s'").len(), 3);
        assert_eq!(tokens("a\n\"\"\"\n\"\"\"\nb", true).last().unwrap().line, 3);
        // The first quote is closed by none of the escaped ones, and they by none.
        assert_eq!(codes("'\\'\\' a\n'b'").len(), 7);
    }

    /// Random signs in many files: nearly every fingerprint is another, and every file has a form.
    fn random_files(files: usize, size: usize) -> Vec<(String, String)> {
        let signs: Vec<char> = "+-*%&|^~!<>=?:;,.()[]{}".chars().collect();
        let mut state: u64 = 7;
        let mut sign = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            signs[(state >> 33) as usize % signs.len()]
        };
        (0..files).map(|at| (format!("d/{at}.c"), (0..size).map(|_| sign()).collect())).collect()
    }

    /// This took 3 GB when every fingerprint had the forms of all files of its program.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_megabyte_of_random_signs_in_a_thousand_files_takes_little_memory() {
        let files = random_files(990, (MAX_CODE - 4000) / 990);
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        assert_eq!(compare(&[&files, &[("bot.py", ONE)]]), []);
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 500_000, "{peak} kB");
    }

    #[test]
    fn many_large_programs_share_what_is_compared_and_what_is_left_out_is_known() {
        let few = Limits::of_each(3);
        assert!(few.code == MAX_CODE && few.prints > MAX_CODE);
        let many = Limits::of_each(1000);
        assert!(many.code * 1000 <= MAX_ALL_CODE && many.prints * 1000 <= MAX_ALL_PRINTS);
        let files = random_files(4, 1000);
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (tree, none) = (tree(&files), HashSet::new());
        assert!(is_compared_whole(&tree, 4000) && !is_compared_whole(&tree, 3999));
        let all = Prints::of(&tree, &none, MAX_CODE);
        assert!(Prints::of(&tree, &none, 3999).0.len() < all.0.len());
        // The same ones are kept in every program, so that copies stay alike.
        let mut one = Prints::of(&tree, &none, MAX_CODE);
        assert!(!one.thin(100) && one.thin(100) && one.0.len() == 100);
        assert_eq!((one.shared(&all), all.shared(&one)), (100, 100));
    }

    /// This took minutes when every quote was looked for from each of the others.
    #[test]
    fn a_megabyte_of_quotes_that_are_not_closed_is_read_once() {
        for quote in ["\\`", "\\'", "\\\""] {
            let text = format!("{}{}", &quote[1..], quote.repeat(MAX_CODE / 2));
            assert_eq!(tokens(&text, true).len(), 1 + MAX_CODE, "{quote}");
        }
    }
}
