//! `quintain analyse --exact`: what each player of a match gave away compared with perfect play.

use std::io::Write;

use quintain_core::{
    AnyGame, Catalog, Effort, GivenAway, JudgeError, JudgedMove, JudgedTurn, Record, Seat,
};
use quintain_scene::{clean, cut_to_width};
use quintain_web::headline;
use serde_json::json;

use super::turns::spread;
use crate::failure::Failure;
use crate::{plain, stop};

/// What the values of a board may take, in bytes.
const MEMORY: usize = 1 << 30;
/// The most columns of a player's name.
const NAME: usize = 30;
/// Smaller costs are not shown.
const SMALLEST: f64 = 0.00005;

/// Judges a match, and writes what its players gave away.
pub(super) fn write(
    record: &Record,
    game: &dyn AnyGame,
    catalog: &Catalog,
    is_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let make = catalog.entry(game.name())?.exact().ok_or_else(|| {
        let solved = catalog.entries().filter(|entry| entry.exact().is_some());
        let solved: Vec<&str> = solved.map(|entry| entry.name()).collect();
        Failure::Usage(format!(
            "{} has no exact values; --exact is for {}",
            game.name(),
            solved.join(", ")
        ))
    })?;
    let stop = stop::watch_signals();
    let mut judge = make(Effort { memory: MEMORY, positions: u64::MAX, stop });
    let turns = judge.judge(record).map_err(|error| match error {
        JudgeError::Refused(problem) => {
            Failure::Usage(format!("{}: {problem}", headline::place_of(record)))
        }
        _ => Failure::Stopped,
    })?;
    let given: Vec<GivenAway> =
        Seat::all(record.fixture.seats.len()).map(|seat| GivenAway::of(&turns, seat)).collect();
    match is_json {
        true => {
            let json = json!({
                "record": record.id,
                "players": record.fixture.seats,
                "given_away": given,
                "turns": turns,
            });
            Ok(writeln!(out, "{}", plain::escape_json(&json.to_string()))?)
        }
        false => {
            let (place, result) = (headline::place_of(record), headline::result_of(game, record));
            writeln!(out, "{place}: {result}")?;
            write_given(record, &given, out)?;
            write_values(&turns, out)?;
            write_mistakes(record, &turns, out)
        }
    }
}

fn name_of(record: &Record, seat: Seat) -> String {
    let name = record.fixture.seats.get(seat.index()).map_or("", String::as_str);
    format!("{} {}", headline::letter(seat.index()), cut_to_width(&clean(name), NAME))
}

fn write_given(record: &Record, given: &[GivenAway], out: &mut dyn Write) -> Result<(), Failure> {
    let told = Seat::all(given.len()).zip(given).map(|(seat, given)| {
        let GivenAway { all, phases: [first, middle, last] } = given;
        match *all > 0.0 {
            true => format!(
                "{} {all:.4} points (first third {first:.4}, middle {middle:.4}, last {last:.4})",
                name_of(record, seat)
            ),
            false => format!("{} nothing", name_of(record, seat)),
        }
    });
    let told: Vec<String> = told.collect();
    Ok(writeln!(out, "given away compared with perfect play: {}", told.join("; "))?)
}

fn write_values(turns: &[JudgedTurn], out: &mut dyn Write) -> Result<(), Failure> {
    let seats = turns.first().map_or(0, |turn| turn.values.len());
    write!(out, "\n{:>6}", "turn")?;
    for seat in 0..seats {
        write!(out, "  {:>8}", headline::letter(seat))?;
    }
    writeln!(out)?;
    for turn in spread(turns.len()) {
        write!(out, "{turn:>6}")?;
        for value in &turns[turn].values {
            write!(out, "  {value:>8.4}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_mistakes(
    record: &Record,
    turns: &[JudgedTurn],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let moves = turns.iter().enumerate().flat_map(|(turn, judged)| {
        judged.moves.iter().filter(|own| own.cost >= SMALLEST).map(move |own| (turn, own))
    });
    let mut moves: Vec<(usize, &JudgedMove)> = moves.collect();
    if moves.is_empty() {
        return Ok(writeln!(out, "\nevery move was perfect")?);
    }
    moves.sort_by(|(_, a), (_, b)| b.cost.total_cmp(&a.cost));
    writeln!(out, "\n{:>6}  {:>8}  player: move played, perfect moves", "turn", "cost")?;
    for (turn, own) in moves {
        writeln!(
            out,
            "{turn:>6}  {:>8.4}  {}: {}, {}",
            own.cost,
            name_of(record, own.seat),
            clean(&own.played),
            describe_mixture(&own.best)
        )?;
    }
    Ok(())
}

/// A perfect mixture, and the actions that only other ones have.
fn describe_mixture(best: &[(String, f64)]) -> String {
    let (own, others): (Vec<_>, Vec<_>) = best.iter().partition(|(_, share)| *share > 0.0);
    let own = own.into_iter().map(|(action, share)| match *share > 0.9999 {
        true => clean(action),
        false => format!("{} {share:.2}", clean(action)),
    });
    let others = others.into_iter().map(|(action, _)| format!("or {}", clean(action)));
    let own: Vec<String> = own.collect();
    std::iter::once(own.join(" ")).chain(others).collect::<Vec<_>>().join(" ")
}
