//! The fixtures of a tournament, numbered without being listed, so that a million cost no memory.
//! Rounds are outermost, so early results cover every scenario and line-up. A schedule may also be
//! a list of single matches chosen one by one. Playing one fixture is here too, because it needs
//! nothing but the schedule.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_core::{
    AnyGame, Budget, Fixture, PlayerHandle, Record, RecordError, ScenarioSet, Setup, SpecError,
};

use crate::chance::seed_matters;
use crate::lineups::Lineups;

/// One scenario with its line-ups.
pub(crate) struct ScenarioSlot {
    pub(crate) set: ScenarioSet,
    pub(crate) lineups: Lineups,
}

/// Which matches are played, in which order.
pub struct Schedule {
    slots: Vec<ScenarioSlot>,
    /// The number of fixtures in a round before those of each scenario, and finally the round's
    /// length.
    before: Vec<u64>,
    players: Vec<PlayerHandle>,
    rounds: u64,
    first_seed: u64,
    budget: Budget,
    notes: bool,
    /// If set, these matches instead of what slots and rounds give.
    listed: Option<Vec<FixtureNumbers>>,
}

/// The scenario, seed and players of a fixture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixtureNumbers {
    /// The scenario's number, in the order of [`Schedule::scenarios`].
    pub scenario: usize,
    /// The seed.
    pub seed: u64,
    /// The player's number at each seat, in the order of [`Schedule::players`].
    pub lineup: Vec<usize>,
}

/// How the matches of a schedule are played, apart from who plays where.
pub(crate) struct RoundSettings {
    pub(crate) rounds: u64,
    pub(crate) first_seed: u64,
    pub(crate) budget: Budget,
    pub(crate) notes: bool,
}

impl Schedule {
    /// Makes a schedule; `None` if there are more than 2^53 fixtures.
    pub(crate) fn new(
        slots: Vec<ScenarioSlot>,
        players: Vec<PlayerHandle>,
        rounds: RoundSettings,
    ) -> Option<Schedule> {
        let RoundSettings { rounds, first_seed, budget, notes } = rounds;
        let mut before = vec![0u64];
        for slot in &slots {
            before.push(before[before.len() - 1].checked_add(slot.lineups.len()?)?);
        }
        let all = before[before.len() - 1].checked_mul(rounds)?;
        (all <= 1 << 53).then_some(Schedule {
            slots,
            before,
            players,
            rounds,
            first_seed,
            budget,
            notes,
            listed: None,
        })
    }

    /// Single matches, in this order, each on one of these scenarios and by some of these players.
    pub(crate) fn of_fixtures(
        sets: Vec<ScenarioSet>,
        players: Vec<PlayerHandle>,
        fixtures: Vec<FixtureNumbers>,
        budget: Budget,
    ) -> Schedule {
        let seats = |set: &ScenarioSet| set.game().seats();
        // Line-ups that nobody asks for: the matches to be played are listed.
        let slot = |set: ScenarioSet| ScenarioSlot {
            lineups: Lineups::Alone { players: 0, seats: seats(&set) },
            set,
        };
        Schedule {
            slots: sets.into_iter().map(slot).collect(),
            before: vec![0],
            players,
            rounds: 1,
            first_seed: 0,
            budget,
            notes: false,
            listed: Some(fixtures),
        }
    }

    /// The number of fixtures in a round, which has every line-up on every scenario once; matches
    /// that were chosen one by one are one round.
    pub fn round_length(&self) -> u64 {
        match &self.listed {
            Some(listed) => listed.len() as u64,
            None => self.before[self.before.len() - 1],
        }
    }

    /// The number of fixtures.
    #[expect(clippy::len_without_is_empty, reason = "a schedule is never empty")]
    pub fn len(&self) -> u64 {
        match &self.listed {
            Some(listed) => listed.len() as u64,
            None => self.round_length() * self.rounds,
        }
    }

    /// The first seed; each round has the next one.
    pub(crate) fn first_seed(&self) -> u64 {
        self.first_seed
    }

