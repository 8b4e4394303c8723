//! Positions and results as pages of text: heading, board, the players, and the result.

use std::fmt::Write;
use std::path::Path;

use quintain_core::ui::{Point, Scene, is_drawing};
use quintain_core::{
    AnyGame, AnyMatch, Catalog, FaultKind, Fixture, LogContent, LogEntry, Note, Outcome,
    PlayerHandle, Record, Scoring, Seat, did_you_mean,
};
use quintain_scene::{
    Room, TerminalStyle, board_columns, clean, quote, render_board, render_brief_legend,
    render_legend, render_swatch, render_text_within,
};
use quintain_standings::{SeatResult, seat_results};
use quintain_web::headline;
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::{messages, screen, sources};

/// What to draw, in which style, and how wide at most.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) style: TerminalStyle,
    pub(crate) overlays: &'a [String],
    /// The columns of the terminal, if there is one.
    pub(crate) columns: Option<usize>,
}

/// A page for a terminal.
pub(crate) struct Page<'a> {
    /// Lines above the board.
    pub(crate) above: String,
    pub(crate) scene: &'a Scene,
    /// The cell in the centre of the visible part; if none is given, where something happened last.
    pub(crate) focus: Option<Point>,
    /// Lines below the board, limited to a share of the terminal's rows.
    pub(crate) below: String,
    /// The meaning of the signs, where no key shows it: as many lines as there is room for.
    pub(crate) legend: String,
}

/// Lines below the board take at most one in this many of the terminal's rows.
const MAX_BELOW: usize = 4;
/// Of a board that is too high, the meaning of its signs takes at most one in this many rows.
const MAX_LEGEND: usize = 12;

