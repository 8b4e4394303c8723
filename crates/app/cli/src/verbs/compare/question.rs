//! The question of a comparison, as the command line asks it: which players, on which matches, and
//! how sure the answer must be.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use quintain_arena::compare::{
    Comparison, ComparisonConfig, DEFAULT_RISKS, DrawGame, ScoreMeasure,
};
use quintain_arena::seed_matters;
#[cfg(feature = "programs")]
use quintain_core::cut;
use quintain_core::{AnyEntry, AnyGame, Budget, Catalog, PlayerHandle, SEED, ScenarioSet, Scoring};
use quintain_scene::quote;
use quintain_stats::Risks;
use quintain_stats::likelihood::EloScale;
use quintain_stats::sprt::DIFFERENCES;
#[cfg(feature = "programs")]
use quintain_store::PlayerName;
use quintain_store::{Store, is_name_of};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::full_names::{Naming, find_field, find_scenarios, is_place};
use crate::messages::print_notice;
use crate::options;
use crate::usage::{above_zero, draw_seed, first_seed, pairs, positive, probability};
use crate::verbs::new::usual_scenario;

/// What comes between a program's name and a revision of it in git.
pub(crate) const REVISION: &str = "@git:";
/// The most letters of a commit's title beside a version.
#[cfg(feature = "programs")]
pub(crate) const MOST_LETTERS: usize = 40;
/// The most matches by default.
const MATCHES: NonZeroU64 = NonZeroU64::new(2000).unwrap();
/// The default for the first seed, where no one can take advantage of knowing it.
const DEFAULT_SEED: u64 = 1;

// Its JSON is kept in the queue of tests, and must be read by later versions.
#[derive(Clone, Debug, clap::Args, Serialize, Deserialize)]
pub(crate) struct QuestionArgs {
    /// Two players: the first is compared with the second; with --against, any number of players
    #[arg(required = true)]
    pub(crate) players: Vec<String>,
    #[arg(short, long, help = options::with(
        options::GAME,
        "(it may be given before the players instead, or with a player, GAME/PLAYER; \
         GAME:SCENARIO names the scenario, too)",
    ))]
    pub(crate) game: Option<String>,
    #[arg(short, long, value_name = "PLAYER", help = options::with(
        options::AGAINST,
        "(may be given several times: every player is compared with all of them)",
    ))]
    pub(crate) against: Vec<String>,
    #[arg(short, long, help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
    pub(crate) scenario: Vec<String>,
    #[arg(long, allow_negative_numbers = true, value_parser = first_seed)]
    #[arg(help = options::with(
        options::SEED,
        "[default: 1; if programs play, the first seed of their matches in the store, or one that \
         they cannot guess]",
    ))]
    pub(crate) seed: Option<u64>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, overrides_with = "matches")]
    #[arg(value_parser = positive::<NonZeroU64>)]
    #[arg(help = options::with(
        options::SEEDS,
        "(at most, instead of --matches; of the two, the last one given counts)",
    ))]
    pub(crate) seeds: Option<NonZeroU64>,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::BUDGET)]
    pub(crate) budget: String,
    #[arg(short, long, value_name = "N", default_value_t = MATCHES, allow_negative_numbers = true)]
    #[arg(value_parser = pairs, help = options::MATCHES)]
    pub(crate) matches: NonZeroU64,
    /// What to compare if scores are independent [default: chance]
    #[arg(long, value_enum)]
    pub(crate) measure: Option<MeasureName>,
    #[arg(short, long, allow_negative_numbers = true, value_parser = above_zero)]
    #[arg(help = options::with(
        options::DELTA,
        "(in Elo points between rivals, otherwise in units of the measure: 0 to 1 for chance, \
         points of the score for the others) [default: 20 between rivals, 0.15 for chance]",
    ))]
    pub(crate) delta: Option<f64>,
    #[arg(long, default_value_t = DEFAULT_RISKS.alpha, allow_negative_numbers = true)]
    #[arg(value_parser = probability, help = options::ALPHA)]
    pub(crate) alpha: f64,
    #[arg(long, default_value_t = DEFAULT_RISKS.beta, allow_negative_numbers = true)]
    #[arg(value_parser = probability, help = options::BETA)]
    pub(crate) beta: f64,
    /// Measure delta in normalised Elo
    #[arg(long)]
    pub(crate) normalised: bool,
    /// How answers call versions of programs, whose own names are digests of their files.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) revisions: BTreeMap<String, String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MeasureName {
    /// The probability of a better score on a seed, minus the probability of a worse one
    Chance,
    /// The mean difference, with large differences clipped at a bound set by the first pairs
    Clipped,
    /// The median difference
    Median,
    /// The mean difference, where the rules bound scores
    Mean,
}

