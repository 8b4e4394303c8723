//! `quintain analyse`: a strong player's review of a recorded match, or its exact values.

mod exact;
mod turns;

use std::io::Write;
use std::path::PathBuf;

use quintain_core::{Budget, Catalog, Record};
use quintain_play::{Analyst, MatchReview, TurnReview, usual_budget, usual_player};
use quintain_scene::clean;
use quintain_web::headline;
use serde_json::Value;

use crate::board::format_number;
use crate::failure::Failure;
use crate::lists::format_count;
use crate::usage::whole;
use crate::{options, plain, sources, stop};
use turns::spread;

#[derive(clap::Args)]
#[command(after_long_help = "\
The value of a turn is the score that each player would end with if PLAYER played every seat from \
there on, with the same chance events as in the match. The cost of a move is how much better the \
score would have been with PLAYER's move in its place.

With --exact, nobody reviews the match: the values are what perfect players would expect, and the \
cost of a move is what it gives away.")]
pub(crate) struct Args {
    /// A record: a file, or the first digits of its id in the store
    record: String,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[arg(long, conflicts_with_all = ["player", "budget", "decisions"], help = options::EXACT)]
    exact: bool,
    /// Another form of --exact: --against exact
    #[arg(long, hide = true, value_parser = ["exact"], conflicts_with = "exact")]
    #[arg(conflicts_with_all = ["player", "budget", "decisions"])]
    against: Option<String>,
    /// The player that reviews the match [default: the game's strongest]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    #[arg(short, long, default_value_t = usual_budget())]
    #[arg(help = options::with(options::BUDGET, "(for each of its decisions)"))]
    budget: Budget,
    /// The most decisions it makes; in a long match, it reviews fewer turns
    #[arg(long, value_name = "N", default_value = "10000", value_parser = whole::<u64>)]
    decisions: u64,
    #[arg(long, value_enum, default_value_t = Format::Text, help = options::FORMAT)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables
    Text,
    /// One object: values and moves of every turn that was reviewed, and the mistakes
    Json,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let record = sources::find_record(&args.record, args.store.as_deref())?;
    let game = catalog.game_of(&record)?;
    if args.exact || args.against.is_some() {
        let is_json = args.format == Format::Json;
        return exact::write(&record, game.as_ref(), catalog, is_json, out);
    }
    let name = match &args.player {
        Some(name) => name.clone(),
        None => usual_player(catalog.entry(game.name())?),
    };
    let player = catalog.player(game.name(), &name)?;
    let stop = stop::watch_signals_with_notice("stopping: the results so far follow");
    let analyst = Analyst {
        game: game.as_ref(),
        player: &player,
        budget: args.budget,
        decisions: args.decisions,
        stop: Some(&stop),
    };
    let review = analyst.review(&record, &mut |_| ())?;
    match args.format {
        Format::Json => {
            let json: Value = serde_json::to_value(&review).expect("reviews have a JSON form");
            writeln!(out, "{}", plain::escape_json(&json.to_string()))?;
        }
        Format::Text => {
            writeln!(
                out,
                "{}: {}",
                headline::place_of(&record),
                headline::result_of(game.as_ref(), &record)
            )?;
            write_review(&review, &record, out)?;
        }
    }
    Ok(())
}

/// Writes tables with the values of some turns, and the mistakes.
fn write_review(review: &MatchReview, record: &Record, out: &mut dyn Write) -> Result<(), Failure> {
    let seats = &record.fixture.seats;
    let who = |seat: usize| match seats.len() {
        1 => "score".to_owned(),
        _ => headline::letter(seat),
    };
    let player = clean(&review.player);
    writeln!(
        out,
        "\nscores if {player} plays every seat from a turn on, budget {}",
        review.budget
    )?;
    write!(out, "{:>6}", "turn")?;
    for seat in 0..seats.len() {
        write!(out, "  {:>8}", who(seat))?;
    }
    writeln!(out)?;
    for TurnReview { turn, values, .. } in choose_turns(&review.turns) {
        write!(out, "{turn:>6}")?;
        for value in values {
            write!(out, "  {:>8}", format_number(*value))?;
        }
        writeln!(out)?;
    }
    if review.mistakes.is_empty() {
        writeln!(out, "\n{player} found no better move")?;
    } else {
        writeln!(out, "\n{:>6}  {:>8}  move played; {player}'s move", "turn", "cost")?;
    }
    for mistake in &review.mistakes {
        let seat = mistake.seat.index();
        let name = seats.get(seat).map_or("", String::as_str);
        let name = match seats.len() {
            1 => clean(name),
            _ => format!("{} {}", headline::letter(seat), clean(name)),
        };
        writeln!(
            out,
            "{:>6}  {:>8}  {name} {}; {}",
            mistake.turn,
            format_number(mistake.cost),
            describe(&mistake.played, mistake.words.as_ref().map(|words| &words.played)),
            describe(&mistake.best, mistake.words.as_ref().map(|words| &words.best)),
        )?;
    }
    if !review.complete {
        let turns = format_count(review.turns.len(), "turn");
        let decisions = format_count(review.decisions as usize, "decision");
        writeln!(
            out,
            "\nreviewed: {turns}, with {decisions}; not every move was considered; --decisions N \
             allows more"
        )?;
    }
    Ok(())
}

/// Returns an action in words, or as players write it if the game has none.
fn describe(action: &str, words: Option<&String>) -> String {
    clean(words.map_or(action, String::as_str))
}

/// Chooses turns spread over the whole match, including the first and the last.
fn choose_turns(turns: &[TurnReview]) -> impl Iterator<Item = &TurnReview> {
    spread(turns.len()).map(|number| &turns[number])
}