impl<'a> View<'a> {
    /// Returns the view that standard output can show.
    pub(crate) fn of_output(overlays: &'a [String]) -> View<'a> {
        View { style: screen::style(), overlays, columns: screen::terminal_width() }
    }

    /// Returns the names of the overlays.
    fn overlays(&self) -> Vec<&str> {
        self.overlays.iter().map(String::as_str).collect()
    }

    fn draw(&self, scene: &Scene) -> String {
        let overlays = self.overlays();
        let board = render_board(scene, &overlays, self.style, self.columns);
        let whole = board_columns(scene, &overlays);
        match self.columns.filter(|columns| *columns < whole) {
            Some(columns) => {
                let note = format!(
                    "part of the board, which is {whole} columns wide; to see all of it, widen the \
                     terminal, which has {columns}, or add to the command: | less -S"
                );
                board + &messages::wrap(&note, columns) + "\n"
            }
            None => board,
        }
    }

    /// Renders the board of a position, the meaning of its signs, and its caption.
    pub(crate) fn board(&self, scene: &Scene) -> String {
        self.draw(scene) + &self.legend(scene) + &caption(scene)
    }

    /// Renders the meaning of the signs on the board of a position.
    pub(crate) fn legend(&self, scene: &Scene) -> String {
        render_legend(scene, &self.overlays(), self.style, self.columns)
    }

    /// Renders the board, and the players with these scores.
    pub(crate) fn position(
        &self,
        fixture: &Fixture,
        state: &dyn AnyMatch,
        scores: &[f64],
    ) -> String {
        let scene = state.scene(None);
        self.draw(&scene) + &caption(&scene) + &self.describe(&scene, fixture, state, scores)
    }

    /// Renders a page for a terminal: lines above, as much of the board as fits, lines below. The
    /// last row of the terminal is left for a status line.
    pub(crate) fn render_page(&self, page: &Page<'_>, room: Room) -> String {
        let below = shorten(page.below.lines(), room.rows / MAX_BELOW);
        let taken = page.above.lines().count() + below.len() + 1;
        let left = Room { rows: room.rows.saturating_sub(taken), ..room };
        let draw = |room: Room| {
            render_text_within(page.scene, &self.overlays(), self.style, room, page.focus)
        };
        let legend: Vec<&str> = page.legend.lines().collect();
        // What the board leaves free; if it does not fit anyway, a little more of it gives way.
        let free = match draw(Room { rows: usize::MAX, ..left }) {
            Ok(whole) if whole.lines().count() <= left.rows => left.rows - whole.lines().count(),
            _ => room.rows / MAX_LEGEND,
        };
        let legend = &legend[..legend.len().min(free)];
        let with_legend = draw(Room { rows: left.rows.saturating_sub(legend.len()), ..left });
        let (board, legend) = match with_legend {
            Ok(board) => (Ok(board), legend),
            Err(_) => (draw(left), &[][..]),
        };
        match board {
            Ok(board) => {
                let mut out = format!("{}{board}", page.above);
                for line in below.iter().map(String::as_str).chain(legend.iter().copied()) {
                    let _ = writeln!(out, "{line}");
                }
                out
            }
            Err(needed) => format!(
                "needs {}×{}\nthis terminal has {}×{}\n",
                needed.columns,
                needed.rows + taken,
                room.columns,
                room.rows
            ),
        }
    }

    /// Renders the meaning of the signs in as few lines as possible.
    pub(crate) fn brief_legend(&self, scene: &Scene) -> String {
        render_brief_legend(scene, &self.overlays(), self.style, self.columns)
    }

    /// Renders the players with these scores, and what was noted and written on the last turn.
    pub(crate) fn describe(
        &self,
        scene: &Scene,
        fixture: &Fixture,
        state: &dyn AnyMatch,
        scores: &[f64],
    ) -> String {
        let mut page = self.seats(scene, fixture, |seat| {
            let mut line = scores.get(seat).map_or(String::new(), |score| format_number(*score));
            for note in state.notes().iter().filter(|note| note.seat.index() == seat) {
                let _ = write!(line, "  {}", format_note(note));
            }
            for entry in state.log().iter().filter(|entry| entry.seat.index() == seat) {
                if let LogContent::Note { name, text } = &entry.content {
                    let _ = write!(line, "  {} “{}”", clean(name), clean(text));
                }
            }
            line
        });
        for entry in state.log() {
            if let LogContent::Stderr(text) = &entry.content {
                for line in text.lines() {
                    let _ = writeln!(
                        page,
                        "{} | {}",
                        headline::letter(entry.seat.index()),
                        clean(line)
                    );
                }
            }
        }
        page
    }

    /// Renders the last board, the meaning of its signs, the players, and the result.
    pub(crate) fn result(&self, game: &dyn AnyGame, record: &Record, scene: &Scene) -> String {
        self.board(scene) + &self.verdict(game, record, scene)
    }

    /// Renders the players and the result.
    pub(crate) fn verdict(&self, game: &dyn AnyGame, record: &Record, scene: &Scene) -> String {
        let outcome = &record.outcome;
        let verdicts = verdicts(game, outcome);
        let mut page = self.seats(scene, &record.fixture, |seat| {
            let score =
                outcome.scores.get(seat).map_or(String::new(), |score| format_number(*score));
            format!("{score}  {}", verdicts[seat]).trim_end().to_owned()
        });
        // A record that does not replay was refused before; a forfeit is explained below.
        if outcome.fault.is_none()
            && let Ok(decision) = game.decision(record)
        {
            let _ = writeln!(page, "{}.", screen::fit(&clean(&decision)));
        }
        page.push_str(&ending(game, &record.fixture, outcome));
        page
    }

    /// Renders one line per seat: its look, its player, and `more`.
    fn seats(&self, scene: &Scene, fixture: &Fixture, more: impl Fn(usize) -> String) -> String {
        let names: Vec<String> = fixture.seats.iter().map(|name| clean(name)).collect();
        let longest = names.iter().map(|name| name.width()).max().unwrap_or(0);
        let mut out = String::new();
        for (seat, name) in names.iter().enumerate() {
            let swatch = render_swatch(scene, u16::try_from(seat).unwrap_or(u16::MAX), self.style);
            let gap = " ".repeat(longest - name.width());
            let _ = writeln!(out, "{swatch} {name}{gap}  {}", more(seat));
        }
        out
    }
}

/// Returns at most this many lines; if some do not fit, the last one says how many.
fn shorten<'a>(lines: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    if lines.len() > most {
        let more = lines.len() - most.saturating_sub(1);
        lines.truncate(most.saturating_sub(1));
        if most > 0 {
            lines.push(format!("… and {more} more lines"));
        }
    }
    lines
}

/// Returns the caption of a position as a line, if it has one.
fn caption(scene: &Scene) -> String {
    match scene.caption.is_empty() {
        true => String::new(),
        false => screen::fit(&clean(&scene.caption)) + "\n",
    }
}

/// Returns which match this is, in one line.
pub(crate) fn heading(fixture: &Fixture) -> String {
    let mut line =
        format!("{}:{}, seed {}", clean(&fixture.game), clean(&fixture.scenario), fixture.seed);
    let budget = fixture.budget.to_string();
    if !budget.is_empty() {
        let _ = write!(line, ", budget {budget}");
    }
    line
}

