//! Points by the formula in host.toml (`[grades]`): for the rank that is certain, for house players
//! that are certainly beaten, and for milestones. They are previewed, and published by the
//! organiser; learning platforms import them.

use std::collections::HashMap;

use quintain_stats::WinDrawLoss;
use quintain_stats::simultaneous::sign_test;
use serde::{Deserialize, Serialize};

use crate::class_list::CourseEntry;
use crate::config::Config;
use crate::contest::Contest;
use crate::error::{CONFIRM, HostError};
use crate::formula::{Formula, format_points};
use crate::grades::{GradedLadder, table};
use crate::lock::lock;
use crate::state::{Kind, Participant, Stage, State, Version, now};

/// The setting with the points that were published.
const PUBLISHED: &str = "published grades";
/// The p-value below which somebody has certainly beaten a player.
const CERTAIN: f64 = 0.05;

/// A participant's points and what they are for.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Points {
    pub(crate) all: f64,
    /// What each is for, in words, and how many.
    pub(crate) parts: Vec<(String, f64)>,
    /// What others would be for, and what is missing.
    #[serde(default)]
    pub(crate) missing: Vec<String>,
}

/// The points of everybody.
pub(crate) struct PointsTable {
    pub(crate) max: f64,
    /// What they are points of: the ladder, or the final.
    pub(crate) standings: &'static str,
    /// Points that nobody can have in the final, if there are such points.
    pub(crate) unreachable: Option<OutOfReach>,
    /// What the final lacks, if it is not over.
    pub(crate) unfinished: Option<String>,
    /// Whether they are of a ladder after which a final is planned.
    is_before_final: bool,
    /// What of the formula is hardly meant.
    pub(crate) doubts: Vec<String>,
    pub(crate) rows: Vec<(Participant, Points)>,
}

/// What a column of a platform's table has of a participant.
type Cell = fn(&Participant) -> String;

/// Returns the last name as the platform's list had it, or else the whole name.
fn last_name(who: &Participant) -> String {
    let course = &who.course;
    match course.first.is_empty() && course.last.is_empty() {
        true => who.display_name.clone(),
        false => course.last.clone(),
    }
}

/// Returns the last name of somebody whom a list of Canvas has in two columns.
fn last_name_in_canvas(who: &Participant) -> String {
    match who.course.canvas_id.is_empty() {
        true => String::new(),
        false => who.course.last.clone(),
    }
}

/// Returns the name by which Canvas sorts: as its list had it, or `Last, First`, or else as pages
/// show it.
fn sortable_name(who: &Participant) -> String {
    let CourseEntry { sorted, first, last, .. } = &who.course;
    match () {
        () if !sorted.is_empty() => sorted.clone(),
        () if !first.is_empty() && !last.is_empty() => format!("{last}, {first}"),
        () => who.display_name.clone(),
    }
}

/// For whom a table of points is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PointsFormat {
    /// People: with what the points are for.
    #[default]
    People,
    /// Moodle's import of grades.
    Moodle,
    /// Canvas' import of grades.
    Canvas,
}

impl PointsTable {
    /// Computes the points of everybody now.
    ///
    /// # Errors
    /// If host.toml has no formula, or the database cannot be read.
    pub(crate) fn of(contest: &Contest) -> Result<PointsTable, HostError> {
        let Some(formula) = &contest.formula()? else {
            return Err(HostError::Usage(
                "host.toml has no formula for points: add [grades], for example with ranks = \
                 { 1 = 40, 10 = 20 }"
                    .to_owned(),
            ));
        };
        let standings = GradedLadder::of(contest)?;
        let records = HeadToHead::of(contest, &standings)?;
        let participants = contest.read_state().participants()?;
        let mut rows = Vec::new();
        let banned: Vec<i64> =
            participants.iter().filter(|who| who.is_banned).map(|who| who.id).collect();
        for mut who in participants.into_iter().filter(Participant::is_graded) {
            who.is_banned |= banned.contains(&who.plays_as());
            let mut versions = contest.read_state().versions_of(who.plays_as())?;
            let team = match who.team {
                // What somebody submitted before joining a team has passed all the same.
                Some(team) => {
                    versions.extend(contest.read_state().versions_of(who.id)?);
                    contest.read_state().participant(team)?.map(|team| team.display_name)
                }
                None => None,
            };
            let points = compute(formula, &standings, &records, (&who, team.as_deref()), &versions);
            rows.push((who, points));
        }
        rows.sort_by(|(_, one), (_, other)| other.all.total_cmp(&one.all));
        let unreachable = OutOfReach::of(formula, &contest.config);
        let (max, unfinished) = (formula.max(), standings.describe_unfinished());
        let has_final = contest.config.final_rounds().is_some();
        let is_before_final = standings.kind == Kind::Ladder && has_final;
        let standings = standings.word();
        let doubts = formula.list_doubts();
        Ok(PointsTable { max, standings, unreachable, unfinished, is_before_final, doubts, rows })
    }

