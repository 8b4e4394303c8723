//! The contest's file, `host.toml`: what is played, when, and within which limits.
//! [`crate::new_contest`] writes a new one.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::http::HeaderName;
use quintain_arena::{scenario_with_chance, seed_matters, set_instead};
use quintain_bots::Protection;
use quintain_bots::limits::{Limits, Size, Time};
use quintain_core::{
    AnyEntry, Catalog, PlayerHandle, SEED, ScenarioSet, Spec, TextFileError, read_settings,
};
use quintain_stats::all_pairs::MIN_SEEDS;
use quintain_web::Base;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::value::Datetime;

use crate::archive::TreeLimits;
use crate::build::Builds;
use crate::error::HostError;
use crate::formula::Formula;
use crate::maps::{self, MapFile};
use crate::state::{Quota, State, VersionLimits};
use crate::zone::Zone;

/// Maximum number of rounds of a final.
const MAX_ROUNDS: u64 = 10_000;
/// The file's name in the contest's folder.
pub(crate) const FILE: &str = "host.toml";

/// A contest as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) game: String,
    pub(crate) scenarios: Vec<String>,
    #[serde(default)]
    pub(crate) budget: String,
    /// The names of the seats, for games in which the two seats play different roles, such as a
    /// builder and a sequencer. With them there are standings by seat.
    #[serde(default)]
    pub(crate) seats: Vec<String>,
    /// Players of the game that are on the ladder from the beginning.
    #[serde(default)]
    pub(crate) house: Vec<String>,
    #[serde(default)]
    pub(crate) sandbox: Sandbox,
    /// Whether pages show a number in place of each name until the final is over.
    #[serde(default)]
    pub(crate) hidden_names: bool,
    /// Whether the ladder has a column that says which programs a line of moves beats.
    #[serde(default)]
    pub(crate) exploited: bool,
    /// Whether the pages are reached by HTTPS, through a proxy.
    #[serde(default)]
    pub(crate) https: bool,
    /// The zone of times that have none, and of times that people read.
    #[serde(default, rename = "time_zone")]
    pub(crate) zone: Zone,
    /// The path below which the pages are, such as `/tron`.
    #[serde(default, deserialize_with = "read_path")]
    pub(crate) path: Base,
    /// Whom a proxy signs in; nobody by default.
    pub(crate) single_sign_on: Option<SingleSignOn>,
    /// Threads that play; the default is one fewer than there are cores.
    pub(crate) threads: Option<usize>,
    /// Matches of each version; when all versions have that many, the ladder rests.
    #[serde(default = "usual_matches")]
    pub(crate) matches: u64,
    /// For how long the seeds that everybody plays alone, and the records on them, are secret: then
    /// they are shown, and others are played.
    #[serde(default = "usual_new_seeds")]
    pub(crate) new_seeds: Time,
    /// Hidden copies of programs on the ladder, which measure how far apart identical programs
    /// stand.
    #[serde(default = "usual_copies")]
    pub(crate) copies: usize,
    /// How many of each version's latest matches keep their records; the default is all.
    pub(crate) keep_records: Option<u64>,
    #[serde(default)]
    pub(crate) limits: HandInLimits,
    /// Limits of each program's processes.
    #[serde(default)]
    pub(crate) program: Limits,
    /// How programs are built from source.
    #[serde(default)]
    pub(crate) build: Builds,
    #[serde(default)]
    pub(crate) phases: Vec<Phase>,
    /// The formula of the points, if there are any.
    pub(crate) grades: Option<Formula>,
    /// The files of scenarios, found when the contest's file was read.
    #[serde(skip)]
    pub(crate) maps: Vec<MapFile>,
}

/// A proxy that signs people in, and says by a header who they are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SingleSignOn {
    /// The header with the login name, e-mail address or number.
    pub(crate) header: String,
    /// The addresses of the proxy; the header of anybody else is ignored.
    pub(crate) from: Vec<IpAddr>,
}

impl SingleSignOn {
    fn check(&self) -> Result<(), String> {
        if HeaderName::try_from(&self.header).is_err() {
            return Err(format!("single_sign_on: {:?} is no name of a header", self.header));
        }
        match self.from.is_empty() {
            true => Err("single_sign_on: `from` needs the address of the proxy".to_owned()),
            false => Ok(()),
        }
    }
}

