//! The standings of a series: one rating over several games, and one in each. Nothing is computed
//! here.

use quintain_standings::columns::describe_mark;
use quintain_standings::series::{LADDER_TOP, SeriesRating, SeriesRow, SeriesStandings};
use quintain_stats::all_pairs::Mark;
use quintain_stats::{Interval, Sweep};

use crate::grid::Column;
use crate::numbers::{NOTHING, count, count_of, format_fixed, with_intervals};
use crate::standings::{Page, StandingsFormat, Style};

/// Renders the standings of a series in `format`, ending with a line break. In the formats for
/// people, the first two lines say who is best and how sure that is.
pub fn render_series(standings: &SeriesStandings, format: StandingsFormat) -> String {
    let style = match format {
        StandingsFormat::Table { width } => Style::Terminal { width },
        StandingsFormat::Markdown => Style::Markdown,
        StandingsFormat::Csv => return csv(standings),
        StandingsFormat::Json => {
            let text = serde_json::to_string_pretty(standings);
            return text.expect("standings have text keys and finite numbers") + "\n";
        }
    };
    let mut page = Page::new(style);
    describe_answer(standings).iter().for_each(|line| page.note(line));
    page.heading(&format!(
        "Over {}: {}; in each game the weakest of the ladder has 0, the strongest {LADDER_TOP}",
        count_of(standings.parts.len() as u64, "game"),
        count_of(standings.rows.len() as u64, "player"),
    ));
    page.columns(columns(standings));
    if standings.rows.iter().any(|row| row.parts.iter().flatten().any(|of| of.sweep.is_some())) {
        page.note("* Won or lost every match there: read it as “at least” or “at most”.");
    }
    describe_open(standings).iter().for_each(|line| page.note(line));
    page.heading("Ladders, with the ratings that are fixed");
    for part in &standings.parts {
        let scale = part.scale();
        let rungs: Vec<String> =
            scale.iter().map(|(player, at)| format!("{player} {}", format_fixed(*at, 0))).collect();
        page.note(&format!("{}: {}.", part.name, rungs.join(", ")));
    }
    page.text
}

/// Who is best, and how sure that is: a sentence for each.
fn describe_answer(standings: &SeriesStandings) -> Vec<String> {
    let Some((first, overall)) = standings.rows.first().and_then(|row| Some((row, row.overall?)))
    else {
        return vec!["No results yet.".to_owned()];
    };
    let others = &standings.rows[1..];
    let player = &first.player;
    let rating = describe_rating(&overall);
    let among = count_of(standings.rows.len() as u64, "player");
    let is_open = |row: &&SeriesRow| row.mark == Some(Mark::CannotTell);
    let open: Vec<&str> = others.iter().filter(is_open).map(|row| row.player.as_str()).collect();
    let answer = match first.mark {
        _ if others.is_empty() => format!("{player} has a rating of {rating}."),
        Some(Mark::Best) => {
            format!("{player} is certainly the best of {among}, with a rating of {rating}.")
        }
        Some(_) => format!(
            "{player} is first of {among}, with a rating of {rating}, but {} may be better.",
            open.join(" or ")
        ),
        None => format!(
            "{player} is first of {among}, with a rating of {rating}; nobody knows yet who is \
             better."
        ),
    };
    let range =
        |of: Interval| format!("{} to {}", format_fixed(of.low, 0), format_fixed(of.high, 0));
    let own = overall.interval.map(|interval| format!("its rating is {}", range(interval)));
    let next = others.first();
    let lead = next.and_then(|row| Some((row, row.behind?.1?)));
    let lead = lead.map(|(row, lead)| format!("its lead over {} is {}", row.player, range(lead)));
    let sure: Vec<String> = own.into_iter().chain(lead).collect();
    let certainty = match sure.is_empty() {
        true if overall.sweep.is_some() => {
            "How sure is not known: it won, or lost, everything.".to_owned()
        }
        true => "How sure is not known: that takes two seeds or more.".to_owned(),
        false => format!("With 95 % certainty {}.", sure.join(", ")),
    };
    vec![answer, certainty]
}