    /// Writes the table for people, with a column for what each is for.
    pub(crate) fn csv(&self) -> Result<String, HostError> {
        let head = ["called", "number", "mail", "points", "of", "for", "missing"];
        let row = |(who, points): &(Participant, Points)| {
            vec![
                who.display_name.clone(),
                who.course.number.clone(),
                who.course.mail.clone(),
                format_points(points.all),
                format_points(self.max),
                describe(points),
                points.missing.join("; "),
            ]
        };
        table(&head, self.rows.iter().map(row))
    }

    /// Writes the table that Moodle imports (Grades, Import, CSV file): it finds participants by
    /// ID number or e-mail address, and the last column is the grade.
    pub(crate) fn moodle(&self, contest: &str) -> Result<String, HostError> {
        // What only Canvas' list said is of no use there.
        let has = |cell: Cell| {
            let of_others = self.rows.iter().filter(|(who, _)| who.course.canvas_id.is_empty());
            of_others.map(|(who, _)| cell(who)).any(|text| !text.is_empty())
        };
        let mut columns: Vec<(&str, Cell)> = vec![
            ("ID number", |who| who.course.number.clone()),
            ("Email address", |who| who.course.mail.clone()),
        ];
        if has(|who| who.course.login.clone()) {
            columns.push(("Username", |who| who.course.login.clone()));
        }
        match has(|who| who.course.last.clone()) {
            true => columns.extend([
                ("First name", (|who| who.course.first.clone()) as Cell),
                ("Last name", last_name),
            ]),
            false => columns.push(("Full name", |who| who.display_name.clone())),
        }
        if has(|who| who.course.section.clone()) {
            columns.push(("Groups", |who| who.course.section.clone()));
        }
        self.write(&columns, contest, None)
    }

    /// Writes the table that Canvas imports (Grades, Import): the columns of its gradebook as they
    /// came, then one of points, whose most the second row has. Canvas finds participants by its
    /// own ID, or else by SIS user ID, login or name, and puts the points into the assignment of
    /// this name, which it makes if there is none.
    pub(crate) fn canvas(&self, contest: &str) -> Result<String, HostError> {
        let has = |cell: Cell| self.rows.iter().any(|(who, _)| !cell(who).is_empty());
        let is_split = !has(|who| who.course.sorted.clone()) && has(last_name_in_canvas);
        let mut columns: Vec<(&str, Cell)> = match is_split {
            true => {
                vec![("LastName", last_name as Cell), ("FirstName", |who| who.course.first.clone())]
            }
            false => vec![("Student", sortable_name as Cell)],
        };
        columns.push(("ID", |who| who.course.canvas_id.clone()));
        if has(|who| who.course.number.clone()) {
            columns.push(("SIS User ID", |who| who.course.number.clone()));
        }
        columns.push(("SIS Login ID", |who| who.course.login.clone()));
        let optional: [(&str, Cell); 2] = [
            ("Integration ID", |who| who.course.integration_id.clone()),
            ("Root Account", |who| who.course.root_account.clone()),
        ];
        columns.extend(optional.into_iter().filter(|(_, cell)| has(*cell)));
        columns.push(("Section", |who| who.course.section.clone()));
        self.write(&columns, contest, Some("    Points Possible"))
    }

