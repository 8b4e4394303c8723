//! Grades: the standings as a table for spreadsheets, and the table of a game's seats. Once there
//! is a final, they are those of the final.

use std::collections::HashMap;

use quintain_standings::columns::LADDER_FIELDS;
use quintain_stats::WinDrawLoss;
use quintain_stats::online::{GameResult, RatedGame, Rating, glicko2_ratings};

use crate::contest::Contest;
use crate::error::HostError;
use crate::finals::{FinalResult, Finals, describe_missing};
use crate::ladder::{Ladder, Rung};
use crate::lock::lock;
use crate::seats::SeatTable;
use crate::state::{Exploited, Kind, Participant, Version, time_of};

/// A table with a head and rows. No spreadsheet takes a cell of a row for a formula: what a course
/// knows of people is partly written by themselves.
pub(crate) fn table(
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<String, HostError> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| HostError::Usage(format!("no table can be made: {error}"));
    out.write_record(head).map_err(failed)?;
    for row in rows {
        out.write_record(row.iter().map(|cell| harmless(cell))).map_err(failed)?;
    }
    let bytes = out.into_inner().map_err(|error| failed(error.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns a cell that no spreadsheet takes for a formula: without the signs with which formulas
/// begin, unless it is a number.
fn harmless(cell: &str) -> &str {
    match cell.parse::<f64>() {
        Ok(number) if number.is_finite() => cell,
        _ => cell.trim_start_matches(|sign: char| "=+-@".contains(sign) || sign.is_control()),
    }
}

/// What is graded: the final, once there is one, otherwise the ladder.
pub(crate) struct GradedLadder {
    /// Whether they are of the final or of the ladder.
    pub(crate) kind: Kind,
    pub(crate) rungs: Vec<Rung>,
    /// The ranks that each may truly have, in the order of the rungs; empty during a final.
    pub(crate) ranges: Vec<Option<(u64, u64)>>,
    /// For a final under way: the number of matches played, and of all matches.
    pub(crate) so_far: Option<(usize, usize)>,
    /// For a final that was over: which matches are missing since, in a sentence.
    pub(crate) missing: Option<String>,
}

impl GradedLadder {
    /// Returns what is graded: the final, once there is one, otherwise the ladder.
    pub(crate) fn of(contest: &Contest) -> Result<GradedLadder, HostError> {
        let active = contest.read_state().playing()?;
        let result = lock(&contest.finals).as_mut().map(Finals::result);
        Ok(match result {
            Some(result) => {
                let so_far = (!result.is_over()).then_some((result.played, result.planned));
                let missing = describe_missing(&result.missing);
                let FinalResult { rungs, ranges, .. } = result;
                GradedLadder {
                    kind: Kind::Final,
                    rungs,
                    ranges: ranges.unwrap_or_default(),
                    so_far,
                    missing,
                }
            }
            None => {
                let mut ladder = lock(&contest.ladder);
                let rungs = ladder.standings(&active);
                let ranges = ladder.certain_ranks(&rungs);
                GradedLadder { kind: Kind::Ladder, rungs, ranges, so_far: None, missing: None }
            }
        })
    }

    /// Says that a final is not played to its end, or which of its matches are missing; nothing
    /// otherwise.
    pub(crate) fn describe_unfinished(&self) -> Option<String> {
        let so_far = || {
            let (played, planned) = self.so_far?;
            Some(format!(
                "{played} of the final's {planned} matches are played; ranks and points will change"
            ))
        };
        self.missing.clone().or_else(so_far)
    }

    /// Returns the word for what they are standings of.
    pub(crate) fn word(&self) -> &'static str {
        if self.kind == Kind::Final { "final" } else { "ladder" }
    }

    /// Returns the ladder of these standings: the final's, or the contest's.
    pub(crate) fn graded<'a>(&self, ladder: &'a Ladder, finals: Option<&'a Finals>) -> &'a Ladder {
        finals.filter(|_| self.kind == Kind::Final).map_or(ladder, Finals::ladder)
    }

    /// Returns the ranks that the version at this place may truly have.
    pub(crate) fn range(&self, place: usize) -> Option<(u64, u64)> {
        self.ranges.get(place).copied().flatten()
    }
}

/// Maximum number of versions in a table by seat: the first of the standings.
pub(crate) const MAX_IN_SEAT_TABLE: usize = 60;

/// The seat table of a contest.
pub(crate) struct StandingsBySeat {
    /// The versions, in the order of the standings.
    pub(crate) versions: Vec<Version>,
    pub(crate) table: SeatTable,
    pub(crate) is_final: bool,
}

impl StandingsBySeat {
    /// Makes the table of the final, once there is one, otherwise of the ladder.
    pub(crate) fn of(contest: &Contest) -> Result<StandingsBySeat, HostError> {
        let standings = GradedLadder::of(contest)?;
        let is_final = standings.kind == Kind::Final;
        let versions: Vec<Version> =
            standings.rungs.into_iter().take(MAX_IN_SEAT_TABLE).map(|rung| rung.version).collect();
        let table = match (is_final, &*lock(&contest.finals)) {
            (true, Some(finals)) => finals.seat_table(&versions),
            _ => lock(&contest.ladder).seat_table(&versions),
        };
        Ok(StandingsBySeat { versions, table, is_final })
    }
}

/// The default columns of the grades.
const USUAL: [&str; 14] = [
    "rank",
    "name",
    "version",
    "measure",
    "low",
    "high",
    "matches",
    "faults",
    "submitted",
    "called",
    "is",
    "standings",
    "best_rank",
    "worst_rank",
];
/// Columns on request only: what the course knows of a participant.
const COURSE: [&str; 4] = ["number", "mail", "login", "section"];
/// A column on request only: the team for which a participant plays.
const TEAM: &str = "team";
/// Columns on request only: the rating by Glicko-2 and its standard deviation.
const GLICKO: [&str; 2] = ["glicko2", "glicko2_deviation"];
/// Columns on request only: on how many starts a line of moves beats the version, and of how many.
const EXPLOITED: [&str; 2] = ["exploited", "exploited_of"];
/// The column of a contest in which everybody plays alone: the mean score, by scenario if there are
/// several.
pub(crate) const ALONE: &str = "mean_score";
/// Matches of each version in a rating period of Glicko-2, which wants 10 to 15.
const PERIOD: usize = 10;

fn columns_of(is_solo: bool) -> impl Iterator<Item = &'static str> {
    let more: &[&[&str]] = if is_solo { &[&[ALONE]] } else { &[&GLICKO, &EXPLOITED] };
    USUAL.into_iter().chain(COURSE).chain([TEAM]).chain(more.iter().copied().flatten().copied())
}

/// Lists all available columns, in words.
pub(crate) fn list_columns(is_solo: bool) -> String {
    columns_of(is_solo).collect::<Vec<_>>().join(", ")
}

/// Returns the current grades of a contest with these columns; if none are given, with the usual
/// ones.
pub(crate) fn of(contest: &Contest, columns: &[String]) -> Result<String, HostError> {
    let is_solo = lock(&contest.ladder).is_solo();
    let known = || columns_of(is_solo);
    let mut chosen: Vec<&str> = Vec::new();
    for column in columns {
        let found = known().find(|known| known == column).ok_or_else(|| {
            let all = list_columns(is_solo);
            HostError::Usage(format!("grades have no column {column:?}; there are {all}"))
        })?;
        chosen.push(found);
    }
    if chosen.is_empty() {
        chosen = USUAL.to_vec();
        chosen.extend(is_solo.then_some(ALONE));
    }
    let standings = GradedLadder::of(contest)?;
    let glicko = match chosen.iter().any(|column| GLICKO.contains(column)) {
        true => glicko2(contest, &standings)?,
        false => Vec::new(),
    };
    let (participants, exploited) = {
        let state = contest.read_state();
        (state.participants()?, state.list_exploited()?)
    };
    csv(&standings, &participants, (&glicko, &exploited), &chosen)
}

/// Returns the Glicko-2 ratings in the order of the standings, from the matches among the versions
/// in them.
fn glicko2(contest: &Contest, standings: &GradedLadder) -> Result<Vec<Rating>, HostError> {
    let ladder = lock(&contest.ladder);
    let ids = standings.rungs.iter().enumerate().map(|(place, rung)| (rung.version.id, place));
    let places: HashMap<i64, usize> = ids.collect();
    let mut games = Vec::new();
    let id = ladder.id();
    contest.read_state().for_each_played(standings.kind, |played| {
        if !played.counts_for(standings.kind, id) {
            return;
        }
        for (own, other, game) in ladder.games_of(&played) {
            // Each match is reported by both of its sides.
            if let (Some(&first), Some(&second)) = (places.get(&own), places.get(&other))
                && first < second
            {
                let result = match game {
                    WinDrawLoss { wins: 1.., .. } => GameResult::Win,
                    WinDrawLoss { losses: 1.., .. } => GameResult::Loss,
                    _ => GameResult::Draw,
                };
                games.push(RatedGame { first, second, result });
            }
        }
    })?;
    let period = (places.len() * PERIOD / 2).max(1);
    Ok(glicko2_ratings(places.len(), games.chunks(period)))
}

/// Describes what a table is about.
fn describe_standings(standings: &GradedLadder) -> String {
    match standings.so_far {
        Some((played, planned)) => format!("{} so far: {played} of {planned}", standings.word()),
        None => standings.word().to_owned(),
    }
}

/// Returns what the course knows of a participant.
fn course_cell(who: &Participant, column: &str) -> String {
    let course = &who.course;
    let text = match column {
        "number" => &course.number,
        "mail" => &course.mail,
        "login" => &course.login,
        _ => &course.section,
    };
    text.clone()
}

/// Returns what a participant is, in a word.
fn kind_of(who: &Participant) -> &'static str {
    match () {
        () if who.is_banned => "banned",
        () if who.is_house => "house",
        () if who.is_team => "team",
        () => "participant",
    }
}