impl Default for QuestionArgs {
    /// A question without players, and all else as the command line has it by default.
    fn default() -> QuestionArgs {
        QuestionArgs {
            players: Vec::new(),
            game: None,
            against: Vec::new(),
            scenario: Vec::new(),
            seed: None,
            seeds: None,
            budget: String::new(),
            matches: MATCHES,
            measure: None,
            delta: None,
            alpha: DEFAULT_RISKS.alpha,
            beta: DEFAULT_RISKS.beta,
            normalised: false,
            revisions: BTreeMap::new(),
        }
    }
}

/// A question whose players and scenarios have been found.
pub(crate) struct Question {
    /// What is compared, and how.
    pub(crate) config: ComparisonConfig,
    /// The scenarios, as they were named.
    pub(crate) scenarios: Vec<String>,
    /// The revisions that were asked for, by the versions that play.
    pub(crate) revisions: BTreeMap<String, String>,
    /// The players, as they were named.
    names: Vec<String>,
}

impl Question {
    /// The player that is compared with itself, if one is, and how it was named.
    pub(crate) fn same_player(&self) -> Option<(&str, &[String])> {
        match (&self.config.candidates[..], &self.config.references[..]) {
            ([one], [other]) if one.spec == other.spec => Some((&one.spec, &self.names)),
            _ => None,
        }
    }

    /// Says so if a player is compared with itself.
    pub(crate) fn note_same_players(&self) {
        let Some((one, names)) = self.same_player() else { return };
        let same = &names[0];
        let also = if same == one { String::new() } else { format!(" ({same} is the same)") };
        print_notice(&format!("{one} is compared with itself{also}: any difference is chance"));
    }

    /// The players that are compared, and those with which they are compared, as they were named.
    pub(crate) fn sides(&self) -> [String; 2] {
        let names = |players: &[PlayerHandle]| {
            let names = players.iter().map(|player| self.name_of(&player.spec));
            names.collect::<Vec<_>>().join(", ")
        };
        [names(&self.config.candidates), names(&self.config.references)]
    }

    /// The scenarios, as tournaments name them.
    pub(crate) fn sets(&self, catalog: &Catalog) -> Result<Vec<ScenarioSet>, Failure> {
        let game = self.config.games[0].name();
        let entry = catalog.entry(game)?;
        let find = |(place, scenario): (usize, &String)| {
            let set = ScenarioSet::text_of(entry, scenario);
            let set = set.filter(|_| self.config.instances.contains_key(&place));
            Ok(ScenarioSet::find(catalog, game, set.as_ref().unwrap_or(scenario))?)
        };
        self.scenarios.iter().enumerate().map(find).collect()
    }
}