    /// Writes a table of these columns, and one of points; if the most points have a row, it
    /// begins with this.
    fn write(
        &self,
        columns: &[(&str, Cell)],
        contest: &str,
        most: Option<&str>,
    ) -> Result<String, HostError> {
        let head: Vec<&str> = columns.iter().map(|(head, _)| *head).chain([contest]).collect();
        let most = most.map(|begin| {
            let mut row = vec![String::new(); columns.len()];
            begin.clone_into(&mut row[0]);
            row.push(format_points(self.max));
            row
        });
        let row = |(who, points): &(Participant, Points)| {
            let cells = columns.iter().map(|(_, cell)| cell(who));
            cells.chain([format_points(points.all)]).collect()
        };
        table(&head, most.into_iter().chain(self.rows.iter().map(row)))
    }

    /// Says whom a learning platform will not find in its table, and what to do, in a line; nothing
    /// if it finds everybody.
    pub(crate) fn describe_unfound(&self, format: PointsFormat) -> Option<String> {
        let (platform, lacks) = match format {
            PointsFormat::People => return None,
            PointsFormat::Moodle => ("Moodle", "no ID number and no e-mail address"),
            PointsFormat::Canvas => ("Canvas", "no ID, no SIS user ID and no login"),
        };
        let is_found = |course: &CourseEntry| match format {
            PointsFormat::Canvas => {
                [&course.canvas_id, &course.number, &course.login].iter().any(|id| !id.is_empty())
            }
            _ => !(course.number.is_empty() && course.mail.is_empty()),
        };
        let unfound = self.rows.iter().filter(|(who, _)| !is_found(&who.course));
        let names: Vec<&str> = unfound.map(|(who, _)| who.display_name.as_str()).collect();
        if names.is_empty() {
            return self.describe_mapping().filter(|_| format == PointsFormat::Moodle);
        }
        Some(format!(
            "{platform} will not find {}: {lacks}; invite the class once more from {platform}’s \
             list, which adds that",
            names.join("; ")
        ))
    }

    /// Says by which column Moodle finds everybody, unless it is the first one: an import goes by
    /// one column, and leaves out who has nothing there.
    fn describe_mapping(&self) -> Option<String> {
        let lacking = |cell: fn(&CourseEntry) -> &String| -> Vec<&str> {
            let lacking = self.rows.iter().filter(|(who, _)| cell(&who.course).is_empty());
            lacking.map(|(who, _)| who.display_name.as_str()).collect()
        };
        let without_number = lacking(|course| &course.number);
        let without_mail = lacking(|course| &course.mail);
        match (without_number.is_empty(), without_mail.is_empty()) {
            (true, _) => None,
            (false, true) => Some(format!(
                "in Moodle, map “Email address” to the user, which everybody has; {} no ID number",
                match without_number.len() {
                    1 => "1 participant has".to_owned(),
                    count => format!("{count} participants have"),
                }
            )),
            (false, false) => Some(format!(
                "Moodle finds people by one column, and neither is complete: no ID number of {}; \
                 no e-mail address of {}; invite the class once more from Moodle’s list, which \
                 adds that",
                without_number.join("; "),
                without_mail.join("; ")
            )),
        }
    }

    /// Publishes the points: from now on everybody sees their own. Points of a ladder before its
    /// final, and of a final that is not over or of which some are out of reach for everybody, want
    /// to be confirmed. Says what is published.
    pub(crate) fn publish(
        &self,
        state: &mut State,
        by: &str,
        is_confirmed: bool,
    ) -> Result<String, HostError> {
        let is_final = self.standings == Kind::Final.word();
        let unreachable = self.unreachable.as_ref().filter(|_| is_final).map(OutOfReach::advise);
        let shown = self.describe_publication();
        let early = self
            .is_before_final
            .then(|| format!("the final is not over: this publishes {shown}, as they stand now"));
        let reasons: Vec<String> =
            early.into_iter().chain(self.unfinished.clone()).chain(unreachable).collect();
        if !reasons.is_empty() && !is_confirmed {
            return Err(HostError::Unconfirmed { what: reasons.join("; "), option: CONFIRM });
        }
        let of = self.rows.iter().map(|(who, points)| (who.id, points.clone())).collect();
        let standings = self.standings.to_owned();
        let published = Published { at: now(), max: self.max, standings, of };
        let text = serde_json::to_string(&published).unwrap_or_default();
        let what = format!("published the points of the {}", self.standings);
        state.set(by, PUBLISHED, Some(&text), &what)?;
        Ok(format!("published: {shown}"))
    }