/// Returns the result in one or two lines.
pub(crate) fn ending(game: &dyn AnyGame, fixture: &Fixture, outcome: &Outcome) -> String {
    let turns = outcome.metrics.get("turns").copied().unwrap_or_default();
    let cut = if outcome.truncated { " (cut off by a limit)" } else { "" };
    let mut out =
        format!("{} after {}{cut}", clean(&outcome.ending), format_count(turns as usize, "turn"));
    for (title, value) in game.figures(outcome) {
        let _ = write!(out, ", {} {}", clean(&title), format_number(value));
    }
    format!("{}\n{}", screen::fit(&out), forfeit(fixture, outcome))
}

/// Returns who failed and how, if someone did: one line, and the end of what the program wrote to
/// its standard error.
pub(crate) fn forfeit(fixture: &Fixture, outcome: &Outcome) -> String {
    let mut out = String::new();
    if let Some(fault) = &outcome.fault {
        let seat = fault.seat.index();
        let name = fixture.seats.get(seat).map_or(String::new(), |name| clean(name));
        let _ = writeln!(
            out,
            "{} ({name}) forfeits: {}",
            headline::letter(seat),
            clean(&fault.fault.to_string())
        );
        for line in format_output("  | ", &fault.fault.said, screen::terminal_width()) {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

/// Columns between tab stops.
const TAB: usize = 4;

/// Formats a program's output, with `mark` before each line. If a line is too wide for the
/// terminal, its continuation is indented like the line itself, so that a traceback keeps its
/// shape.
pub(crate) fn format_output(mark: &str, output: &[String], width: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    for line in output {
        let mut text = String::new();
        for c in line.chars() {
            match c {
                '\t' => text.push_str(&" ".repeat(TAB - text.chars().count() % TAB)),
                c => text.push(c),
            }
        }
        let text = clean(&text);
        let indent = text.len() - text.trim_start_matches(' ').len();
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(mark.chars().count()));
        // With a very deep indentation, no room would be left.
        let hang = (indent + 2).min(room / 2);
        let mut rest: Vec<char> = text.chars().collect();
        let mut lead = 0;
        loop {
            let end = (room - lead).min(rest.len()).max(1).min(rest.len());
            let piece: String = rest.drain(..end).collect();
            lines.push(format!("{mark}{}{piece}", " ".repeat(lead)));
            if rest.is_empty() {
                break;
            }
            lead = hang;
        }
    }
    lines
}

/// Explains what a program may read and write, if the end of its output says that it could not open
/// a file.
pub(crate) fn file_hint(output: &[String]) -> Option<String> {
    // In the words of Python, Node and most others: not found, not permitted, read-only.
    const SIGNS: &[&str] = &[
        "FileNotFoundError",
        "PermissionError",
        "[Errno 2]",
        "[Errno 13]",
        "[Errno 30]",
        "ENOENT",
        "EACCES",
        "EROFS",
        "(os error 2)",
        "(os error 13)",
        "(os error 30)",
        "java.nio.file.NoSuchFileException",
        "java.io.FileNotFoundException",
        "No such file or directory",
        "Read-only file system",
    ];
    let last = output.iter().rev().take(LAST_LINES);
    let is_sign = |line: &String| SIGNS.iter().any(|sign| line.contains(sign));
    last.into_iter().any(is_sign).then(|| {
        "files: a program may read its own folder, the system's programs and libraries, and what \
         read = \
         [\"/a/folder\"] lists in its entry in bots.toml; it may write only to the folder TMPDIR"
            .to_owned()
    })
}

/// Number of last lines examined: Node writes some lines after the error itself.
const LAST_LINES: usize = 12;

/// Returns the command that asks a program about a match again, which is named as `record` and its
/// `options` say; none for a player that is not asked in Quintain's own protocol.
pub(crate) fn debug_command(
    catalog: &Catalog,
    game: &str,
    player: &str,
    (record, options): (&str, &str),
) -> Option<String> {
    let program = match player.split_once(':')? {
        ("bot", name) => name.to_owned(),
        ("exec", _) => quote(player),
        _ => return None,
    };
    let is_foreign = |found: PlayerHandle| found.foreign_protocol().is_some();
    let is_foreign = catalog.player(game, player).is_ok_and(is_foreign);
    (!is_foreign).then(|| format!("quintain bot debug {program} --record {record}{options}"))
}

/// Whether a player is a service or a model.
pub(crate) fn is_remote(spec: &str) -> bool {
    ["http:", "https:", "chat:"].iter().any(|prefix| spec.starts_with(prefix))
}

/// Returns hints for the author of a program that forfeited, one per line, if its record is in a
/// store or a file; none if no program forfeited.
pub(crate) fn hints(
    catalog: &Catalog,
    record: &Record,
    store: Option<&Path>,
    save: Option<&Path>,
) -> Vec<String> {
    let Some(fault) = &record.outcome.fault else { return Vec::new() };
    let player = record.fixture.seats.get(fault.seat.index()).map_or("", String::as_str);
    let is_program = ["bot:", "exec:"].iter().any(|prefix| player.starts_with(prefix));
    let file_hint = is_program.then(|| file_hint(&fault.fault.said)).flatten();
    let mut lines: Vec<String> = file_hint.into_iter().collect();
    let is_late = fault.fault.kind == FaultKind::Timeout;
    let game = &record.fixture.game;
    let debug = |named, options| debug_command(catalog, game, player, (named, options));
    if player.starts_with("bot:") {
        if is_late && fault.fault.detail.starts_with("hello: ") {
            lines.push(
                "it must answer hello with ready, and flush standard output; for more time: \
                 limits = { start = \"TIME\" } in bots.toml"
                    .to_owned(),
            );
        } else if is_late {
            let limit = "limits = { answer = \"TIME\" } in bots.toml";
            lines.push(format!("for more time: --budget move=TIME, or {limit}"));
        }
        // In other languages a missing class means a missing program, which is reported before a
        // match.
        let has_no_class = |line: &String| line.contains("java.lang.ClassNotFoundException");
        if fault.fault.said.iter().any(has_no_class) {
            lines.push(
                "there is no compiled class; did you build it? The next line names the step"
                    .to_owned(),
            );
        }
        lines.push(format!("to see what is wrong with it: quintain bot check {player}"));
        lines.extend(match (store, save) {
            (Some(store), _) => debug(&record.id[..8], &sources::store_option(Some(store)))
                .map(|command| format!("to ask it again: {command}")),
            (None, Some(file)) => debug(&quote(&file.display().to_string()), "")
                .map(|command| format!("to ask it again: {command}")),
            (None, None) => debug("match.json", "").map(|command| {
                format!(
                    "to ask it again, line by line: the same command with --save match.json, then \
                     {command}"
                )
            }),
        });
    } else if is_remote(player) {
        if is_late {
            lines.push(
                "for more time: --budget move=TIME, or answer = \"TIME\" in bots.toml".into(),
            );
        }
        lines.push(format!("to see what is wrong with it: quintain bot check {player}"));
    } else if let Some(command) = player.strip_prefix("exec:") {
        if is_late {
            lines.push("for more time: --budget move=TIME".to_owned());
        }
        let command = command.trim_matches('"');
        lines.push(format!("to see what is wrong with it: quintain bot check -- {command}"));
        if let Some(file) = save.filter(|_| store.is_none()) {
            let command = debug(&quote(&file.display().to_string()), "");
            lines.extend(command.map(|command| format!("to ask it again: {command}")));
        }
    }
    lines.iter().map(|line| clean(line)).collect()
}

/// Returns a word per seat where seats are rivals, and empty words where scores stand for
/// themselves.
fn verdicts(game: &dyn AnyGame, outcome: &Outcome) -> Vec<&'static str> {
    if game.scoring() == Scoring::Independent {
        return vec![""; outcome.scores.len()];
    }
    let fallen = outcome.fault.as_ref().map(|fault| fault.seat.index());
    let results = seat_results(game.objective(), &outcome.scores, fallen);
    let word = |result| match result {
        SeatResult::Won => "won",
        SeatResult::Drew => "drew",
        SeatResult::Lost => "lost",
    };
    results.into_iter().map(word).collect()
}

/// Formats a number without needless digits.
pub(crate) fn format_number(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    rounded.to_string()
}

/// Formats a figure that a player noted.
fn format_note(note: &Note) -> String {
    format!("{} {}", clean(&note.name), format_number(note.value))
}

/// Returns the players' notes and the programs' output as lines, ordered by turn and seat; each
/// line names both. Figures come before words.
pub(crate) fn log_lines(notes: &[Note], log: &[LogEntry]) -> Vec<String> {
    let figures = notes.iter().map(|note| (note.turn, note.seat, vec![format_note(note)]));
    let words = log.iter().map(|entry| (entry.turn, entry.seat, entry_lines(&entry.content)));
    let mut all: Vec<(u32, Seat, Vec<String>)> = figures.chain(words).collect();
    all.sort_by_key(|(turn, seat, _)| (*turn, *seat));
    let lines = all.into_iter().flat_map(|(turn, seat, lines)| {
        let who = headline::letter(seat.index());
        lines.into_iter().map(move |line| format!("turn {turn}, {who} {line}"))
    });
    lines.collect()
}

fn entry_lines(content: &LogContent) -> Vec<String> {
    match content {
        LogContent::Stderr(text) => {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            format_output("| ", &lines, None)
        }
        LogContent::Note { name, text } => vec![format!("{} “{}”", clean(name), clean(text))],
        LogContent::Exchange { .. } => content.lines().iter().map(|line| clean(line)).collect(),
        LogContent::Drawing(marks) => vec![format!("drew {}", format_count(marks.len(), "mark"))],
        LogContent::LeftOut(count) => vec![format!("… {count} more were not kept")],
        _ => Vec::new(),
    }
}

/// Checks that the scene has all requested overlays. Overlays of programs' drawings are always
/// accepted, since programs may draw on any turn.
pub(crate) fn check_overlays(scene: &Scene, overlays: &[String]) -> Result<(), Failure> {
    let is_known =
        |name: &String| is_drawing(name) || scene.overlays().any(|known| known == name.as_str());
    match overlays.iter().find(|name| !is_known(name)) {
        Some(name) => Err(Failure::Usage(did_you_mean("overlay", name, scene.overlays()))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::ui::{Paint, PanelBody};

    use super::*;

    #[test]
    fn lines_fit_the_terminal_and_report_omissions() {
        let mut scene = Scene::board(40, 1, |_| (Paint::Floor, '.'));
        scene.panel("next", PanelBody::Figures(vec![("a piece".to_owned(), String::new())]));
        let draw =
            |columns| View { style: TerminalStyle::Plain, overlays: &[], columns }.board(&scene);
        assert_eq!(draw(None).lines().map(str::len).max(), Some(82 + 2 + 9));
        assert_eq!(draw(Some(93)), draw(None));
        let below = draw(Some(82));
        let lines: Vec<&str> = below.lines().collect();
        assert_eq!(lines[0], format!("+{}+", "-".repeat(80)));
        assert_eq!(lines[3..5], ["next:", "a piece  "]);
        assert!(!below.contains("part of the board"), "{below}");
        let cut = draw(Some(60));
        assert!(cut.lines().all(|line| line.len() <= 60), "{cut}");
        assert!(cut.contains("part of the board, which is 82 columns wide"), "{cut}");
    }

    #[test]
    fn a_page_reports_omissions_and_has_a_legend_if_it_fits() {
        let view = View { style: TerminalStyle::Plain, overlays: &[], columns: Some(60) };
        let page = |rows: usize, players: usize, terminal: usize| {
            let mut scene = Scene::board(10, rows, |_| (Paint::Floor, '.'));
            scene.caption = "turn 1".to_owned();
            let below = (1..=players).map(|player| format!("player {player}\n")).collect();
            let legend = "# a wall\nA a player\n. free\n".to_owned();
            let page =
                Page { above: "a match\n".to_owned(), scene: &scene, focus: None, below, legend };
            let text = view.render_page(&page, Room { columns: 60, rows: terminal });
            text.lines().map(str::to_owned).collect::<Vec<String>>()
        };
        // One row is for the status line.
        let roomy = page(8, 2, 24);
        assert_eq!(roomy[12..], ["player 1", "player 2", "# a wall", "A a player", ". free"]);
        assert!(!roomy.join("\n").contains("part of the board"), "{roomy:?}");
        let tight = page(8, 2, 16);
        assert_eq!(tight[12..], ["player 1", "player 2", "# a wall"]);
        let crowd = page(30, 9, 24);
        assert_eq!(crowd.len(), 23);
        assert!(crowd.iter().any(|line| line.contains("part of the board")), "{crowd:?}");
        assert_eq!(crowd[19..], ["player 5", "… and 4 more lines", "# a wall", "A a player"]);
    }

    #[test]
    fn output_of_programs_keeps_its_shape_in_a_narrow_terminal() {
        let output = ["  File \"bot.py\", line 7, in choose", "\tat Bot.choose", "E\u{1b}[2J"];
        let output: Vec<String> = output.iter().map(|line| (*line).to_owned()).collect();
        let whole = [
            "| ".to_owned() + &output[0],
            "|     at Bot.choose".to_owned(),
            "| E\u{fffd}[2J".to_owned(),
        ];
        assert_eq!(format_output("| ", &output, None), whole);
        assert_eq!(
            format_output("| ", &output[..1], Some(20)),
            ["|   File \"bot.py\", l", "|     ine 7, in choo", "|     se"]
        );
        // Something is shown, however narrow the terminal is.
        assert_eq!(format_output("| ", &["abc".to_owned()], Some(1)), ["| a", "| b", "| c"]);
        assert_eq!(format_output("| ", &[String::new()], Some(9)), ["| "]);
    }
}