impl QuestionArgs {
    /// Finds what is asked. `store` may have matches of this comparison, whose seeds continue.
    pub(crate) fn find(
        &self,
        catalog: &Catalog,
        store: Option<&Path>,
    ) -> Result<Question, Failure> {
        // The game may stand before the players.
        let (game, players) = match &self.players[..] {
            [game, players @ ..] if self.game.is_none() && is_place(game, catalog) => {
                (Some(game), players)
            }
            players => (self.game.as_ref(), players),
        };
        let names: Vec<String> =
            players.iter().chain(&self.against).map(|n| name_program(n)).collect();
        let names = names.iter().map(String::as_str);
        let naming = Naming {
            otherwise: &["--game GAME", "the game before all players"],
            ..Naming::default()
        };
        let field = find_field(names, game.map(String::as_str), catalog, naming)?;
        let (players, against) = field.players.split_at(players.len());
        let entry = catalog.entry(field.game)?;
        let mut scenarios = find_scenarios(field.scenario, &self.scenario)?;
        if scenarios.is_empty() {
            scenarios.push(usual_scenario(entry));
        }
        let mut config = build_config(self, (players, against), entry, catalog, &scenarios)?;
        let seated = config.candidates.iter().chain(&config.references);
        let named = players.iter().chain(against).zip(seated);
        let mut revisions = self.revisions.clone();
        // They may have come with somebody else's question.
        revisions.retain(|player, named| is_name_of(named, player));
        revisions.extend(
            named
                .filter(|(name, _)| name.contains(REVISION))
                .map(|(name, player)| (player.spec.clone(), name.clone())),
        );
        config.first_seed = choose_seed(self, &config, store)?;
        if let Some(seeds) = self.seeds {
            config.matches = seeds.get().saturating_mul(config.matches_each_seed());
        }
        let names = players.iter().chain(against).cloned().collect();
        Ok(Question { config, scenarios, revisions, names })
    }
}

impl Question {
    /// Names the revisions that were asked for by their commits, as branches move, and says which
    /// they are.
    #[cfg(feature = "programs")]
    pub(crate) fn pin_revisions(
        mut self,
        programs: &quintain_bots::Programs,
        quiet: bool,
    ) -> Result<Question, Failure> {
        for (player, named) in &mut self.revisions {
            if let Some(pinned) = pin_revision(programs, (player, named), quiet)? {
                *named = pinned;
            }
        }
        Ok(self)
    }

    /// How answers call a player.
    pub(crate) fn name_of<'a>(&'a self, player: &'a str) -> &'a str {
        self.revisions.get(player).map_or(player, String::as_str)
    }

    /// Names players in an answer as they were asked for.
    pub(crate) fn name_players(&self, comparison: &mut Comparison) {
        let candidates = comparison.candidates.iter_mut().map(|one| &mut one.player);
        for name in candidates.chain(&mut comparison.references) {
            *name = self.name_of(name).to_owned();
        }
    }
}

/// Names a revision by its commit, and says which commit it is, and which version plays for it.
#[cfg(feature = "programs")]
pub(crate) fn pin_revision(
    programs: &quintain_bots::Programs,
    (player, named): (&str, &str),
    quiet: bool,
) -> Result<Option<String>, Failure> {
    let program = named.strip_prefix("bot:").and_then(|named| named.split_once(REVISION));
    let Some((program, revision)) = program else { return Ok(None) };
    let commit = programs.commit(program, revision)?;
    let pinned = format!("{program}{REVISION}{}", commit.short);
    if !quiet {
        let title = &commit.title;
        let said = format!("{named} is {pinned} “{title}”: {player}");
        print_notice(&quintain_scene::clean(&said));
    }
    Ok(Some(pinned))
}

/// Notes in a store what people call the versions that revisions are, for tables and pages. Each
/// version comes with the revision that it was asked for by.
#[cfg(feature = "programs")]
pub(crate) fn note_names<'a>(
    store: &mut Store,
    programs: &quintain_bots::Programs,
    versions: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<(), Failure> {
    let named = versions.into_iter().filter_map(|(player, named)| {
        let (program, revision) = named.split_once(REVISION)?;
        let program = program.strip_prefix("bot:").unwrap_or(program);
        let commit = programs.commit(program, revision).ok()?;
        let name = format!("{program}{REVISION}{}", commit.short);
        Some((player.clone(), PlayerName { name, title: cut(&commit.title, MOST_LETTERS) }))
    });
    Ok(store.note_player_names(&named.collect())?)
}