/// How programs are confined.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sandbox {
    #[default]
    Full,
    Basic,
    Off,
}

impl Sandbox {
    pub(crate) fn protection(self) -> Protection {
        match self {
            Sandbox::Full => Protection::Full,
            Sandbox::Basic => Protection::Basic,
            Sandbox::Off => Protection::Off,
        }
    }
}

/// Limits for what is submitted.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct HandInLimits {
    /// Maximum size of an upload.
    pub(crate) upload: Size,
    /// Maximum size after unpacking.
    pub(crate) unpacked: Size,
    pub(crate) files: usize,
    /// Maximum number of versions of one participant within an hour, and in all.
    pub(crate) per_hour: u64,
    pub(crate) per_participant: u64,
    /// Maximum disk space of one participant's versions.
    pub(crate) disk: Size,
    /// How long the files of versions that failed their check are kept.
    pub(crate) keep_failed: Time,
    /// Maximum number of participants.
    pub(crate) participants: u64,
    /// Maximum number of challenges of one participant, which count for nothing, within an hour.
    pub(crate) challenges: u64,
    /// For how long the challenges of one participant, and the checks with their builds, may take a
    /// thread within an hour.
    pub(crate) challenge_time: Time,
    pub(crate) check_time: Time,
}

impl Default for HandInLimits {
    fn default() -> Self {
        HandInLimits {
            upload: Size(8 << 20),
            unpacked: Size(64 << 20),
            files: 1000,
            per_hour: 20,
            per_participant: 500,
            disk: Size(256 << 20),
            keep_failed: Time(Duration::from_secs(7 * 24 * 3600)),
            participants: 1000,
            challenges: 30,
            challenge_time: Time(Duration::from_secs(120)),
            check_time: Time(Duration::from_secs(600)),
        }
    }
}

impl HandInLimits {
    pub(crate) fn challenge_quota(&self) -> Quota {
        Quota(self.challenge_time.0.as_secs_f64())
    }

    pub(crate) fn check_quota(&self) -> Quota {
        Quota(self.check_time.0.as_secs_f64())
    }

    pub(crate) fn version_limits(&self) -> VersionLimits {
        VersionLimits { per_hour: self.per_hour, all: self.per_participant }
    }

    pub(crate) fn tree(&self) -> TreeLimits {
        TreeLimits { files: self.files, bytes: self.unpacked.0 }
    }
}

/// What is allowed from a certain time on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Phase {
    pub(crate) name: String,
    /// When it begins. Without a time, the first phase begins with the contest, and others when the
    /// organiser chooses them.
    from: Option<Datetime>,
    /// The moment of that, in the contest's time zone.
    #[serde(skip)]
    begins: Option<SystemTime>,
    /// Whether programs are accepted: never in the final, and otherwise by default.
    submissions: Option<bool>,
    /// Whether ladder matches are played, with the same default.
    ladder: Option<bool>,
    /// The scenarios of this phase, in place of the contest's own.
    scenarios: Option<Vec<String>>,
    /// Rounds of the final, if this phase is the final: everybody meets everybody, on every
    /// scenario.
    #[serde(default, rename = "final")]
    pub(crate) rounds: Option<u64>,
}

fn read_path<'de, D: Deserializer<'de>>(text: D) -> Result<Base, D::Error> {
    String::deserialize(text)?.parse().map_err(|error| D::Error::custom(format!("path: {error}")))
}

fn usual_matches() -> u64 {
    1000
}

fn usual_new_seeds() -> Time {
    Time(Duration::from_secs(3600))
}

fn usual_copies() -> usize {
    2
}

impl Phase {
    /// Returns whether programs are accepted.
    pub(crate) fn takes_programs(&self) -> bool {
        self.submissions.unwrap_or(self.rounds.is_none())
    }

    /// Returns whether ladder matches are played.
    pub(crate) fn has_ladder(&self) -> bool {
        self.ladder.unwrap_or(self.rounds.is_none())
    }

