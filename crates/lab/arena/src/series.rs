//! A series: one file with several tournaments, its parts, and one rating of its players over all
//! of them, beside ladders of built-in players whose ratings the file fixes.
//!
//! Each part is played, stored and shown as a tournament of its own, called after the series and
//! the part. The players that are to be rated, the same in all parts, come from the file or from
//! the command line; between rivals they meet everybody, and the ladder's players only them.

use std::collections::BTreeMap;

use quintain_core::{Catalog, FaultKind, Seat};
use quintain_standings::series::{Answers, SeriesBuilder, SeriesPart, SeriesStandings};
use quintain_standings::{MatchResult, ScoringRule};
use quintain_store::{Filter, Store, TournamentInfo};
use toml::{Table, Value};

use crate::standings::StandingsError;
use crate::tournament::{Format, SourcePosition, Tournament, TournamentError};

/// The key of the parts in a file.
const PART: &str = "part";
/// Keys above the parts that every part gets.
const COMMON: [&str; 3] = ["seeds", "seed", "budget"];
/// The least and the most that a rating of a ladder may be.
const RATINGS: std::ops::RangeInclusive<f64> = -1e6..=1e6;

/// Several tournaments and one rating.
pub struct Series {
    name: String,
    players: Vec<String>,
    parts: Vec<Part>,
}

/// One of the tournaments.
struct Part {
    tournament: Tournament,
    description: SeriesPart,
    /// The players of the series as they are called in this game.
    players: Vec<String>,
}

impl Series {
    /// Whether the text of a tournament file is that of a series.
    pub fn is_series(text: &str) -> bool {
        text.parse::<Table>().is_ok_and(|table| table.contains_key(PART))
    }

    /// Reads a series from the text of a file called `file`. The players of `with` are rated
    /// besides those that the file names.
    ///
    /// # Errors
    /// The first problem found, with the part that it is in.
    pub fn parse(
        text: &str,
        file: &str,
        with: &[String],
        catalog: &Catalog,
    ) -> Result<Series, TournamentError> {
        Series::parse_without(text, file, with, &|_| false, catalog)
    }