/// What is not certain yet, and what would make it certain.
fn describe_open(standings: &SeriesStandings) -> Option<String> {
    let open = standings.open.as_ref()?;
    let [one, other] = &open.players;
    Some(match open.more_seeds {
        Some(seeds) => format!(
            "Not certain yet: whether {one} is better than {other} (about {} would settle it in \
             half of all cases, if the lead holds).",
            count_of(seeds, "more seed")
        ),
        None => format!("Not certain yet: whether {one} is better than {other}."),
    })
}

fn describe_rating(of: &SeriesRating) -> String {
    let at = match of.sweep {
        Some(Sweep::AllWon) => "at least ",
        Some(Sweep::AllLost) => "at most ",
        None => "",
    };
    format!("{at}{}", format_fixed(of.rating, 0))
}

fn columns(standings: &SeriesStandings) -> Vec<Column> {
    let rows = &standings.rows;
    let column = |head: &str, weight: Option<u8>, cells: Vec<String>| Column {
        head: head.to_owned(),
        cells,
        text: false,
        weight,
    };
    let each = |cell: &dyn Fn(&SeriesRow) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let place = |row: &SeriesRow| match row.mark {
        Some(mark) => format!("{} {}", row.rank, describe_mark(mark)),
        None => row.rank.to_string(),
    };
    let ratings: Vec<Option<(f64, Option<Interval>)>> =
        rows.iter().map(|row| row.overall.map(|of| (of.rating, of.interval))).collect();
    let text = |head: &str, cells| Column { text: true, ..column(head, None, cells) };
    let mut all = vec![
        text("#", each(&place)),
        text("player", each(&|row| row.player.clone())),
        column("rating ± 95 %", None, with_intervals(&ratings, 0, false)),
    ];
    for (at, part) in standings.parts.iter().enumerate() {
        let rating = |row: &SeriesRow| match row.parts[at] {
            Some(of) if of.sweep.is_some() => format!("{}*", format_fixed(of.rating, 0)),
            Some(of) => format_fixed(of.rating, 0),
            None => NOTHING.to_owned(),
        };
        all.push(column(&part.name, Some(60), each(&rating)));
    }
    let answered = |row: &SeriesRow, value: String| match row.answers.turns {
        0 => NOTHING.to_owned(),
        _ => value,
    };
    let misread =
        |row: &SeriesRow| 100.0 * row.answers.misread as f64 / row.answers.turns.max(1) as f64;
    all.push(column(
        "illegal %",
        Some(90),
        each(&|row| answered(row, format_fixed(misread(row), 1))),
    ));
    let tokens = |row: &SeriesRow| (row.answers.tokens / row.matches.max(1) as f64).round() as u64;
    all.push(column("tokens a match", Some(80), each(&|row| answered(row, count(tokens(row))))));
    all.push(column("forfeits", Some(70), each(&|row| count(row.forfeits))));
    all.push(column("matches", Some(50), each(&|row| count(row.matches))));
    all
}

/// A record for each player and part, and one for all parts.
fn csv(standings: &SeriesStandings) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heads = [
        "part", "player", "rank", "rating", "low", "high", "matches", "forfeits", "turns",
        "misread", "tokens",
    ];
    writer.write_record(heads).expect("memory takes it");
    for row in &standings.rows {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let of = |part: &str, rating: Option<SeriesRating>, rest: [String; 6]| {
            let interval = rating.and_then(|of| of.interval);
            let [rank, others @ ..] = rest;
            let own = [
                part.to_owned(),
                row.player.clone(),
                rank,
                number(rating.map(|of| of.rating)),
                number(interval.map(|of| of.low)),
                number(interval.map(|of| of.high)),
            ];
            own.into_iter().chain(others).collect::<Vec<String>>()
        };
        let answers = row.answers;
        let rest = [
            row.rank.to_string(),
            row.matches.to_string(),
            row.forfeits.to_string(),
            answers.turns.to_string(),
            answers.misread.to_string(),
            answers.tokens.to_string(),
        ];
        writer.write_record(of("overall", row.overall, rest)).expect("memory takes it");
        for (part, rating) in standings.parts.iter().zip(&row.parts) {
            let rest: [String; 6] = Default::default();
            writer.write_record(of(&part.name, *rating, rest)).expect("memory takes it");
        }
    }
    String::from_utf8(writer.into_inner().expect("memory takes it")).expect("text makes text")
}