    /// Returns when the phase begins by host.toml, if it has a time there.
    pub(crate) fn time(&self) -> Option<SystemTime> {
        self.begins
    }

    fn check_final(&self) -> Result<(), String> {
        if self.takes_programs() || self.has_ladder() {
            return Err(format!(
                "phase {}: the final neither accepts programs nor plays the ladder",
                self.name
            ));
        }
        if !(1..=MAX_ROUNDS).contains(&self.rounds.unwrap_or(0)) {
            return Err(format!(
                "phase {}: final must be a number of rounds, 1 to {MAX_ROUNDS}",
                self.name
            ));
        }
        Ok(())
    }

    /// Reads its time. A later phase without one begins only when the organiser chooses it.
    fn read_time(&mut self, zone: &Zone) -> Result<(), String> {
        let Some(from) = &self.from else { return Ok(()) };
        self.begins = zone.read(&from.to_string());
        self.begins.map(|_| ()).ok_or_else(|| {
            let expected = format!(
                "from must be a time such as 2030-01-31T18:00:00Z, with the difference from UTC \
                 2030-01-31T19:00:00+01:00, or without one if time_zone says which it is; not \
                 {from}"
            );
            format!("phase {}: {}", self.name, zone.explain(&from.to_string(), &expected))
        })
    }
}

impl Config {
    /// Returns the ladder of a phase: the one on its scenarios, or the last one in a phase without.
    pub(crate) fn ladder_of(&self, state: &mut State, phase: &Phase) -> Result<i64, HostError> {
        if phase.has_ladder() {
            return state.ladder_on(self.scenarios_of(phase));
        }
        match state.last_ladder()? {
            Some(last) => Ok(last),
            None => state.ladder_on(&self.scenarios),
        }
    }

    /// Reads the file of a contest's folder.
    ///
    /// # Errors
    /// [`HostError::Config`] says what is wrong, and in which line.
    pub(crate) fn load(folder: &Path, catalog: &Catalog) -> Result<Config, HostError> {
        let file = folder.join(FILE);
        let text = match read_settings(&file) {
            Ok(text) => text,
            Err(TextFileError::Missing(_)) => {
                let shown = folder.display();
                return Err(HostError::Usage(format!(
                    "{shown} has no {FILE}; begin a contest: quintain host init {shown} --game GAME"
                )));
            }
            Err(error) => return Err(HostError::Config { file, problem: error.problem() }),
        };
        Config::parse_in(folder, &text, catalog)
            .map_err(|problem| HostError::Config { file, problem })
    }

    /// Whether points are given for beating a house player.
    pub(crate) fn gives_points_for(&self, player: &str) -> bool {
        let mut rewarded = self.grades.iter().flat_map(Formula::rewarded);
        rewarded.any(|known| known == player)
    }

    /// Reads the formula for points again, as the organiser may have changed it since the start.
    ///
    /// # Errors
    /// If the file cannot be read, or has an impossible formula.
    pub(crate) fn read_formula(&self, folder: &Path) -> Result<Option<Formula>, HostError> {
        #[derive(Deserialize)]
        struct WithFormula {
            grades: Option<Formula>,
        }

        let file = folder.join(FILE);
        let text = read_settings(&file).map_err(|error| error.problem());
        let read = text.and_then(|text| {
            toml::from_str::<WithFormula>(&text).map_err(|error| problem_of(&text, &error))
        });
        let formula = read.and_then(|WithFormula { grades }| {
            grades.as_ref().map_or(Ok(()), |formula| formula.check(&self.house))?;
            Ok(grades)
        });
        formula.map_err(|problem| HostError::Config { file, problem })
    }

    /// Reads a contest's file whose scenarios are relative to the current folder.
    pub(crate) fn parse(text: &str, catalog: &Catalog) -> Result<Config, String> {
        Config::parse_in(Path::new(""), text, catalog)
    }