    /// Reads a series as [`Series::parse`] does, but for the players to be rated that are left out.
    ///
    /// # Errors
    /// As there.
    pub fn parse_without(
        text: &str,
        file: &str,
        with: &[String],
        is_left_out: &dyn Fn(&str) -> bool,
        catalog: &Catalog,
    ) -> Result<Series, TournamentError> {
        let fail = |problem: String| {
            let position = SourcePosition::new(file, text, &(0..0));
            TournamentError::Key { position, problem }
        };
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
            let position = SourcePosition::new(file, text, &error.span().unwrap_or(0..0));
            TournamentError::Syntax { position, problem: error.message().replace('\n', "; ") }
        })?;
        let stem = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        let name = match table.remove("name") {
            Some(Value::String(name)) => name,
            None => stem.into_owned(),
            Some(_) => return Err(fail("name: expected text in quotes".to_owned())),
        };
        let mut players = texts(table.remove("players")).map_err(&fail)?;
        players.extend(
            with.iter().filter(|player| !players.contains(player)).cloned().collect::<Vec<_>>(),
        );
        players.retain(|player| !is_left_out(player));
        if players.is_empty() {
            let problem = "a series rates players beside its ladder; name them, such as --with \
                           chat:NAME, or as players = […] in a file of your own";
            return Err(TournamentError::Part {
                part: file.to_owned(),
                problem: problem.to_owned(),
            });
        }
        let Some(Value::Array(parts)) = table.remove(PART) else {
            return Err(fail(format!("{PART}: expected tables, each beginning with [[{PART}]]")));
        };
        if let Some(key) = table.keys().find(|key| !COMMON.contains(&key.as_str())) {
            let known = ["name", "players", "seeds", "seed", "budget"];
            return Err(fail(format!(
                "{}; everything else stands below [[{PART}]]",
                quintain_core::did_you_mean("key", key, known)
            )));
        }
        let mut series = Series { name, players, parts: Vec::new() };
        for (number, part) in parts.into_iter().enumerate() {
            let Value::Table(part) = part else {
                return Err(fail(format!("{PART}: expected a table")));
            };
            let place = format!("{file}, part {}", number + 1);
            let part = series.part(part, &table, &place, catalog)?;
            if series.parts.iter().any(|known| known.description.name == part.description.name) {
                let name = &part.description.name;
                return Err(fail(format!("two parts are called {name}; give one a name = \"…\"")));
            }
            series.parts.push(part);
        }
        match series.parts.is_empty() {
            true => Err(fail(format!("there is no [[{PART}]]"))),
            false => Ok(series),
        }
    }

    /// Reads a part. `place` says where it stands.
    fn part(
        &self,
        mut part: Table,
        common: &Table,
        place: &str,
        catalog: &Catalog,
    ) -> Result<Part, TournamentError> {
        let fail = |problem: String| TournamentError::Part { part: place.to_owned(), problem };
        if let Some(key) = ["players", "pairing", "challengers", "allocate", "question", "rounds"]
            .into_iter()
            .find(|key| part.contains_key(*key))
        {
            return Err(fail(format!(
                "{key} is not for parts: the players of the series meet everybody, and those of \
                 the ladder"
            )));
        }
        let ladder = part.remove("ladder").ok_or_else(|| {
            fail(
                "“ladder” is missing; write for example ladder = { random = 0, champion = 900 }"
                    .to_owned(),
            )
        })?;
        let ladder = ratings(ladder).map_err(&fail)?;
        let name = match part.remove("name").or_else(|| part.get("game").cloned()) {
            Some(Value::String(name)) => name,
            _ => {
                return Err(fail(
                    "“game” is missing; write for example game = \"tron\"".to_owned(),
                ));
            }
        };
        let lists = self.players.iter().chain(ladder.iter().map(|(player, _)| player));
        let players = lists.map(|player| Value::String(player.clone())).collect();
        part.insert("players".to_owned(), Value::Array(players));
        part.insert("name".to_owned(), Value::String(format!("{}-{name}", self.name)));
        part.entry("notes").or_insert(Value::Boolean(true));
        for (key, value) in common {
            part.entry(key.clone()).or_insert(value.clone());
        }
        let parse = |part: &Table| {
            let parsed = Tournament::parse(&part.to_string(), place, catalog);
            parsed.map_err(|error| error.of_part(place))
        };
        let mut tournament = parse(&part)?;
        match tournament.format() {
            Format::Versus => {
                part.insert("pairing".to_owned(), Value::String("gauntlet".to_owned()));
                let challengers = Value::Integer(self.players.len() as i64);
                part.insert("challengers".to_owned(), challengers);
                tournament = parse(&part)?;
            }
            Format::Mixed => {
                return Err(fail(
                    "format = \"mixed\" is not for parts, since there the players \
                                 of the ladder sit beside others"
                        .to_owned(),
                ));
            }
            _ => {}
        }
        let all: Vec<String> = tournament.schedule().players().map(str::to_owned).collect();
        let (players, known) = all.split_at(self.players.len());
        let ladder = known.iter().cloned().zip(ladder.iter().map(|(_, rating)| *rating));
        let rule = ScoringRule { objective: tournament.objective(), scoring: tournament.scoring() };
        let description = SeriesPart { name, rule, ladder: ladder.collect() };
        Ok(Part { tournament, description, players: players.to_vec() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The players that are rated.
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// The tournaments, in the order of the file.
    pub fn tournaments(&self) -> impl Iterator<Item = &Tournament> {
        self.parts.iter().map(|part| &part.tournament)
    }

    /// The standings over all parts, from the records in the store; `runs` are the parts there.
    ///
    /// # Errors
    /// If the store cannot be read, or a result in it cannot be counted.
    pub fn standings(
        &self,
        store: &Store,
        runs: &[TournamentInfo],
    ) -> Result<SeriesStandings, StandingsError> {
        let parts = self.parts.iter().map(|part| part.description.clone()).collect();
        let mut builder = SeriesBuilder::new(self.players.clone(), parts);
        for (number, (part, run)) in self.parts.iter().zip(runs).enumerate() {
            let sets = run.scenario_sets();
            let names: BTreeMap<&str, &str> = (part.players.iter().zip(&self.players))
                .map(|(here, name)| (here.as_str(), name.as_str()))
                .collect();
            store.for_each_record(&Filter::tournament(run.id), |stored| {
                let record = stored.record()?;
                let seats = record.fixture.seats.iter();
                let players: Vec<&str> = seats
                    .map(|player| names.get(player.as_str()).copied().unwrap_or(player))
                    .collect();
                let fault = record.outcome.fault.as_ref();
                let kind = fault.map(|fault| fault.fault.kind.to_string());
                let fault_seat = fault.map(|fault| fault.seat.index());
                let result = MatchResult {
                    scenario: sets.set_of(&record.fixture.scenario),
                    seed: record.fixture.seed,
                    players: &players,
                    scores: &record.outcome.scores,
                    fault: fault_seat.zip(kind.as_deref()),
                    truncated: record.outcome.truncated,
                    ending: &record.outcome.ending,
                };
                builder.add(number, &result)?;
                for (seat, player) in players.iter().enumerate() {
                    let answers = count_answers(&record, Seat::new(seat));
                    builder.add_answers(player, answers);
                }
                Ok::<(), StandingsError>(())
            })?;
        }
        Ok(builder.standings())
    }
}

/// What the player of a seat answered in a match, from what it noted of each turn.
fn count_answers(record: &quintain_core::Record, seat: Seat) -> Answers {
    let mut answers = Answers::default();
    for note in record.notes.iter().filter(|note| note.seat == seat) {
        match note.name.as_str() {
            "tokens" => answers.tokens += note.value,
            "retries" => {
                answers.turns += 1;
                answers.misread += u64::from(note.value > 0.0);
            }
            _ => {}
        }
    }
    // Nothing is noted of a turn on which no answer was an action.
    let is_misread = |kind: FaultKind| matches!(kind, FaultKind::Illegal | FaultKind::Protocol);
    if record.outcome.fault.as_ref().is_some_and(|of| of.seat == seat && is_misread(of.fault.kind))
    {
        answers.turns += 1;
        answers.misread += 1;
    }
    answers
}

/// A list of texts; empty if it is left out.
fn texts(value: Option<Value>) -> Result<Vec<String>, String> {
    let wrong = || "players: expected a list of texts in brackets".to_owned();
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .into_iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

/// The players of a ladder with their ratings, the weakest first.
fn ratings(value: Value) -> Result<Vec<(String, f64)>, String> {
    let Value::Table(table) = value else {
        return Err("ladder: expected players with ratings, such as { random = 0 }".to_owned());
    };
    let rating = |(player, value): (String, Value)| {
        let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
        let number = number.filter(|rating| RATINGS.contains(rating));
        let problem = || format!("ladder: expected a rating in Elo for {player}, found {value}");
        number.ok_or_else(problem).map(|rating| (player.clone(), rating))
    };
    let mut ladder = table.into_iter().map(rating).collect::<Result<Vec<_>, _>>()?;
    ladder.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    match (ladder.first(), ladder.last()) {
        (Some((_, low)), Some((_, high))) if high - low >= 1.0 => Ok(ladder),
        _ => Err("ladder: expected two players or more, with different ratings".to_owned()),
    }
}