    /// Says which points are published, of how many, and who sees them.
    fn describe_publication(&self) -> String {
        let running = if self.is_before_final { "running " } else { "" };
        let standings = self.standings;
        match self.rows.len() {
            1 => format!("the points of the {running}{standings}, of 1 participant, on their page"),
            count => format!(
                "the points of the {running}{standings}, of {count} participants, visible on each \
                 one's page"
            ),
        }
    }
}

/// Says who has no row and no letter because they are merged into somebody else; nothing if there
/// is nobody.
pub(crate) fn describe_merged(state: &State) -> Result<Option<String>, HostError> {
    let all = state.participants()?;
    let merged = all.iter().filter(|who| !who.is_team).filter_map(|who| {
        let into = all.iter().find(|into| who.merged == Some(into.id))?;
        Some(format!("{} (merged into {})", who.display_name, into.display_name))
    });
    let merged: Vec<String> = merged.collect();
    let names = merged.join("; ");
    Ok((!merged.is_empty()).then(|| format!("no row and no letter of their own: {names}")))
}

/// Points that everybody sees.
#[derive(Serialize, Deserialize)]
pub(crate) struct Published {
    /// When they were published, in seconds since 1970.
    pub(crate) at: i64,
    pub(crate) max: f64,
    /// Of what: the ladder, or the final; empty if an earlier version published them.
    #[serde(default)]
    pub(crate) standings: String,
    /// The points of each participant, by their id.
    pub(crate) of: HashMap<i64, Points>,
}