    fn parse_in(folder: &Path, text: &str, catalog: &Catalog) -> Result<Config, String> {
        let mut config: Config =
            toml::from_str(text).map_err(|error: toml::de::Error| problem_of(text, &error))?;
        if config.phases.is_empty() {
            config.phases.push(Phase {
                name: "open".into(),
                from: None,
                begins: None,
                submissions: None,
                ladder: None,
                scenarios: None,
                rounds: None,
            });
        }
        for phase in &mut config.phases {
            phase.read_time(&config.zone)?;
        }
        config.check_phases()?;
        config.single_sign_on.as_ref().map_or(Ok(()), SingleSignOn::check)?;
        config.find_maps(folder, catalog)?;
        config.check_scenarios(catalog)?;
        config.grades.as_ref().map_or(Ok(()), |formula| formula.check(&config.house))?;
        config.build = config.build.with_usual();
        Ok(config)
    }

    /// Returns all scenarios, those of phases included.
    fn all_scenarios(&self) -> impl Iterator<Item = &String> {
        let of_phases = self.phases.iter().filter_map(|phase| phase.scenarios.as_ref());
        [&self.scenarios].into_iter().chain(of_phases).flatten()
    }

    /// Finds the files that scenarios name.
    fn find_maps(&mut self, folder: &Path, catalog: &Catalog) -> Result<(), String> {
        let mut maps = Vec::new();
        for scenario in self.all_scenarios() {
            let map = maps::find(folder, catalog, &self.game, scenario);
            maps.extend(map.map_err(|error| match error {
                TextFileError::Changed { path, found, expected } => format!(
                    "{}: it has changed since the contest began (digest {found}, not \
                     {expected}), and one ladder cannot mix two boards; put the file back, or \
                     begin another contest",
                    path.display()
                ),
                error => format!("{scenario}: {error}"),
            })?);
        }
        self.maps = maps;
        Ok(())
    }

    /// Returns the file of a scenario, if it names one.
    pub(crate) fn map_of(&self, scenario: &str) -> Option<&MapFile> {
        self.maps.iter().find(|map| map.scenario == scenario)
    }

    /// Returns a scenario with the digest of its file, if it names one.
    pub(crate) fn pinned<'a>(&'a self, scenario: &'a str) -> &'a str {
        self.map_of(scenario).map_or(scenario, |map| &map.file.pinned)
    }

    fn check_phases(&self) -> Result<(), String> {
        let mut finals = self.phases.iter().filter(|phase| phase.rounds.is_some());
        if let Some(last) = finals.next() {
            last.check_final()?;
        }
        if let Some(second) = finals.next() {
            return Err(format!("phase {}: there can be only one final", second.name));
        }
        for (at, phase) in self.phases.iter().enumerate() {
            if self.phases[..at].iter().any(|before| before.name == phase.name) {
                return Err(format!("phase {}: two phases have that name", phase.name));
            }
        }
        match self.phases.iter().filter_map(Phase::time).is_sorted() {
            true => Ok(()),
            false => Err("phases must be in the order of their times".to_owned()),
        }
    }

    /// Checks that results on all scenarios can be compared, and that the house can play there.
    fn check_scenarios(&self, catalog: &Catalog) -> Result<(), String> {
        let to_text = |error: &dyn std::fmt::Display| error.to_string();
        self.budget.parse::<quintain_core::Budget>().map_err(|error| to_text(&error))?;
        let entry = catalog.entry(&self.game).map_err(|error| to_text(&error))?;
        let pools = || {
            let of_phases = self.phases.iter().filter_map(|phase| phase.scenarios.as_ref());
            [&self.scenarios].into_iter().chain(of_phases)
        };
        if pools().any(Vec::is_empty) {
            return Err("scenarios: name at least one".to_owned());
        }
        let find = |scenario: &str| {
            let set = ScenarioSet::find(catalog, &self.game, self.pinned(scenario));
            set.map(|set| Arc::clone(set.game())).map_err(|error| to_text(&error))
        };
        let first = find(&self.scenarios[0])?;
        for scenario in pools().flatten() {
            let game = find(scenario)?;
            if (game.scoring(), game.objective()) != (first.scoring(), first.objective()) {
                return Err(format!(
                    "scenarios: scores on {scenario} cannot be compared with those on {}",
                    self.scenarios[0]
                ));
            }
            if !self.seats.is_empty() && (self.seats.len(), game.seats()) != (2, 2) {
                return Err(format!(
                    "seats: expected two names, and scenarios with two seats; {scenario} has {} \
                     seats, and {} are named",
                    game.seats(),
                    self.seats.len()
                ));
            }
            for player in &self.house {
                let handle = entry.player(player).map_err(|error| to_text(&error))?;
                game.accepts(&handle).map_err(|error| to_text(&error))?;
            }
        }
        Ok(())
    }