/// The player that a name means: `mine@git:main` is `bot:mine@git:main`.
fn name_program(name: &str) -> String {
    match name.split_once(REVISION) {
        Some((program, _)) if !program.contains([':', '/']) => format!("bot:{name}"),
        _ => name.to_owned(),
    }
}

/// Returns what is compared, and how.
fn build_config(
    args: &QuestionArgs,
    (players, against): (&[String], &[String]),
    entry: &dyn AnyEntry,
    catalog: &Catalog,
    scenarios: &[String],
) -> Result<ComparisonConfig, Failure> {
    // Where {seed} takes the place of the number, as in tournaments, every seed has its own
    // instance.
    let find = |scenario: &String| match scenario.contains(SEED) {
        true => ScenarioSet::find(catalog, entry.name(), scenario).map(Some),
        false => Ok(None),
    };
    let sets = scenarios.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let open_text = |(scenario, set): (&String, &Option<ScenarioSet>)| {
        set.as_ref().map_or_else(|| scenario.clone(), ScenarioSet::open_text)
    };
    let scenarios: Vec<String> = scenarios.iter().zip(&sets).map(open_text).collect();
    let games = scenarios.iter().map(|scenario| entry.game(scenario));
    let games = games.collect::<Result<Vec<_>, _>>()?;
    let mut instances = draw_instances(catalog, &scenarios, &games)?;
    for (place, set) in sets.into_iter().enumerate() {
        if let Some(set) = set {
            instances.insert(place, Box::new(move |seed| set.instance(seed)));
        }
    }
    let (candidates, references) = split_players(players, against, entry)?;
    let seat = |names| seat_players(names, entry, catalog, &games);
    let (candidates, references) = (seat(candidates)?, seat(references)?);
    let scoring = games.first().map_or(Scoring::Independent, |game| game.scoring());
    let measure = choose_measure(args, entry, scoring == Scoring::Adversarial)?;
    check_delta(args.delta, scoring)?;
    Ok(ComparisonConfig {
        measure,
        candidates,
        references,
        first_seed: args.seed.unwrap_or(DEFAULT_SEED),
        // Parsed here rather than by clap, which would repeat the input.
        budget: args.budget.parse::<Budget>()?,
        matches: args.matches.get(),
        delta: args.delta.or_else(|| measure.usual_delta(scoring)),
        scale: if args.normalised { EloScale::Normalised } else { EloScale::Logistic },
        risks: Risks { alpha: args.alpha, beta: args.beta },
        games,
        instances,
    })
}

/// Splits the names into candidates and those with which they are compared.
fn split_players<'a>(
    players: &'a [String],
    against: &'a [String],
    entry: &dyn AnyEntry,
) -> Result<(&'a [String], &'a [String]), Failure> {
    match (players, against) {
        ([_, _], []) => Ok(players.split_at(1)),
        (players, []) => Err(Failure::Usage(format!(
            "a comparison needs two players, or opponents behind --against, but {} given: {}",
            match players.len() {
                1 => "1 was".to_owned(),
                several => format!("{several} were"),
            },
            players.join(", ")
        ))),
        ([], _) => {
            let (game, all) = (entry.name(), against.join(" and "));
            Err(Failure::Usage(format!(
                "a comparison needs a player to compare with {all}; name one after the game: \
                 quintain compare {game} PLAYER --against {}",
                against.iter().map(|name| quote(name)).collect::<Vec<_>>().join(" --against ")
            )))
        }
        (players, against) => Ok((players, against)),
    }
}

