//! A tournament file, read and resolved: every name in it is looked up and every combination
//! checked before the first match. The TOML is read in [`file`](self), matches are counted in
//! [`crate::schedule`].

mod changes;
mod error;
mod file;

use std::ops::Range;
use std::path::Path;

use quintain_core::{
    Budget, Catalog, Objective, PlayerHandle, ScenarioSet, ScenarioSets, Scoring, SpecError,
    SpecSyntaxError, read_settings,
};
use quintain_store::TournamentEntry;
use serde_json::{Value, json};

use changes::LEFT_OUT;
pub use changes::describe_changes;
pub use error::{SourcePosition, TournamentError};
pub use file::{Format, MAX_SEEDS, Pairing, Question, set_seeds};

use crate::lineups::Lineups;
use crate::schedule::{FixtureNumbers, RoundSettings, ScenarioSlot, Schedule};
pub(crate) use file::FIRST_LOOK;
use file::{Draft, Located, PairingWord, Source};

/// The word for a Swiss tournament in files and definitions.
pub(crate) const SWISS: &str = "swiss";
pub(crate) const GAUNTLET: &str = "gauntlet";

/// The word for a knockout.
pub(crate) const KNOCKOUT: &str = "knockout";

/// A tournament that can be played: a file whose every name was found in a catalog.
///
/// # Example
/// ```
/// use quintain_arena::{RunOptions, Tournament, run, standings_of};
/// use quintain_store::Store;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let catalog = quintain_games::catalog();
/// let text = r#"
///     game = "tron"
///     players = ["random", "wall-hugger"]
///     seeds = 3
/// "#;
/// let tournament = Tournament::parse(text, "cup.toml", &catalog)?;
/// let mut store = Store::in_memory()?;
/// let summary = run(&tournament, &mut store, &RunOptions::default(), &mut |_| {})?;
/// assert_eq!(summary.played, tournament.schedule().len());
/// let standings = standings_of(&store, &store.tournament(None)?)?;
/// assert_eq!(standings.overall.len(), 2);
/// println!("{} is first", standings.overall[0].player);
/// # Ok(())
/// # }
/// ```
pub struct Tournament {
    name: String,
    game: String,
    format: Format,
    objective: Objective,
    scoring: Scoring,
    text: String,
    definition: String,
    schedule: Schedule,
    pairing: Pairing,
    question: Option<Question>,
    left_out: Vec<String>,
}