impl Published {
    /// Returns the points that were published last.
    pub(crate) fn read(state: &State) -> Result<Option<Published>, HostError> {
        Ok(state.setting(PUBLISHED)?.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

/// Says what points are for.
pub(crate) fn describe(points: &Points) -> String {
    let parts =
        points.parts.iter().map(|(what, points)| format!("{what} {}", format_points(*points)));
    parts.collect::<Vec<_>>().join("; ")
}

/// Points of the final that nobody can have: it has too few seeds for anybody to beat a player of
/// the house with certainty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OutOfReach {
    /// The players of the house.
    players: Vec<String>,
    /// The rounds of the final, and those that it would need.
    rounds: u64,
    rounds_needed: u64,
    /// The most seeds on which two programs meet, and those that have to be won.
    seeds: u64,
    seeds_needed: u64,
}

impl OutOfReach {
    /// Returns what is out of reach by this formula in the final that is planned, if anything.
    pub(crate) fn of(formula: &Formula, config: &Config) -> Option<OutOfReach> {
        let rounds = config.final_rounds()?;
        let scenarios = config.final_scenarios().len().max(1) as u64;
        // At a table of more than two, programs may even meet in fewer rounds.
        let (seeds, seeds_needed) = (rounds.saturating_mul(scenarios), wins_needed(0));
        let players: Vec<String> = formula.rewarded().cloned().collect();
        let is_out = seeds < seeds_needed && !players.is_empty();
        let rounds_needed = seeds_needed.div_ceil(scenarios);
        is_out.then_some(OutOfReach { players, rounds, rounds_needed, seeds, seeds_needed })
    }

    /// Says for whom, and why.
    pub(crate) fn describe(&self) -> String {
        let rounds = if self.rounds == 1 { "round" } else { "rounds" };
        let seeds = if self.seeds == 1 { "seed" } else { "seeds" };
        format!(
            "in a final of {} {rounds} nobody can have the points for beating {}: two programs \
             meet on {} {seeds}, and at least {} have to be won",
            self.rounds,
            self.players.join(", "),
            self.seeds,
            self.seeds_needed
        )
    }

    /// Says also what the organiser can do.
    pub(crate) fn advise(&self) -> String {
        format!(
            "{}; plan {1} rounds or more (final = {1} in host.toml), or give these points for \
             something else",
            self.describe(),
            self.rounds_needed
        )
    }
}

/// Returns the fewest seeds to be won by whoever lost so many, to be better with 95 % certainty by
/// the exact sign test.
fn wins_needed(losses: u64) -> u64 {
    (losses + 1..).find(|wins| sign_test(*wins, losses) < CERTAIN).unwrap_or(u64::MAX)
}

fn compute(
    formula: &Formula,
    standings: &GradedLadder,
    records: &HeadToHead,
    (who, team): (&Participant, Option<&str>),
    versions: &[Version],
) -> Points {
    if who.is_banned {
        return Points { missing: vec!["banned".to_owned()], ..Points::default() };
    }
    let mut own = Points::default();
    let place = standings.rungs.iter().position(|rung| rung.version.participant == who.plays_as());
    if let Some(place) = place {
        let rung = &standings.rungs[place];
        own.earn_rank(formula, standings.range(place).map(|(_, worst)| worst));
        for (player, points) in &formula.beats {
            let mut house = standings.rungs.iter().filter(|rung| rung.version.is_house());
            let house = house.find(|rung| rung.version.name == *player);
            let missing = match house {
                Some(house) => records.missing(rung.version.id, house.version.id),
                None => Some("not there".to_owned()),
            };
            own.earn(
                *points,
                format!("beats {player}"),
                missing.map(|why| format!("{player}: {why}")),
            );
        }
        let faults = match (rung.matches, rung.faults) {
            (0, _) => Some("no match yet".to_owned()),
            (_, 0) => None,
            (_, 1) => Some("1 match lost by a fault".to_owned()),
            (_, faults) => Some(format!("{faults} matches lost by a fault")),
        };
        let milestone = "no match lost by a fault".to_owned();
        own.earn(formula.milestones.faultless, milestone, faults);
    }
    let missing = place.is_none().then(|| match team {
        Some(team) => format!(
            "the team {team} has no program in the {}: a member submits one for it",
            standings.word()
        ),
        None => format!("no program in the {}", standings.word()),
    });
    let is_missing_all = place.is_none() && !(formula.ranks.is_empty() && formula.beats.is_empty());
    own.earn(formula.milestones.ladder, "on the ladder".to_owned(), missing.clone());
    if is_missing_all && formula.milestones.ladder <= 0.0 {
        own.missing.extend(missing);
    }
    let has_passed = versions.iter().any(|version| version.stage == Stage::Passed);
    let missing = (!has_passed).then(|| match versions.is_empty() {
        true => "nothing was submitted".to_owned(),
        false => "no version has passed the check".to_owned(),
    });
    own.earn(formula.milestones.passed, "passed the check".to_owned(), missing);
    let all = own.parts.iter().map(|(_, points)| points).sum::<f64>();
    own.all = all.min(formula.max());
    if all >= formula.max() {
        own.missing.clear();
    }
    own
}

impl Points {
    /// Adds the points for something, unless something is missing.
    fn earn(&mut self, points: f64, what: String, missing: Option<String>) {
        match missing {
            _ if points <= 0.0 => {}
            None => self.parts.push((what, points)),
            Some(missing) => self.missing.push(missing),
        }
    }

    /// Adds the points for the worst rank that a version may truly have, if that is known.
    fn earn_rank(&mut self, formula: &Formula, certain: Option<u64>) {
        let Some(worst) = certain else {
            if !formula.ranks.is_empty() {
                self.missing.push("no rank is certain yet".to_owned());
            }
            return;
        };
        let points = formula.of_rank(worst);
        self.earn(points, format!("rank {worst} or better"), None);
        if points < formula.of_rank(1) {
            self.missing.push(format!("rank certain only to {worst}"));
        }
    }
}

/// How versions did against house players, one result for each seed of each scenario.
struct HeadToHead(HashMap<(i64, i64), WinDrawLoss>);

impl HeadToHead {
    fn of(contest: &Contest, standings: &GradedLadder) -> Result<HeadToHead, HostError> {
        let (ladder, finals) = (lock(&contest.ladder), lock(&contest.finals));
        let graded = standings.graded(&ladder, finals.as_ref());
        let house = || standings.rungs.iter().filter(|rung| rung.version.is_house());
        let mut all: HashMap<(i64, i64), WinDrawLoss> = HashMap::new();
        if graded.is_solo() {
            for (own, house) in
                standings.rungs.iter().flat_map(|own| house().map(move |h| (own, h)))
            {
                let (own, house) = (own.version.id, house.version.id);
                for on_scenario in graded.compare(own, house) {
                    *all.entry((own, house)).or_default() += on_scenario.seeds;
                }
            }
            return Ok(HeadToHead(all));
        }
        // Both sides of a start are one observation.
        let mut leads: HashMap<(i64, i64, String, u64), i64> = HashMap::new();
        let is_house = |id: i64| house().any(|rung| rung.version.id == id);
        let id = ladder.id();
        contest.read_state().for_each_played(standings.kind, |played| {
            if !played.counts_for(standings.kind, id) {
                return;
            }
            for (own, other, game) in graded.games_of(&played).into_iter() {
                if is_house(other) {
                    let (scenario, seed) = (played.pairing.scenario.clone(), played.pairing.seed);
                    let lead = game.wins as i64 - game.losses as i64;
                    *leads.entry((own, other, scenario, seed)).or_default() += lead;
                }
            }
        })?;
        for ((own, other, ..), lead) in leads {
            let of = all.entry((own, other)).or_default();
            match lead {
                1.. => of.wins += 1,
                0 => of.draws += 1,
                _ => of.losses += 1,
            }
        }
        Ok(HeadToHead(all))
    }

    /// Returns what is missing until a version has certainly beaten a house player, if it has not.
    fn missing(&self, own: i64, house: i64) -> Option<String> {
        let WinDrawLoss { wins, losses, .. } =
            self.0.get(&(own, house)).copied().unwrap_or_default();
        let needed = wins_needed(losses);
        let seeds = if wins == 1 { "seed" } else { "seeds" };
        (wins < needed).then(|| match losses {
            0 => format!("won on {wins} {seeds} and lost on none, where {needed} wins are needed"),
            _ => format!(
                "won on {wins} {seeds} and lost on {losses}, where {needed} wins are needed \
                 against {losses} lost"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(text: &str) -> Formula {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn points_by_rank_are_those_of_the_best_rank_that_is_certain() {
        let formula = formula("ranks = { 1 = 40, 3 = 30, 10 = 20 }\nmilestones = { passed = 10 }");
        for (worst, points) in [(1, 40.0), (2, 30.0), (3, 30.0), (4, 20.0), (10, 20.0), (11, 0.0)] {
            assert_eq!(formula.of_rank(worst), points, "rank {worst}");
        }
        assert_eq!(formula.max(), 50.0);
    }

    #[test]
    fn no_cell_of_an_export_is_a_formula() {
        let course = CourseEntry {
            number: "=HYPERLINK(\"http://evil.example\")".to_owned(),
            mail: "@SUM(1)".to_owned(),
            login: "-2+3".to_owned(),
            canvas_id: "\t=1".to_owned(),
            section: "+-=@cmd|' /C calc'!A0".to_owned(),
            sorted: "=1+1, Ada".to_owned(),
            first: "@Ada".to_owned(),
            last: "+Lovelace".to_owned(),
            integration_id: "=2".to_owned(),
            root_account: "-x".to_owned(),
        };
        let parts = vec![("passed the check".to_owned(), 3.0)];
        let points = Points { all: 3.0, parts, missing: Vec::new() };
        let table = PointsTable {
            max: 5.0,
            standings: "ladder",
            unreachable: None,
            is_before_final: false,
            doubts: Vec::new(),
            unfinished: None,
            rows: vec![
                (participant("Ada", course), points.clone()),
                (
                    participant(
                        "Bob",
                        CourseEntry { number: "-7".into(), ..CourseEntry::default() },
                    ),
                    points,
                ),
            ],
        };
        let begins_formula = |cell: &str| {
            cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
        };
        for text in [table.csv(), table.moodle("cup"), table.canvas("cup")] {
            let text = text.unwrap();
            for row in csv::Reader::from_reader(text.as_bytes()).records() {
                assert!(!row.unwrap().iter().any(begins_formula), "{text}");
            }
            assert!(text.contains("HYPERLINK") && text.contains("-7"), "{text}");
        }
    }

    fn participant(name: &str, course: CourseEntry) -> Participant {
        Participant {
            id: 1,
            name: name.to_owned(),
            display_name: name.to_owned(),
            course,
            ..Participant::default()
        }
    }

    #[test]
    fn a_house_player_is_beaten_only_if_that_is_certain() {
        let record = |wins, losses| WinDrawLoss { wins, draws: 3, losses };
        let all = HeadToHead(HashMap::from([
            ((1, 9), record(6, 0)),
            ((2, 9), record(5, 0)),
            ((3, 9), record(20, 15)),
            ((4, 9), record(0, 6)),
        ]));
        let missing: Vec<Option<String>> = (1..=5).map(|own| all.missing(own, 9)).collect();
        let words = [
            None,
            Some("won on 5 seeds and lost on none, where 6 wins are needed"),
            Some("won on 20 seeds and lost on 15, where 29 wins are needed against 15 lost"),
            Some("won on 0 seeds and lost on 6, where 17 wins are needed against 6 lost"),
            Some("won on 0 seeds and lost on none, where 6 wins are needed"),
        ];
        assert_eq!(missing, words.map(|words| words.map(str::to_owned)));
    }

    #[test]
    fn points_that_too_few_rounds_make_unreachable_are_named_with_the_rounds_needed() {
        let out_of_reach = |scenarios: &str, rounds: u64, beats: &str| {
            let text = format!(
                "name = 'x'\ngame = 'tron'\nscenarios = [{scenarios}]\n\
                 [[phases]]\nname = 'f'\nfinal = {rounds}\n"
            );
            let config = Config::parse(&text, &quintain_games::catalog()).unwrap();
            OutOfReach::of(&formula(&format!("beats = {{ {beats} }}")), &config)
        };
        let (one, two) = ("'hackerrank'", "'hackerrank', 'codingame?players=2'");
        let few = out_of_reach(one, 5, "random = 20, wall-hugger = 20, greedy = 0").unwrap();
        assert_eq!(
            few.advise(),
            "in a final of 5 rounds nobody can have the points for beating random, wall-hugger: \
             two programs meet on 5 seeds, and at least 6 have to be won; plan 6 rounds or more \
             (final = 6 in host.toml), or give these points for something else"
        );
        assert_eq!(out_of_reach(two, 2, "random = 1").unwrap().rounds_needed, 3);
        for (scenarios, rounds, beats) in
            [(one, 6, "random = 1"), (two, 3, "random = 1"), (one, 5, "random = 0")]
        {
            assert_eq!(out_of_reach(scenarios, rounds, beats), None, "{rounds}: {beats}");
        }
        // As many wins as it says are granted, and no fewer.
        let won = |wins| {
            let record = WinDrawLoss { wins, draws: 0, losses: 0 };
            HeadToHead(HashMap::from([((1, 9), record)])).missing(1, 9)
        };
        assert!(won(few.seeds).is_some() && won(few.seeds_needed).is_none());
    }

    #[test]
    fn a_rank_that_is_certain_to_little_says_how_far() {
        let formula = formula("ranks = { 1 = 40, 10 = 20 }");
        for (worst, all, missing) in [
            (Some(1), 40.0, None),
            (Some(8), 20.0, Some("rank certain only to 8")),
            (Some(12), 0.0, Some("rank certain only to 12")),
            (None, 0.0, Some("no rank is certain yet")),
        ] {
            let mut points = Points::default();
            points.earn_rank(&formula, worst);
            let sum = points.parts.iter().map(|(_, points)| points).sum::<f64>();
            assert_eq!((sum, points.missing.first().map(String::as_str)), (all, missing));
        }
    }

    #[test]
    fn an_impossible_formula_says_what_is_wrong() {
        let house = ["random".to_owned(), "greedy".to_owned()];
        for (text, why) in [
            ("ranks = { first = 3 }", "ranks.first: a rank is a whole number"),
            ("beats = { gready = 3 }", "did you mean “greedy”"),
            ("ranks = { 1 = -3 }", "points are numbers from 0 on"),
        ] {
            let refused = formula(text).check(&house).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
        assert_eq!(formula("beats = { random = 3 }").check(&house), Ok(()));
        assert_eq!(
            ["30", "0.5", "12.25"],
            [30.0, 0.5, 12.25].map(format_points).each_ref().map(|s| s.as_str())
        );
    }
}