    /// Returns the phase of this name, or the only one whose name begins this way.
    pub(crate) fn find_phase(&self, name: &str) -> Option<&Phase> {
        let exact = self.phases.iter().find(|phase| phase.name == name);
        let mut alike = self.phases.iter().filter(|phase| phase.name.starts_with(name));
        let only = alike.next().filter(|_| alike.next().is_none() && !name.is_empty());
        exact.or(only)
    }

    /// Returns the house players that answer at once, against which programs are tried out.
    pub(crate) fn quick_house<'a>(&'a self, entry: &dyn AnyEntry) -> Vec<&'a String> {
        self.house.iter().filter(|player| !thinks_long(entry, player)).collect()
    }

    /// Returns the scenarios of a phase.
    pub(crate) fn scenarios_of<'a>(&'a self, phase: &'a Phase) -> &'a [String] {
        phase.scenarios.as_ref().unwrap_or(&self.scenarios)
    }

    /// Returns the scenarios of the final.
    pub(crate) fn final_scenarios(&self) -> &[String] {
        let last = self.phases.iter().find(|phase| phase.rounds.is_some());
        last.map_or(&self.scenarios, |phase| self.scenarios_of(phase))
    }

    /// Returns the rounds of the final, if there is one.
    pub(crate) fn final_rounds(&self) -> Option<u64> {
        self.phases.iter().find_map(|phase| phase.rounds)
    }
}

/// Returns the simplest player of a game that can take a seat: the opponent of a first program.
pub(crate) fn simplest_player(entry: &dyn AnyEntry, scenario: &str) -> Option<PlayerHandle> {
    let game = entry.game(&example_of(scenario)).ok()?;
    let roster = entry.players();
    let names = ["random"].into_iter().chain(roster.iter().map(|player| player.name()));
    names.filter_map(|name| entry.player(name).ok()).find(|player| game.accepts(player).is_ok())
}

/// Returns an example of the scenarios that a text with an open number describes.
pub(crate) fn example_of(scenario: &str) -> String {
    scenario.replace(SEED, "1")
}

/// Returns a scenario as people read it, without the open number, which means nothing to them.
pub(crate) fn short_scenario(scenario: &str) -> String {
    let Ok(mut spec) = scenario.parse::<Spec>() else { return scenario.to_owned() };
    spec.arguments.retain(|(_, value)| value != SEED);
    spec.to_string()
}

/// Returns whether a player thinks for as long as its budget allows.
pub(crate) fn thinks_long(entry: &dyn AnyEntry, player: &str) -> bool {
    let Ok(Spec { path, .. }) = player.parse() else { return false };
    entry.players().iter().any(|known| known.name() == path && known.anytime)
}

/// Returns what an organiser should know about the file's contents, one remark per line: scenarios
/// on which every match is the same problem, house players that slow down every match, and phases
/// that are over before they begin.
pub(crate) fn list_remarks(
    config: &Config,
    has_begun: impl Fn(&Phase) -> bool,
    catalog: &Catalog,
) -> Vec<String> {
    let Ok(entry) = catalog.entry(&config.game) else { return Vec::new() };
    let mut remarks = describe_repetitions(config, entry);
    let budget: quintain_core::Budget = config.budget.parse().unwrap_or_default();
    let long = config.house.iter().filter(|player| thinks_long(entry, player));
    if budget.per_move.or(budget.per_match).is_some() {
        remarks.extend(long.map(|player| {
            format!(
                "house player {player} thinks for as long as {} allows, whatever its own \
                 parameters say: the ladder waits for it in each of its matches",
                config.budget
            )
        }));
    }
    if let Some(rounds) = config.final_rounds()
        && (rounds as usize) * config.final_scenarios().len() < MIN_SEEDS
    {
        remarks
            .push("so few rounds of the final make no rank certain; plan ten or more".to_owned());
    }
    let over = config.phases.windows(2).filter(|pair| has_begun(&pair[1]));
    remarks.extend(
        over.map(|pair| {
            format!("the phase {:?} is over: {:?} has begun", pair[0].name, pair[1].name)
        }),
    );
    remarks
}