/// Decides by a player's text whether a player that cannot be seated is left out, and says why.
pub type LeavesOut<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Tournament {
    /// Reads a tournament file.
    ///
    /// # Errors
    /// If the file cannot be read, or as [`Tournament::parse`].
    pub fn load(path: &Path, catalog: &Catalog) -> Result<Tournament, TournamentError> {
        Tournament::load_able(path, catalog, &|_| None)
    }

    /// As [`Tournament::load`], but a player that cannot be seated is left out if `leaves_out` says
    /// so, as long as two others remain: [`Tournament::left_out`].
    ///
    /// # Errors
    /// As [`Tournament::load`].
    pub fn load_able(
        path: &Path,
        catalog: &Catalog,
        leaves_out: LeavesOut<'_>,
    ) -> Result<Tournament, TournamentError> {
        let text = read_settings(path)?;
        Tournament::parse_able(&text, &path.display().to_string(), catalog, leaves_out)
    }

    /// Reads a tournament from the text of a file. `file` is its name, used in errors and as the
    /// tournament's name if it has no other.
    ///
    /// # Errors
    /// The first problem found, with its line and column.
    pub fn parse(text: &str, file: &str, catalog: &Catalog) -> Result<Tournament, TournamentError> {
        Tournament::parse_able(text, file, catalog, &|_| None)
    }

    /// As [`Tournament::parse`], leaving out players as [`Tournament::load_able`] does.
    ///
    /// # Errors
    /// As [`Tournament::parse`].
    pub fn parse_able(
        text: &str,
        file: &str,
        catalog: &Catalog,
        leaves_out: LeavesOut<'_>,
    ) -> Result<Tournament, TournamentError> {
        let source = Source { file, text };
        let draft = file::read(source)?;
        Resolver { source, catalog, draft: &draft, leaves_out }.tournament()
    }

    /// Makes a tournament that an executor can play from matches chosen one by one. Its `id`
    /// distinguishes it from any other. Players, scenarios and line-ups are numbered in the order
    /// in which they are listed.
    ///
    /// # Errors
    /// If there is no match, the number of a scenario or player is out of range, seats are left
    /// empty, or the scenarios do not agree on how scores are read.
    pub fn of_matches(chosen: ChosenMatches) -> Result<Tournament, SpecError> {
        let ChosenMatches { id, name, game, scenarios: sets, players, fixtures, budget } = chosen;
        let wrong = |problem: String| Err(SpecError::from(SpecSyntaxError::from(problem)));
        let Some(first) = sets.first().filter(|_| !fixtures.is_empty()) else {
            return wrong(format!("{name}: there is nothing to play"));
        };
        let (objective, scoring) = (first.game().objective(), first.game().scoring());
        let differs = |set: &&ScenarioSet| {
            (set.game().objective(), set.game().scoring()) != (objective, scoring)
        };
        if let Some(other) = sets.iter().find(differs) {
            let (one, other) = (first.text(), other.text());
            return wrong(format!(
                "{name}: scores on {other} cannot be compared with those on {one}"
            ));
        }
        let format = Format::suiting(first.game().seats(), scoring);
        for FixtureNumbers { scenario, lineup, .. } in &fixtures {
            let seats = sets.get(*scenario).map(|set| set.game().seats());
            if seats != Some(lineup.len()) || lineup.iter().any(|&player| player >= players.len()) {
                return wrong(format!("{name}: a match of {lineup:?} on scenario {scenario}"));
            }
        }
        let definition = json!({ "name": name, "game": game, "id": id }).to_string();
        let schedule = Schedule::of_fixtures(sets, players, fixtures, budget);
        let text = String::new();
        let (pairing, question) = (Pairing::All, None);
        Ok(Tournament {
            name,
            game,
            format,
            objective,
            scoring,
            text,
            definition,
            schedule,
            pairing,
            question,
            left_out: Vec::new(),
        })
    }

    /// The players of its file that were left out, each with the reason.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game's name.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Who meets whom.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Which scores are good.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// How scores are compared.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The file's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What distinguishes this tournament from any other, in JSON: the name and all that decides
    /// its fixtures, in canonical text.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// The tournament's entry in a store.
    pub fn store_entry(&self) -> TournamentEntry<'_> {
        TournamentEntry {
            name: &self.name,
            game: &self.game,
            format: self.format.word(),
            objective: self.objective,
            scoring: self.scoring,
            fixtures: self.count_matches(),
            definition: &self.definition,
            file: &self.text,
        }
    }

    /// The question that it is to answer by playing further seeds for close pairs only, after which
    /// it ends; `None` if everybody plays all seeds. Its schedule then has the most that is played.
    pub fn question(&self) -> Option<Question> {
        self.question
    }

    /// Which players meet. In a Swiss tournament and a knockout, its schedule has the matches of
    /// all pairs, of which only some are played.
    pub fn pairing(&self) -> Pairing {
        self.pairing
    }

    /// The number of matches that are played, at most if it has a [question](Self::question).
    pub fn count_matches(&self) -> u64 {
        match self.pairing {
            Pairing::Swiss { rounds } => {
                let pairs = self.schedule.players().count() as u64 / 2;
                rounds * pairs * self.matches_of_pair()
            }
            Pairing::Knockout => {
                let meetings = self.schedule.players().count() as u64 - 1;
                meetings * self.matches_of_pair()
            }
            _ => self.schedule.len(),
        }
    }

    /// The matches of two players that meet, in games of two seats.
    pub(crate) fn matches_of_pair(&self) -> u64 {
        2 * self.schedule.scenarios().count() as u64 * self.schedule.rounds()
    }

    /// Its fixtures.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}

