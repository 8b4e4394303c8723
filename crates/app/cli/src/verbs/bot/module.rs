//! `quintain bot check wasm:FILE`: a module plays a match of each of its games at every seat. It
//! needs no sandbox and no clock, so what a program is checked for besides does not concern it.

use std::io::Write;

use quintain_core::{AnyEntry, Budget, Catalog, Fault, PlayerHandle, Setup, SpecError};
use quintain_scene::{clean, quote};

use super::lines::wrap;
use crate::board::format_output;
use crate::failure::Failure;
use crate::full_names::split_scenario;
use crate::screen;
use crate::verbs::lesson::folder_of_module;
use crate::verbs::lesson::run::check_lessons;

/// What is played.
pub(super) struct ModuleCheck {
    pub(super) seed: u64,
    pub(super) budget: Budget,
    /// The scenario; each game's first if absent.
    pub(super) scenario: Option<String>,
}

/// Returns whether a player is a module.
pub(super) fn is_module(spec: &str) -> bool {
    spec.starts_with("wasm:")
}

/// Plays the matches and reports each.
pub(super) fn examine(
    terms: &ModuleCheck,
    spec: &str,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (mut all_good, mut plays, mut refusal) = (true, false, None);
    for entry in catalog.entries() {
        let Some(scenario) = scenario_for(terms, entry) else { continue };
        let module = match catalog.player(entry.name(), spec) {
            Ok(module) => module,
            Err(error) => {
                refusal.get_or_insert(error);
                continue;
            }
        };
        plays = true;
        for seat in 0..entry.game(&scenario)?.seats() {
            let finding = play(terms, entry, &scenario, (&module, seat))?;
            all_good &= finding.is_none();
            let mark = if finding.is_none() { "ok  " } else { "BAD " };
            let mut text = format!("{mark} {}:{scenario} as seat {seat}", entry.name());
            let Some(finding) = finding else {
                writeln!(out, "{text}")?;
                continue;
            };
            text.push_str(&format!(": {}", finding.fault));
            for line in wrap(&clean(&text)) {
                writeln!(out, "{line}")?;
            }
            for line in format_output("     | ", &finding.fault.said, screen::terminal_width()) {
                writeln!(out, "{}", clean(&line))?;
            }
            writeln!(out, "     to see it: {}", clean(&finding.again))?;
        }
    }
    let problems = check_lessons(spec, folder_of_module(spec), catalog, out)?;
    match (plays, refusal) {
        (false, Some(refusal)) => Err(refusal.into()),
        (false, None) => Err(Failure::Usage(format!(
            "no game has the scenario “{}” (quintain scenarios GAME lists them)",
            terms.scenario.as_deref().unwrap_or_default()
        ))),
        (true, _) if all_good => {
            let but = problems.map_or(String::new(), |problems| format!(", but {problems}"));
            Ok(writeln!(out, "the module is ready for a tournament{but}")?)
        }
        (true, _) => Err(Failure::Failed("the module is not ready for a tournament".to_owned())),
    }
}

/// A fault of the module.
struct Finding {
    fault: Fault,
    /// The command that plays the match again.
    again: String,
}

/// Plays a match with the module at a seat, and the strongest of the game's examples elsewhere.
fn play(
    terms: &ModuleCheck,
    entry: &dyn AnyEntry,
    scenario: &str,
    (module, seat): (&PlayerHandle, usize),
) -> Result<Option<Finding>, Failure> {
    let game = entry.game(scenario)?;
    let opponent = entry.player(entry.showcase().1.last().map_or("random", String::as_str))?;
    let of_seat = |other| if other == seat { module } else { &opponent };
    let players: Vec<&PlayerHandle> = (0..game.seats()).map(of_seat).collect();
    let setup = Setup::new(terms.seed).with_budget(terms.budget);
    let fault = match game.play(&setup, &players, None) {
        Err(SpecError::Void { fault, .. }) => Some(*fault),
        Err(error) => return Err(error.into()),
        Ok(record) => {
            let own = record.outcome.fault.filter(|fault| fault.seat.index() == seat);
            own.map(|own| own.fault)
        }
    };
    let names = players.iter().map(|player| quote(&player.spec)).collect::<Vec<_>>().join(" ");
    let budget = match terms.budget.to_string() {
        budget if budget.is_empty() => budget,
        budget => format!(" --budget {budget}"),
    };
    let again = format!(
        "quintain match {} {names} --scenario {} --seed {}{budget}",
        entry.name(),
        quote(scenario),
        terms.seed
    );
    Ok(fault.map(|fault| Finding { fault, again }))
}

/// The scenario on which to play a game: the one that was asked for, or the first.
fn scenario_for(terms: &ModuleCheck, entry: &dyn AnyEntry) -> Option<String> {
    let Some(named) = &terms.scenario else {
        return entry.scenarios().first().map(|first| first.name().to_owned());
    };
    let (game, scenario) = split_scenario(named);
    let is_here = match game {
        Some(game) => game == entry.name(),
        None => entry.game(scenario).is_ok(),
    };
    is_here.then(|| scenario.to_owned())
}