/// Returns what the team of a participant is called; nothing if they are in none.
fn name_of_team(participants: &[Participant], who: &Participant) -> String {
    let team = participants.iter().find(|team| Some(team.id) == who.team);
    team.map_or(String::new(), |team| team.display_name.clone())
}

/// Returns what a column has for a participant who does not play.
fn absent_cell(
    standings: &GradedLadder,
    participants: &[Participant],
    who: &Participant,
    column: &str,
) -> String {
    match column {
        "name" => who.name.clone(),
        "team" => name_of_team(participants, who),
        "called" => who.display_name.clone(),
        "is" => kind_of(who).to_owned(),
        "standings" => describe_standings(standings),
        "matches" | "faults" => "0".to_owned(),
        of_course if COURSE.contains(&of_course) => course_cell(who, of_course),
        _ => String::new(),
    }
}

/// Writes a row for every active participant, including house players, because ranks count them;
/// then for participants who do not play.
fn csv(
    standings: &GradedLadder,
    participants: &[Participant],
    (glicko, exploited): (&[Rating], &HashMap<i64, Exploited>),
    columns: &[&str],
) -> Result<String, HostError> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    let whole = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let of_rung = |place: usize, who: Option<&Participant>, column: &str| {
        let rung = &standings.rungs[place];
        let range = standings.range(place);
        let glicko = rung.measure.and_then(|_| glicko.get(place));
        // Where a program answers otherwise each time, there is no figure.
        let exploited = exploited.get(&rung.version.id).filter(|known| !known.varies);
        match column {
            "rank" => rung.rank.to_string(),
            "name" => who.map_or(&rung.version.name, |who| &who.name).clone(),
            "team" => who.map_or(String::new(), |who| name_of_team(participants, who)),
            "version" => rung.version.number.to_string(),
            "submitted" => humantime::format_rfc3339_seconds(time_of(rung.version.at)).to_string(),
            "called" => who.map_or("", |who| who.display_name.as_str()).to_owned(),
            "is" => who.map_or("", kind_of).to_owned(),
            "standings" => describe_standings(standings),
            "best_rank" => whole(range.map(|(best, _)| best)),
            "worst_rank" => whole(range.map(|(_, worst)| worst)),
            "glicko2" => number(glicko.map(|of| of.rating)),
            "glicko2_deviation" => number(glicko.map(|of| of.deviation)),
            "exploited" => whole(exploited.map(|known| known.beaten)),
            "exploited_of" => whole(exploited.map(|known| known.starts)),
            of_course if COURSE.contains(&of_course) => {
                who.map_or(String::new(), |who| course_cell(who, of_course))
            }
            other => {
                let field = LADDER_FIELDS.iter().find(|field| field.key == other);
                field.map_or(String::new(), |field| (field.read)(rung))
            }
        }
    };
    let rungs = &standings.rungs;
    let row = |place, who| columns.iter().map(|column| of_rung(place, who, column)).collect();
    let rows = rungs.iter().enumerate().map(|(place, rung)| {
        let who = participants.iter().find(|who| who.id == rung.version.participant);
        row(place, who)
    });
    // Then everybody else who is graded: members of a team as it stands.
    let others = participants.iter().filter(|who| {
        who.is_graded() && !rungs.iter().any(|rung| rung.version.participant == who.id)
    });
    let others = others.map(|who| {
        let of_team = rungs.iter().position(|rung| Some(rung.version.participant) == who.team);
        match of_team {
            Some(place) => row(place, Some(who)),
            None => {
                let cell = |column: &&str| absent_cell(standings, participants, who, column);
                columns.iter().map(cell).collect()
            }
        }
    });
    table(columns, rows.chain(others))
}