/// Returns players that can play all of these games.
fn seat_players(
    names: &[String],
    entry: &dyn AnyEntry,
    catalog: &Catalog,
    games: &[Arc<dyn AnyGame>],
) -> Result<Vec<PlayerHandle>, Failure> {
    let mut players: Vec<PlayerHandle> = Vec::new();
    for name in names {
        if name.contains(SEED) {
            return Err(Failure::Usage(format!(
                "player {name}: {SEED} is for scenarios only; a player's random choices already \
                 follow from the match's seed"
            )));
        }
        let player = catalog.player(entry.name(), name)?;
        if players.iter().any(|known| known.spec == player.spec) {
            return Err(Failure::Usage(format!("player {} is named twice", player.spec)));
        }
        for game in games {
            game.accepts(&player)?;
        }
        players.push(player);
    }
    Ok(players)
}

/// Refuses a difference that no two rivals can have.
fn check_delta(delta: Option<f64>, scoring: Scoring) -> Result<(), Failure> {
    let is_wrong = |delta: &f64| scoring == Scoring::Adversarial && !DIFFERENCES.contains(delta);
    match delta.filter(is_wrong) {
        None => Ok(()),
        Some(delta) => Err(Failure::Usage(format!(
            "--delta {}: expected Elo points from {} to {}, such as --delta 20",
            if delta < *DIFFERENCES.start() { format!("{delta:e}") } else { delta.to_string() },
            DIFFERENCES.start(),
            DIFFERENCES.end()
        ))),
    }
}

/// Returns what is compared of scores.
fn choose_measure(
    args: &QuestionArgs,
    entry: &dyn AnyEntry,
    rivals: bool,
) -> Result<ScoreMeasure, Failure> {
    if args.normalised && !rivals {
        let game = entry.name();
        return Err(Failure::Usage(format!(
            "--normalised is for rivals, but scores of {game} are independent"
        )));
    }
    Ok(match args.measure {
        Some(_) if rivals => {
            let game = entry.name();
            return Err(Failure::Usage(format!(
                "--measure is for independent scores, but players of {game} are rivals"
            )));
        }
        None | Some(MeasureName::Chance) => ScoreMeasure::Chance,
        Some(MeasureName::Clipped) => ScoreMeasure::Clipped,
        Some(MeasureName::Median) => ScoreMeasure::Median,
        Some(MeasureName::Mean) => ScoreMeasure::Mean,
    })
}

/// Returns the first seed if none is given. A program that knows its seed might try small ones
/// until it finds the match's seed, and then predict chance. So where programs play, the seed is
/// drawn, unless the store already has matches of this comparison.
fn choose_seed(
    args: &QuestionArgs,
    question: &ComparisonConfig,
    store: Option<&Path>,
) -> Result<u64, Failure> {
    let mut players = question.candidates.iter().chain(&question.references);
    if args.seed.is_some() || !players.any(PlayerHandle::is_external) {
        return Ok(question.first_seed);
    }
    if let Some(file) = store.filter(|file| file.exists())
        && let Some(seed) = question.find_first_seed(&Store::open_to_read(file)?)?
    {
        return Ok(seed);
    }
    Ok(draw_seed())
}

/// Returns how every seed draws its own instance, on scenarios that have instances and where seeds
/// decide nothing else. On a single instance, players without chance would always play the same
/// match.
pub(crate) fn draw_instances(
    catalog: &Catalog,
    scenarios: &[String],
    games: &[Arc<dyn AnyGame>],
) -> Result<BTreeMap<usize, DrawGame>, Failure> {
    let mut instances = BTreeMap::new();
    for (place, (scenario, game)) in scenarios.iter().zip(games).enumerate() {
        let set = ScenarioSet::text_of(catalog.entry(game.name())?, scenario);
        let Some(set) = set.filter(|_| !seed_matters(game.as_ref(), DEFAULT_SEED)) else {
            continue;
        };
        let set = ScenarioSet::find(catalog, game.name(), &set)?;
        let draw: DrawGame = Box::new(move |seed| set.instance(seed));
        instances.insert(place, draw);
    }
    Ok(instances)
}
