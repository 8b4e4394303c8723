//! A tournament of one's own: a commented file in which everything can be changed.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use quintain_arena::{Format, Tournament, scenario_with_chance, seeded_scenario};
use quintain_core::{AnyEntry, AnyGame, Catalog, SEED, ScenarioSet};

use super::files::{check_name, refuse_existing, write_file};
use super::programs::{Entrants, Programs};
use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::usage::draw_seed;

/// The usual number of seeds.
const SEEDS: u32 = 10;

/// What the options say about a tournament; the rest is chosen.
pub(super) struct TournamentPlan<'a> {
    pub(super) game: &'a str,
    pub(super) scenarios: &'a [String],
    pub(super) seeds: Option<u32>,
    pub(super) seed: Option<u64>,
    pub(super) players: &'a [String],
}

pub(super) fn new_tournament(
    name: &str,
    plan: &TournamentPlan<'_>,
    catalog: &Catalog,
    programs: &Programs<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    check_name(name)?;
    let TournamentPlan { game, players: named, .. } = *plan;
    let entry = catalog.entry(game)?;
    let file = PathBuf::from(format!("{name}.toml"));
    refuse_existing(&file)?;
    let (usual, usual_seeds) = tournament_scenario(entry);
    let scenarios: Vec<&str> = match plan.scenarios {
        [] => vec![&usual],
        given => given.iter().map(|scenario| entry.strip_game(scenario)).collect(),
    };
    let mut default: Option<Arc<dyn AnyGame>> = None;
    for scenario in &scenarios {
        let set = ScenarioSet::find(catalog, game, scenario)?;
        for player in named {
            set.game().accepts(&catalog.player(game, player)?)?;
        }
        default.get_or_insert_with(|| Arc::clone(set.game()));
    }
    let default = default.expect("there is a scenario");
    let seeds = plan.seeds.unwrap_or(if plan.scenarios.is_empty() { usual_seeds } else { SEEDS });
    let Entrants { able, doubtful, left_out } = programs.entrants(game)?;
    let players = list_players(named, &able, entry, default.seats());
    let format = Format::suiting(default.seats(), default.scoring()).word();
    let rounds = Rounds { seeds, first: plan.seed, scenarios: &scenarios };
    let text = tournament_text(name, game, format, &rounds, &players);
    write_file(&file, &text)?;
    for why in left_out {
        print_notice(&format!("left out: {why}"));
    }
    doubtful.iter().for_each(|what| print_notice(what));
    // From now on the file is the user's; if anything is wrong with it, this is reported when it is
    // played.
    let read = Tournament::parse(&text, &file.to_string_lossy(), catalog);
    let matches = read.map_or(String::new(), |read| {
        let count = read.schedule().len();
        format!(": {count} {}", if count == 1 { "match" } else { "matches" })
    });
    let players = format_count(players.len(), "player");
    let places = format_count(scenarios.len(), "scenario");
    let seeds = format_count(seeds as usize, "seed");
    let file_name = file.display();
    writeln!(out, "wrote {file_name}: {players}, {places}, {seeds}{matches}. Play it:\n")?;
    writeln!(out, "  quintain tournament {}", file.display())?;
    Ok(())
}

/// Returns the players of a new tournament, quoted: those that are named, the programs that can
/// play, and quick ones of the roster.
fn list_players(
    named: &[String],
    able: &[String],
    entry: &dyn AnyEntry,
    seats: usize,
) -> Vec<String> {
    let known: Vec<&str> = entry.players().iter().map(|player| player.name()).collect();
    // Enough to fill a table of rivals, or two to compare where everybody plays alone.
    let wanted = seats.max(3);
    let quick = known.iter().filter(|player| **player != "champion").take(wanted);
    let mut players: Vec<String> = Vec::new();
    for player in named.iter().chain(able).map(String::as_str).chain(quick.copied()) {
        let player = format!("{player:?}");
        if !players.contains(&player) {
            players.push(player);
        }
    }
    players
}

/// How often and where everybody plays.
struct Rounds<'a> {
    seeds: u32,
    /// The first seed, if it is given.
    first: Option<u64>,
    scenarios: &'a [&'a str],
}

/// Returns the file of a new tournament.
fn tournament_text(
    name: &str,
    game: &str,
    format: &str,
    &Rounds { seeds, first, scenarios }: &Rounds<'_>,
    players: &[String],
) -> String {
    let drawn = scenarios.iter().any(|scenario| scenario.contains(SEED));
    let rounds = match (drawn, seeds) {
        (true, _) => {
            "# Rounds: all players play the same seeds; each takes the place of {seed} and\n\
             # chooses the problem"
        }
        (false, 1) => {
            "# Rounds: the seed changes nothing here, so more of them tell more only about\n\
             # players that use chance"
        }
        _ => "# Rounds: all players play the same seeds",
    };
    format!(
        "# A tournament of {game}. Play it: quintain tournament {name}.toml\n\
         # The same command continues where it was stopped; after a change to this file\n\
         # it plays the matches that are missing.\n\n\
         name = {name:?}\n\
         game = {game:?}\n\n\
         # solo: every player alone; versus: all against all, in every seat;\n\
         # mirror: one player in all seats; mixed: players dealt to seats at random\n\
         format = \"{format}\"\n\n\
         # `quintain scenarios {game}` lists them with their parameters\n\
         scenarios = {scenarios:?}\n\n\
         # `quintain players {game}` lists them; bot:NAME is a program of bots.toml\n\
         players = [{players}]\n\n\
         {rounds}\n\
         seeds = {seeds}\n\n\
         {origin}\n\
         seed = {seed}\n\n\
         # The thinking budget of every player: move=40ms, match=60s+100ms, nodes=1000\n\
         # or iterations=1000\n\
         # budget = \"move=100ms\"\n",
        players = players.join(", "),
        origin = match first {
            Some(_) => "# The first seed; the next rounds have those that follow",
            None => {
                "# The first seed, drawn at random: players could guess a small one, and with it\n\
                 # what chance will do"
            }
        },
        seed = first.unwrap_or_else(draw_seed),
    )
}

/// Returns the scenario of a new tournament, and how many seeds to play there; one is enough where
/// the seed does not matter.
fn tournament_scenario(entry: &dyn AnyEntry) -> (String, u32) {
    seeded_scenario(entry).map_or_else(|| (usual_scenario(entry), 1), |found| (found, SEEDS))
}

/// Returns the first scenario on which seeds differ, so that more seeds tell more; if there is
/// none, the first scenario of all.
pub(crate) fn usual_scenario(entry: &dyn AnyEntry) -> String {
    let first = || entry.scenarios().first().map(|scenario| scenario.name());
    scenario_with_chance(entry).or_else(first).unwrap_or_default().to_owned()
}