/// Matches that were chosen one by one: see [`Tournament::of_matches`].
pub struct ChosenMatches {
    /// What distinguishes them from all other tournaments.
    pub id: String,
    /// The tournament's name.
    pub name: String,
    /// The game.
    pub game: String,
    /// The scenarios that are played.
    pub scenarios: Vec<ScenarioSet>,
    /// Who plays.
    pub players: Vec<PlayerHandle>,
    /// The matches.
    pub fixtures: Vec<FixtureNumbers>,
    /// What players may spend on thinking.
    pub budget: Budget,
}

/// A player of the file that cannot be seated, and why.
struct LeftOut {
    player: String,
    why: String,
}

struct Resolver<'a> {
    source: Source<'a>,
    catalog: &'a Catalog,
    draft: &'a Draft,
    leaves_out: LeavesOut<'a>,
}

impl Resolver<'_> {
    fn tournament(&self) -> Result<Tournament, TournamentError> {
        let draft = self.draft;
        let entry = self.at_position(&draft.game.1, self.catalog.entry(&draft.game.0))?;
        let sets = self.scenario_sets()?;
        let (players, left_out) = self.players(&sets)?;
        let absent: Vec<&String> = left_out.iter().map(|left_out| &left_out.player).collect();
        let most = sets.iter().map(|(set, _)| set.game().seats()).max().unwrap_or(1);
        let suiting = Format::suiting(most, sets[0].0.game().scoring());
        let format = draft.format.as_ref().map_or(suiting, |(format, _)| *format);
        if let (Some((_, at)), true) = (&draft.sample, format != Format::Mixed) {
            return Err(self.seating_error(at, "sample is for format = \"mixed\" only".to_owned()));
        }
        let pairing = self.pairing(format, &sets, players.len())?;
        let question = self.question(format)?;
        let mut definition = self.definition(entry.version(), format, &sets, &players);
        // Records of a tournament from which players were left out do not stand for all of it.
        if !absent.is_empty() {
            definition[LEFT_OUT] = json!(absent);
        }
        define_pairing(&mut definition, pairing);
        if let Some(question) = question {
            definition["allocate"] = json!("close pairs");
            definition["question"] = json!(question);
        }
        let (objective, scoring) = self.scores_of(&sets)?;
        let mut slots = Vec::new();
        for (set, at) in sets {
            let lineups = self.lineups((format, pairing), players.len(), &set, &at)?;
            slots.push(ScenarioSlot { set, lineups });
        }
        let rounds = RoundSettings {
            rounds: draft.seeds,
            first_seed: draft.seed,
            budget: draft.budget.as_ref().map(|(budget, _)| *budget).unwrap_or_default(),
            notes: draft.notes,
        };
        let schedule = Schedule::new(slots, players, rounds).ok_or_else(|| {
            let problem = "there are too many matches to count; use fewer players or seeds";
            self.seating_error(&draft.players_at, problem.to_owned())
        })?;
        Ok(Tournament {
            name: self.name(),
            game: draft.game.0.clone(),
            format,
            objective,
            scoring,
            text: self.source.text.to_owned(),
            definition: definition.to_string(),
            schedule,
            pairing,
            question,
            left_out: left_out.into_iter().map(|left_out| left_out.why).collect(),
        })
    }

    /// What distinguishes the tournament from any other, but for who meets whom how often.
    fn definition(
        &self,
        version: u32,
        format: Format,
        sets: &[Located<ScenarioSet>],
        players: &[PlayerHandle],
    ) -> Value {
        let draft = self.draft;
        json!({
            "name": self.name(),
            "game": draft.game.0,
            "version": version,
            "format": format,
            "scenarios": sets.iter().map(|(set, _)| set.text()).collect::<Vec<_>>(),
            "players": players.iter().map(|p| json!([p.spec, p.version])).collect::<Vec<_>>(),
            "seeds": draft.seeds,
            "seed": draft.seed,
            "budget": draft.budget.as_ref().map(|(budget, _)| budget),
            "sample": draft.sample.as_ref().map(|(sample, _)| sample),
        })
    }

    /// How scores are read, which must be the same on all scenarios.
    fn scores_of(
        &self,
        sets: &[Located<ScenarioSet>],
    ) -> Result<(Objective, Scoring), TournamentError> {
        let first = sets[0].0.game();
        let (objective, scoring) = (first.objective(), first.scoring());
        for (set, at) in sets {
            if (set.game().objective(), set.game().scoring()) != (objective, scoring) {
                let problem = format!(
                    "scores on {} cannot be compared with those on {}; make two tournaments",
                    set.text(),
                    sets[0].0.text()
                );
                return Err(self.seating_error(at, problem));
            }
        }
        Ok((objective, scoring))
    }

    /// Which of as many players meet.
    fn pairing(
        &self,
        format: Format,
        sets: &[Located<ScenarioSet>],
        players: usize,
    ) -> Result<Pairing, TournamentError> {
        let draft = self.draft;
        let word = draft.pairing.as_ref().map_or(PairingWord::All, |(word, _)| *word);
        self.check_keys_of(word)?;
        let Some((_, at)) = draft.pairing.as_ref().filter(|_| word != PairingWord::All) else {
            return Ok(Pairing::All);
        };
        if format != Format::Versus {
            let problem = "pairing is for format = \"versus\", in which players meet";
            return Err(self.seating_error(at, problem.to_owned()));
        }
        if let Some((_, at)) = &draft.allocate {
            let problem = "allocate is for tournaments in which everybody meets everybody; leave \
                           out pairing or allocate";
            return Err(self.seating_error(at, problem.to_owned()));
        }
        if word == PairingWord::Gauntlet {
            return self.gauntlet(at, players);
        }
        if let Some((set, at)) = sets.iter().find(|(set, _)| set.game().seats() != 2) {
            let problem = format!(
                "pairing = \"{}\" is for two seats, but {} has {}",
                if word == PairingWord::Swiss { SWISS } else { KNOCKOUT },
                set.text(),
                set.game().seats()
            );
            return Err(self.seating_error(at, problem));
        }
        match word {
            PairingWord::Knockout => Ok(Pairing::Knockout),
            _ => self.swiss(at, players),
        }
    }

    /// Refuses keys that belong to another pairing than the one asked for.
    fn check_keys_of(&self, word: PairingWord) -> Result<(), TournamentError> {
        for (key, given, wanted, of) in [
            ("challengers", &self.draft.challengers, PairingWord::Gauntlet, GAUNTLET),
            ("rounds", &self.draft.rounds, PairingWord::Swiss, SWISS),
        ] {
            if let (Some((_, at)), true) = (given, word != wanted) {
                let problem = format!("{key} is for pairing = \"{of}\" only");
                return Err(self.seating_error(at, problem));
            }
        }
        Ok(())
    }

    /// A gauntlet, whose challengers meet all of as many players.
    fn gauntlet(&self, at: &Range<usize>, players: usize) -> Result<Pairing, TournamentError> {
        let draft = self.draft;
        let (challengers, at) = draft.challengers.clone().unwrap_or((1, at.clone()));
        // Others may be left out, but a gauntlet without its challengers is another one.
        for (player, at) in draft.players.iter().take(challengers.min(MAX_SEEDS) as usize) {
            let found = self.catalog.player(&draft.game.0, player);
            self.at_position(at, found).map_err(TournamentError::of_challenger)?;
        }
        match usize::try_from(challengers).ok().filter(|given| *given < players) {
            Some(challengers) => Ok(Pairing::Gauntlet { challengers }),
            None => Err(self.seating_error(
                &at,
                format!(
                    "challengers = {challengers}: of {players} players at most {} can be \
                     challengers, the first of the list",
                    players.saturating_sub(1)
                ),
            )),
        }
    }

    /// A Swiss tournament of as many players.
    fn swiss(&self, at: &Range<usize>, players: usize) -> Result<Pairing, TournamentError> {
        let most = players.div_ceil(2) as u64;
        // As many as a knock-out tournament has.
        let usual = u64::from(players.next_power_of_two().trailing_zeros()).clamp(1, most.max(1));
        let (rounds, at) = self.draft.rounds.clone().unwrap_or((usual, at.clone()));
        if rounds > most {
            let problem = format!(
                "rounds = {rounds}: {players} players play at most {most} Swiss rounds, so that \
                 everybody finds a new opponent in each; without Swiss pairing everybody meets \
                 everybody"
            );
            return Err(self.seating_error(&at, problem));
        }
        Ok(Pairing::Swiss { rounds })
    }

    /// The question that the tournament is to answer, if it says how seeds are allotted.
    fn question(&self, format: Format) -> Result<Option<Question>, TournamentError> {
        let draft = self.draft;
        let at = match (&draft.allocate, &draft.question) {
            (Some((true, at)), _) => at,
            (_, Some((_, at))) => {
                let problem = "question is for allocate = \"close pairs\" only";
                return Err(self.seating_error(at, problem.to_owned()));
            }
            _ => return Ok(None),
        };
        if format == Format::Mixed {
            let problem = "allocate is for formats in which the same line-ups meet on every seed: \
                           solo, versus and mirror";
            return Err(self.seating_error(at, problem.to_owned()));
        }
        if draft.players.len() < 2 {
            let problem = "allocate needs players to tell apart; add some";
            return Err(self.seating_error(&draft.players_at, problem.to_owned()));
        }
        if draft.seeds < FIRST_LOOK {
            let problem = format!(
                "with allocate = \"close pairs\", seeds are the most to play, and at least \
                 {FIRST_LOOK} are needed to tell anything; write for example seeds = 50"
            );
            return Err(self.seating_error(at, problem));
        }
        let ranks = Question::Ranks;
        Ok(Some(draft.question.as_ref().map_or(ranks, |(question, _)| *question)))
    }

    fn name(&self) -> String {
        let stem = || Path::new(self.source.file).file_stem().unwrap_or_default();
        self.draft.name.clone().unwrap_or_else(|| stem().to_string_lossy().into_owned())
    }

    /// Each scenario (the default one if none is named), with its place in the file.
    fn scenario_sets(&self) -> Result<Vec<Located<ScenarioSet>>, TournamentError> {
        let (game, game_at) = &self.draft.game;
        let entry = self.at_position(game_at, self.catalog.entry(game))?;
        let default: Vec<Located<String>>;
        let scenarios = match &self.draft.scenarios {
            Some(scenarios) => scenarios,
            None => {
                let first = entry.scenarios().into_iter().take(1);
                default = first.map(|known| (known.name().to_owned(), game_at.clone())).collect();
                &default
            }
        };
        let mut sets: Vec<Located<ScenarioSet>> = Vec::new();
        for (scenario, at) in scenarios {
            let scenario = self.beside_the_file(game, scenario);
            let found = self.at_position(at, ScenarioSet::find(self.catalog, game, &scenario))?;
            if sets.iter().any(|(known, _)| known.text() == found.text()) {
                let problem = format!("scenario {} is listed twice", found.text());
                return Err(self.seating_error(at, problem));
            }
            sets.push((found, at.clone()));
        }
        if sets.is_empty() {
            return Err(self.seating_error(game_at, format!("{game} has no scenarios to play on")));
        }
        let known_sets = ScenarioSets::among(sets.iter().map(|(set, _)| set.text()));
        for (set, at) in &sets {
            let whole = known_sets.set_of(set.text());
            if whole != set.text() {
                let problem = format!("scenario {} is already part of {whole}", set.text());
                return Err(self.seating_error(at, problem));
            }
        }
        Ok(sets)
    }

    /// A scenario whose file is not where its path leads from the current folder, but is where it
    /// leads from the folder of the tournament's file: with the digest of that file, by which it is
    /// known from now on. Any other scenario is returned as it is.
    fn beside_the_file(&self, game: &str, scenario: &str) -> String {
        let folder = Path::new(self.source.file).parent().unwrap_or(Path::new(""));
        let candidates = |path: &Path| match path.exists() {
            true => Vec::new(),
            false => vec![folder.join(path)],
        };
        // If the file is nowhere, the scenario itself says so.
        let found = self.catalog.scenario_file(game, scenario, &candidates);
        match found {
            Ok(Some(file)) => file.pinned,
            Ok(None) | Err(_) => scenario.to_owned(),
        }
    }

    /// The players that can be seated, and the others that are left out.
    fn players(
        &self,
        sets: &[Located<ScenarioSet>],
    ) -> Result<(Vec<PlayerHandle>, Vec<LeftOut>), TournamentError> {
        let mut players: Vec<PlayerHandle> = Vec::new();
        let (mut left_out, mut refusal) = (Vec::new(), Ok(()));
        for (player, at) in &self.draft.players {
            let found = self.catalog.player(&self.draft.game.0, player);
            let seated = match self.at_position(at, found) {
                Ok(seated) => seated,
                Err(error) => {
                    let Some(why) = (self.leaves_out)(player) else { return Err(error) };
                    left_out.push(LeftOut { player: player.trim().to_owned(), why });
                    refusal = refusal.and(Err(error));
                    continue;
                }
            };
            if players.iter().any(|known| known.spec == seated.spec) {
                return Err(
                    self.seating_error(at, format!("player {} is listed twice", seated.spec))
                );
            }
            for (set, _) in sets {
                self.at_position(at, set.game().accepts(&seated))?;
            }
            players.push(seated);
        }
        // Of fewer, no one could tell anything.
        if players.len() < 2 {
            refusal?;
        }
        Ok((players, left_out))
    }

    /// The line-ups on one scenario, if the format fits its seats.
    fn lineups(
        &self,
        (format, pairing): (Format, Pairing),
        players: usize,
        set: &ScenarioSet,
        scenario_at: &Range<usize>,
    ) -> Result<Lineups, TournamentError> {
        let (seats, scenario) = (set.game().seats(), set.text());
        match format {
            Format::Solo if seats == 1 => Ok(Lineups::Alone { players, seats }),
            Format::Solo => Err(self.seating_error(
                scenario_at,
                format!(
                    "{scenario} has {seats} seats, but solo is for one seat; \
                     write format = \"versus\", \"mirror\" or \"mixed\""
                ),
            )),
            Format::Versus if seats == 1 => Err(self.seating_error(
                scenario_at,
                format!("{scenario} has one seat, so players never meet; write format = \"solo\""),
            )),
            Format::Versus if players < seats => Err(self.seating_error(
                &self.draft.players_at,
                format!(
                    "versus on {scenario} needs {seats} different players, but {players} {} \
                     listed; add players, or write format = \"mixed\"",
                    if players == 1 { "is" } else { "are" }
                ),
            )),
            Format::Versus => {
                let challengers = match pairing {
                    Pairing::Gauntlet { challengers } => challengers,
                    _ => players,
                };
                Ok(Lineups::Rotations { players, seats, challengers })
            }
            Format::Mirror => Ok(Lineups::Alone { players, seats }),
            Format::Mixed => match &self.draft.sample {
                Some((count, at)) => Lineups::sample(players, seats, *count).map_err(|all| {
                    let problem =
                        format!("sample = {count}, but {scenario} has only {all} line-ups");
                    self.seating_error(at, problem)
                }),
                None => Lineups::list_mixed(players, seats).ok_or_else(|| {
                    let problem = format!(
                        "{players} players on the {seats} seats of {scenario} make too many \
                         line-ups to play them all; write for example sample = 100"
                    );
                    self.seating_error(scenario_at, problem)
                }),
            },
        }
    }

    fn at_position<T>(
        &self,
        at: &Range<usize>,
        found: Result<T, SpecError>,
    ) -> Result<T, TournamentError> {
        found.map_err(|error| TournamentError::Name {
            position: self.source.position(at),
            problem: error.to_string(),
        })
    }

    fn seating_error(&self, at: &Range<usize>, problem: String) -> TournamentError {
        TournamentError::Seating { position: self.source.position(at), problem }
    }
}

/// Adds who meets whom to a tournament's definition.
fn define_pairing(definition: &mut Value, pairing: Pairing) {
    match pairing {
        Pairing::All => {}
        Pairing::Gauntlet { challengers } => {
            definition["pairing"] = json!(GAUNTLET);
            definition["challengers"] = json!(challengers);
        }
        Pairing::Swiss { rounds } => {
            definition["pairing"] = json!(SWISS);
            definition["rounds"] = json!(rounds);
        }
        Pairing::Knockout => definition["pairing"] = json!(KNOCKOUT),
    }
}