/// For each scenario on which all matches are the same problem although the game has many, returns
/// a line that says which one to play instead.
fn describe_repetitions(config: &Config, entry: &dyn AnyEntry) -> Vec<String> {
    let describe = |written: &String| {
        let scenario = config.pinned(written);
        if let Some(set) = set_instead(entry, scenario) {
            return Some(format!(
                "on {written} every match is the same problem, and deterministic players do the \
                 same in each; {set} draws another for every match"
            ));
        }
        let is_fixed = entry.game(scenario).is_ok_and(|game| !seed_matters(&*game, 1));
        let other = scenario_with_chance(entry).filter(|_| is_fixed)?;
        Some(format!(
            "on {written} every match begins alike, and two deterministic players play the same \
             match again and again; on {other} seeds differ"
        ))
    };
    config.all_scenarios().filter_map(describe).collect()
}

/// Says what is wrong with a text of TOML, and in which line.
fn problem_of(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
    format!("line {line}: {}", error.message().replace('\n', "; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_final_and_it_takes_no_programs() {
        let catalog = quintain_games::catalog();
        let head = "name = 'x'\ngame = 'tron'\nscenarios = ['hackerrank']\n";
        let of = |phases: &str| Config::parse(&format!("{head}{phases}"), &catalog);
        let last = "[[phases]]\nname = 'f'\nfinal = 3\n";
        let config = of(last).unwrap();
        assert!(!config.phases[0].takes_programs() && !config.phases[0].has_ladder());
        assert_eq!(config.final_rounds(), Some(3));
        for (bad, message) in [
            (format!("{last}{last}"), "one final"),
            (format!("{last}ladder = true\n"), "neither accepts"),
            ("[[phases]]\nname = 'f'\nfinal = 0\n".to_owned(), "rounds"),
        ] {
            assert!(of(&bad).unwrap_err().contains(message), "{bad}");
        }
    }

    #[test]
    fn a_phase_may_have_its_own_scenarios() {
        let catalog = quintain_games::catalog();
        let head =
            "name = 'x'\ngame = 'tron'\nscenarios = ['hackerrank']\n[[phases]]\nname = 'one'\n";
        let last = "[[phases]]\nname = 'f'\nfinal = 3\nscenarios = ['empty']\n";
        let config = Config::parse(&format!("{head}{last}"), &catalog).unwrap();
        assert_eq!(config.scenarios_of(&config.phases[0]), ["hackerrank"]);
        assert_eq!(config.final_scenarios(), ["empty"]);
        let none = format!("{head}{last}").replace("['empty']", "[]");
        assert!(Config::parse(&none, &catalog).unwrap_err().contains("at least one"));
        let wrong = format!("{head}{last}").replace("'empty'", "'nowhere'");
        assert!(Config::parse(&wrong, &catalog).unwrap_err().contains("nowhere"));
    }

    #[test]
    fn a_file_that_is_none_or_too_large_is_refused_in_a_line() {
        let (place, catalog) = (tempfile::tempdir().unwrap(), quintain_games::catalog());
        let file = place.path().join(FILE);
        let load = || Config::load(place.path(), &catalog).err().unwrap().to_string();
        std::fs::write(&file, "a.a.a=1\n".repeat((1 << 17) + 1)).unwrap();
        assert!(load().ends_with("host.toml: it is larger than 1 MiB"), "{}", load());
        std::fs::remove_file(&file).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        assert!(load().ends_with("host.toml: it is not a regular file"), "{}", load());
    }

    #[test]
    fn an_error_names_its_line() {
        let catalog = quintain_games::catalog();
        let message = Config::parse("name = 'x'\ngame = 3\n", &catalog).unwrap_err();
        assert!(message.starts_with("line 2: "), "{message}");
    }
}