    /// The number of rounds: the matches of each line-up on each scenario.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The scenarios, in canonical text. Where every seed has its own problem, the text has
    /// [`SEED`](quintain_core::SEED) in place of the seed's number.
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().map(|slot| slot.set.text())
    }

    /// The digests of the files that the scenarios are made of.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().flat_map(|slot| slot.set.game().files()).map(String::as_str)
    }

    /// The scenarios on which several rounds are to be played although neither the start, nor
    /// chance in the rules, nor the line-ups depend on the seed. To players that use no chance
    /// themselves, every round there is the same.
    pub fn fixed_scenarios(&self) -> impl Iterator<Item = &str> {
        let is_fixed = |slot: &&ScenarioSlot| {
            let lineup = |seed: u64| slot.lineups.get(0, seed);
            self.rounds > 1
                && !slot.set.has_instances()
                && lineup(self.first_seed) == lineup(self.first_seed + 1)
                && !seed_matters(slot.set.game().as_ref(), self.first_seed)
        };
        self.slots.iter().filter(is_fixed).map(|slot| slot.set.text())
    }

    /// The versions of the players, in the same order.
    pub fn player_versions(&self) -> impl Iterator<Item = u32> {
        self.players.iter().map(|player| player.version)
    }

    /// Whether the notes of players are kept.
    pub fn keeps_notes(&self) -> bool {
        self.notes
    }

    /// The players, in canonical text.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.players.iter().map(|player| player.spec.as_str())
    }

    /// The players, in canonical text, that any machine can play with a file, and that file.
    pub fn portable_players(&self) -> impl Iterator<Item = (&str, Arc<[u8]>)> {
        self.players
            .iter()
            .filter_map(|player| Some((player.spec.as_str(), player.portable_file()?)))
    }

    /// The players that are programs, in canonical text, each packed for machines that do not have
    /// it, or with the reason why it cannot be sent to any.
    pub fn packed_players(&self) -> impl Iterator<Item = (&str, Result<Arc<[u8]>, String>)> {
        self.players.iter().filter_map(|player| Some((player.spec.as_str(), player.packed()?)))
    }

    /// Whether the same fixtures give the same records on every machine.
    pub fn is_reproducible(&self) -> bool {
        self.budget.is_reproducible()
    }

    /// The fixture with this number.
    ///
    /// # Panics
    /// From [`Schedule::len`] on.
    pub fn fixture(&self, index: u64) -> Fixture {
        let (game, setup, lineup) = self.resolve(index);
        game.fixture(&setup, &self.player_handles(&lineup))
    }

    /// All fixtures, in order.
    pub fn fixtures(&self) -> impl Iterator<Item = Fixture> {
        (0..self.len()).map(|index| self.fixture(index))
    }

    /// Plays the fixture with this number. If `stop` is set meanwhile, players hurry and the record
    /// is not worth keeping.
    ///
    /// # Errors
    /// If a player refuses the game.
    ///
    /// # Panics
    /// From [`Schedule::len`] on, or if the rules panic.
    pub fn play(&self, index: u64, stop: &Arc<AtomicBool>) -> Result<Record, SpecError> {
        let (game, mut setup, lineup) = self.resolve(index);
        setup.stop = Some(Arc::clone(stop));
        game.play(&setup, &self.player_handles(&lineup), None)
    }

    /// Replays a record of the fixture with this number and checks that it ends as the record says.
    ///
    /// # Errors
    /// If the rules refuse an action, or the outcome differs.
    ///
    /// # Panics
    /// From [`Schedule::len`] on, or if the rules panic.
    pub fn verify(&self, index: u64, record: &Record) -> Result<(), RecordError> {
        self.resolve(index).0.verify(record)
    }

    /// The scenario, seed and players of the fixture with this number.
    ///
    /// # Panics
    /// From [`Schedule::len`] on.
    pub fn numbers(&self, index: u64) -> FixtureNumbers {
        assert!(index < self.len(), "fixture {index} of {}", self.len());
        if let Some(listed) = &self.listed {
            return listed[index as usize].clone();
        }
        let (round, within) = (index / self.round_length(), index % self.round_length());
        let scenario = self.before.partition_point(|&before| before <= within) - 1;
        let seed = self.first_seed + round;
        let lineup = self.slots[scenario].lineups.get(within - self.before[scenario], seed);
        FixtureNumbers { scenario, seed, lineup }
    }

    fn resolve(&self, index: u64) -> (Arc<dyn AnyGame>, Setup, Vec<usize>) {
        let FixtureNumbers { scenario, seed, lineup } = self.numbers(index);
        let setup = Setup::new(seed).with_budget(self.budget).with_notes(self.notes);
        (self.slots[scenario].set.instance(seed), setup, lineup)
    }

    fn player_handles(&self, lineup: &[usize]) -> Vec<&PlayerHandle> {
        lineup.iter().map(|&player| &self.players[player]).collect()
    }
}
