//! What an editor is told, in words: the game, what became of earlier edits, how the program does,
//! and three matches that it lost.

use std::fmt::Write;

use quintain_arena::compare::{Comparison, Effect, LostMatch};
use quintain_core::{AnyEntry, Catalog, Seat};
use quintain_scene::{TerminalStyle, render_text};

use crate::board;
use crate::failure::Failure;
use crate::lists::format_count;
use crate::positions::positions;

/// The number of matches told about.
const MATCHES: usize = 3;
/// The number of positions drawn of each, the last ones.
const POSITIONS: usize = 4;

/// What became of an earlier edit.
pub(super) struct Earlier {
    /// The round, and why the edit was kept or not.
    pub(super) line: String,
    /// What it changed.
    pub(super) changed: String,
    /// What was said about a version that cannot play.
    pub(super) details: String,
}

/// The material.
pub(super) struct Brief<'a> {
    pub(super) round: u64,
    pub(super) name: &'a str,
    pub(super) entry: &'a dyn AnyEntry,
    pub(super) scenarios: &'a [String],
    pub(super) catalog: &'a Catalog,
    /// What became of earlier edits.
    pub(super) told: &'a [Earlier],
    /// How the best version does against its opponents.
    pub(super) comparisons: &'a [Comparison],
}

impl Brief<'_> {
    /// The whole text, in Markdown.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let Brief { round, name, entry, scenarios, told, comparisons, .. } = self;
        let mut text = format!(
            "# Round {round}: make {name} stronger at {}\n\n\
             It plays on {}. Change the files in its folder; what is there in the end is the next \
             version. It is kept if matches show that it is better, or at least not worse.\n\n\
             ## The rules\n\n{}\n\n## Earlier edits\n\n",
            entry.name(),
            scenarios.join(", "),
            entry.how_to_play().trim(),
        );
        for Earlier { line, changed, details } in *told {
            let _ = writeln!(text, "- {line}");
            for (what, lines) in [("what was changed", changed), ("what was said", details)] {
                if !lines.is_empty() {
                    let lines = lines.trim_end().replace('\n', "\n  ");
                    let _ = writeln!(text, "\n  {what}:\n\n  ```\n  {lines}\n  ```\n");
                }
            }
        }
        if told.is_empty() {
            text += "None yet.\n";
        }
        text += "\n## How it does\n\n";
        for comparison in *comparisons {
            let against = comparison.references.join(" and ");
            let _ = writeln!(text, "- against {against}: {}", describe(comparison));
        }
        let mut lost: Vec<&LostMatch> =
            comparisons.iter().flat_map(|one| &one.candidates[0].lost).collect();
        lost.sort_by(|one, other| other.margin.total_cmp(&one.margin));
        lost.truncate(MATCHES);
        let _ = writeln!(text, "\n## Matches that it lost: {}\n", lost.len());
        for one in lost {
            text += &self.tell(one)?;
        }
        Ok(text)
    }

    /// A match: who played, the last positions, how it ended.
    fn tell(&self, LostMatch { record, .. }: &LostMatch) -> Result<String, Failure> {
        let fixture = &record.fixture;
        let seats = fixture.seats.iter().enumerate().map(|(seat, player)| {
            let own = format!("bot:{}@", self.name);
            let who = if player.starts_with(&own) { self.name } else { player.as_str() };
            format!("{} is {who}", Seat::new(seat).letter())
        });
        let seats = seats.collect::<Vec<_>>().join(", ");
        let mut text = format!("### {}\n\n{seats}.\n\n", board::heading(fixture));
        let game = self.catalog.game_of(record)?;
        let all = positions(game.as_ref(), record)?;
        let actions = all.iter().enumerate().skip(1).map(|(turn, position)| {
            let played = position.played.iter().map(|(seat, action)| match fixture.seats.len() {
                1 => action.clone(),
                _ => format!("{} {action}", seat.letter()),
            });
            format!("{turn}: {}", played.collect::<Vec<_>>().join(" "))
        });
        let _ = writeln!(text, "Actions by turn: {}\n", actions.collect::<Vec<_>>().join("; "));
        let first = all.len().saturating_sub(POSITIONS);
        for (turn, position) in all.iter().enumerate().skip(first) {
            let scene = position.state.scene(None);
            let drawn = render_text(&scene, &[], TerminalStyle::Plain);
            let _ = writeln!(text, "After turn {turn}:\n\n```\n{}\n```\n", drawn.trim_end());
        }
        let _ = writeln!(text, "{}", board::ending(game.as_ref(), fixture, &record.outcome));
        Ok(text)
    }
}

fn describe(comparison: &Comparison) -> String {
    let one = &comparison.candidates[0];
    let faults = match one.faults {
        0 => String::new(),
        faults => format!(", {faults} of them by a fault"),
    };
    let result = match &one.effect {
        Effect::Rivals { games, .. } => {
            format!("{} won, {} drawn, {} lost", games.wins, games.draws, games.losses)
        }
        Effect::Scores { seeds, mean, reference_mean, .. } => format!(
            "mean score {} against {}; better on {}, worse on {} of {}",
            board::format_number(*mean),
            board::format_number(*reference_mean),
            seeds.wins,
            seeds.losses,
            format_count(seeds.games() as usize, "seed")
        ),
        Effect::Unknown => "nothing known yet".to_owned(),
    };
    format!("{result}{faults}")
}
