//! `quintain bot debug`: asks a program again about a turn of a recorded match, without a time
//! limit, and shows every line that passes.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use quintain_bots::debug::{DebugError, DebugReport, DebugRequest, DebugStep, Part, debug};
use quintain_bots::{Programs, Slip};
use quintain_core::{Catalog, Record, Seat};
use quintain_scene::clean;

use crate::board;
use crate::failure::Failure;
use crate::usage::whole;
use crate::{options, sources};

#[derive(clap::Args)]
pub(super) struct DebugArgs {
    /// The program: its name in the bots file, or exec:"COMMAND"
    program: String,
    /// The match: a file with its record, or the first digits of its id in the store
    /// [default: the program's last match in the store]
    #[arg(long, value_name = "ID")]
    record: Option<String>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    /// The turn to ask about [default: the last one on which it had to move]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32>)]
    turn: Option<u32>,
    /// The program's seat [default: the one that it had in the match]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<usize>)]
    seat: Option<usize>,
    /// Show the lines of earlier turns, too
    #[arg(long)]
    all: bool,
    /// Print the process id before the question and wait for Enter, to attach a debugger (with
    /// --trust)
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(
    args: &DebugArgs,
    catalog: &Catalog,
    programs: &Arc<Programs>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let spec = match args.program.contains(':') {
        true => args.program.clone(),
        false => format!("bot:{}", args.program),
    };
    let bot = programs.bot(&spec)?;
    if let Some(protocol) = bot.foreign_protocol() {
        let problem = format!(
            "{spec} speaks {protocol}; only Quintain's own protocol is debugged (quintain bot \
             check plays a match of any program)"
        );
        return Err(Failure::Usage(problem));
    }
    let store = args.store.as_deref();
    let record = match &args.record {
        Some(named) => sources::find_record(named, store)?,
        None => sources::find_newest(Some(&spec), store)?,
    };
    let game = catalog.game_of(&record)?;
    let seat = find_seat(args, &spec, &record)?;
    // The owner of the seat, which may have been another player in the match.
    let own = &record.fixture.seats[seat.index()];
    let is_own = is_same_program(own, &spec);
    let (who, has) = match is_own {
        true => ("it".to_owned(), format!("has seat {seat}")),
        false => (clean(own), format!("is asked in seat {seat}, which {} had", clean(own))),
    };
    writeln!(out, "{}; {} {has}", board::heading(&record.fixture), clean(&spec))?;
    let request = DebugRequest { record: &record, game: game.as_ref(), seat, turn: args.turn };
    let mut written = Ok(());
    let debugged = debug(&bot, &request, &mut |step| {
        if written.is_ok() {
            written = show(step, args, &who, out);
        }
    });
    written?;
    let debugged = debugged.map_err(|error| match error {
        DebugError::Program(fault) => Failure::Failed(clean(&bot.explain(&fault))),
        DebugError::Record(error) => error.into(),
        error => Failure::Usage(error.to_string()),
    })?;
    write_report(&spec, debugged, &record, (seat, &who), out)
}

/// Writes what the program answered, and what was played in the match by the owner of its seat.
fn write_report(
    spec: &str,
    debugged: DebugReport,
    record: &Record,
    (seat, who): (Seat, &str),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let played = match (&debugged.played, &record.outcome.fault) {
        (Some(action), _) => format!("in the match {who} played {}", clean(action)),
        (None, Some(fault)) if fault.seat == seat => {
            format!("in the match {who} forfeited here: {}", clean(&fault.fault.to_string()))
        }
        (None, _) => format!("in the match {who} was not asked here"),
    };
    let turn = debugged.turn;
    let problem = match (debugged.answer, debugged.allowed) {
        (Ok(_), Ok(())) => {
            let ms = debugged.thought.as_secs_f64() * 1e3;
            writeln!(out, "turn {turn}: an answer after {ms:.1} ms; {played}")?;
            return Ok(());
        }
        (Ok(_), Err(why)) => format!("the rules refuse it: {why}"),
        (Err(fault), _) => fault.to_string(),
    };
    writeln!(out, "turn {turn}: {}; {played}", clean(&problem))?;
    if let Some(Slip { text, right }) = debugged.slip {
        writeln!(out, "  {}", clean(&text))?;
        if !right.is_empty() {
            writeln!(out, "  right: {}", clean(&right))?;
        }
    }
    Err(Failure::Failed(format!("{} fails on turn {turn}", clean(spec))))
}

/// Returns the program's seat, or the requested one.
fn find_seat(args: &DebugArgs, spec: &str, record: &Record) -> Result<Seat, Failure> {
    let seats = &record.fixture.seats;
    if let Some(seat) = args.seat {
        return match seat < seats.len() {
            true => Ok(Seat::new(seat)),
            false => Err(Failure::Usage(format!(
                "--seat {seat}: the match has seats 0 to {}",
                seats.len() - 1
            ))),
        };
    }
    let is_there = seats.iter().any(|player| player == spec);
    let is_own = |player: &str| match is_there {
        true => player == spec,
        false => is_same_program(player, spec),
    };
    let own = (0..).zip(seats).filter(|(_, player)| is_own(player)).map(|(seat, _)| seat);
    // If it had several seats, the one that failed is meant.
    let failed = record.outcome.fault.as_ref().map(|fault| fault.seat);
    let failed = failed.filter(|seat| is_own(&seats[seat.index()]));
    match (own.collect::<Vec<usize>>().as_slice(), failed) {
        ([seat], _) => Ok(Seat::new(*seat)),
        ([_, ..], Some(seat)) => Ok(seat),
        (several @ [_, ..], None) => {
            let several: Vec<String> = several.iter().map(usize::to_string).collect();
            Err(Failure::Usage(format!(
                "{spec} has seats {} in this match; choose one with --seat",
                several.join(", ")
            )))
        }
        ([], _) => Err(Failure::Usage(format!(
            "{spec} has no seat in this match, but {} have; choose one with --seat",
            seats.join(", ")
        ))),
    }
}

/// Returns whether two players are the same program, possibly in different versions.
fn is_same_program(player: &str, spec: &str) -> bool {
    let name = |player: &str| player.split('@').next().unwrap_or(player).to_owned();
    player == spec || spec.starts_with("bot:") && name(player) == name(spec)
}

/// Shows a step: those that begin the match or concern the turn, or all of them.
fn show(
    step: &DebugStep<'_>,
    args: &DebugArgs,
    who: &str,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let is_wanted = |part: &Part| args.all || !matches!(part, Part::Before(_));
    match step {
        DebugStep::Sent(part, line) if is_wanted(part) => writeln!(out, "> {}", clean(line)),
        DebugStep::Received(part, line) if is_wanted(part) => writeln!(out, "< {}", clean(line)),
        DebugStep::Output(part, text) if is_wanted(part) => {
            text.lines().try_for_each(|line| writeln!(out, "| {}", clean(line)))
        }
        DebugStep::Sent(..) | DebugStep::Received(..) | DebugStep::Output(..) => Ok(()),
        DebugStep::Differs { turn, now, then } => {
            writeln!(
                out,
                "turn {turn}: it answers {now}; in the match {who} played {}",
                clean(then)
            )
        }
        DebugStep::Ready(process) if args.wait => {
            let process = process.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
            writeln!(out, "process {process}: attach a debugger, then press Enter here")?;
            out.flush()?;
            std::io::stdin().lock().read_line(&mut String::new()).map(drop)
        }
        DebugStep::Ready(_) => Ok(()),
    }
}
