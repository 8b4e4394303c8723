//! The champion, which seeks places and phrases together: a [`beam`] of boards, each with several
//! hypotheses of what has been spoken. The command strings of every unit are found by dynamic
//! programming over its positions and the automaton that hears the phrases. It knows nothing about
//! any problem beforehand: everything happens within the time of one game.
//!
//! Small games are solved [exactly](exact). Otherwise, that time is spent in four parts: first a
//! quick game, so that there is something to hand out; then [`trials`] of which weights of the
//! evaluation suit the problem, by narrow beams without phrases; then the best three sets of
//! weights with phrases; and the best of those until the end, as wide as time allows. On boards of
//! many cells, and where no trial has room for a third of the units or beams with phrases place
//! fewer than half as many as trials, trials also play their best game again from some unit on, and
//! phrases are laid along its placements. If those earn more, the rest of the time goes to such
//! trials. On other boards where one game takes long, phrases along the placements take the place
//! of the third part. At the end, where that takes little, phrases are laid once more along the
//! best game. Without phrases, all time goes to [trials and wide beams](silent).

mod beam;
mod evaluation;
mod exact;
mod path_search;
mod phrase_scorer;
mod phrase_value;
mod plain_paths;
mod precomputed;
mod reach;
mod silent;
mod spoken_text;
mod steps;
mod trials;
mod tuned;

use std::time::Duration;

use quintain_core::{Meter, Rng, Unit, parameters};

use crate::players::solver::{Incumbent, SolverInput, TextSolver};
use crate::rules::LetterEffect;
use crate::rules::units::Position;
use crate::rules::walk::Walk;
pub use beam::BeamSettings;
use beam::{Beam, FinishedGame, Mode, Width};
pub use evaluation::BoardWeights;
use exact::solve_exactly;
pub(crate) use phrase_scorer::points_per_down;
use plain_paths::spell;
use precomputed::Precomputed;
pub use reach::Reach;
use trials::{Leaders, Trials};
pub use tuned::FEATURES;
use tuned::{FIRST_TRIED, tuned};

parameters! {
    /// Places and phrases sought together.
    pub(crate) struct ChampionParameters {
        /// Boards kept from unit to unit, in a single run; 0 for as many as there is time for,
        /// after trials of which weights suit the problem.
        width: usize = 0, in 0..=1_000_000;
        /// States of speech carried from unit to unit.
        carried: usize = tuned().beam.carried, in 1..=24;
        /// States of speech at a position on the way.
        listed: usize = tuned().beam.listed, in 2..=24;
        /// States more than this many points worse than the best at a position are dropped.
        margin: i32 = tuned().beam.margin, in 0..=1_000;
    }
}

impl From<&ChampionParameters> for Champion {
    fn from(given: &ChampionParameters) -> Champion {
        let &ChampionParameters { width, carried, listed, margin } = given;
        let settings = BeamSettings { carried, listed, margin, ..BeamSettings::default() };
        Champion { settings, width, ..Champion::default() }
    }
}

/// The champion, with its settings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Champion {
    /// The settings of its beams, before other weights are tried.
    pub settings: BeamSettings,
    /// Boards per step, in one run; 0 for as many as there is time for.
    pub width: usize,
    /// Whether only places are sought, without phrases.
    pub silent: bool,
}

impl Champion {
    fn mode(&self) -> Mode<'static> {
        if self.silent { Mode::Silent } else { Mode::Spoken }
    }

    /// Settings with lists of this length along given placements.
    fn listing(&self, listed: usize) -> BeamSettings {
        BeamSettings { listed, ..self.settings }
    }

    /// The last time that phrases are laid along the best game, if there is time for it: with
    /// longer lists, and with a lower price of what a fall earns anyway. Beams weigh phrases
    /// against placements, but then only phrases are left. `leads` says whether a trial leads that
    /// has room for nearly all units. More trials would gain little then, so the last time may take
    /// longer.
    fn choose_polishing(&self, leads: bool, guided_share: f64) -> Option<Polishing> {
        let tuned::Tuned { lists, shares, .. } = tuned();
        let longest = BeamSettings { carried: 24, margin: 40, ..self.listing(24) };
        let longest = Polishing {
            settings: BeamSettings { expected: 0.5, ..longest },
            share: lists.longest_cost * guided_share,
        };
        let long = Polishing {
            settings: BeamSettings { expected: 0.7, ..self.listing(2 * lists.usual) },
            share: lists.long_cost * guided_share,
        };
        if longest.share <= shares.polishing {
            Some(longest)
        } else if leads && long.share <= shares.polishing_of_leaders {
            Some(long)
        } else {
            None
        }
    }

    /// Plays a quick game: placements by one board at a time, then phrases along these placements.
    /// On the clock, the placements may take two fifths of the time; the rest is for the phrases,
    /// so that something is spoken however little time there is. Returns the game without phrases.
    fn play_quickly(
        &self,
        game: &mut Game<'_, '_>,
        meter: &mut Meter,
    ) -> Option<(FinishedGame, Pace)> {
        let tuned::Tuned { limits, lists, shares, .. } = tuned();
        let on_clock = meter.deadline().is_some();
        let mut part = meter.part(if on_clock { shares.quick_placements } else { 1.0 });
        let silent = game.run(Width::Fixed(1), Mode::Silent, self.settings, &mut part);
        meter.charge(part.spent());
        let silent = silent?;
        let silent_share = 1.0 - game.clock.share_left(meter);
        game.offer(&silent, meter);
        // Longer lists pay only where there will hardly be time for another game.
        let listed = if silent_share > limits.large { lists.usual } else { lists.short };
        let positions = silent.positions();
        game.speak_along(&positions, self.listing(listed), meter);
        let left = game.clock.share_left(meter);
        let phrases = 1.0 - silent_share - game.spelling - left;
        let is_short = listed < lists.usual;
        let guided_share = if is_short { lists.usual_cost * phrases } else { phrases };
        let cells = game.input.instance.problem().board().cells();
        let is_huge = limits.huge * guided_share > left;
        // Where units find room, further trials soon gain little, so phrases along the best of them
        // may take longer.
        let closely = is_huge && 2 * silent.units() > game.input.units_to_come();
        let pace = Pace {
            plays_again: BoardWeights::are_many(cells),
            is_large: 1.0 - left > limits.large,
            is_huge,
            guided_share: if closely { 1.5 * guided_share } else { guided_share },
            listed: if closely { 2 * lists.usual } else { lists.usual },
            width: choose_width(silent_share),
        };
        Some((silent, pace))
    }

    /// Tries weights without phrases.
    fn try_weights<'a>(
        &self,
        game: &mut Game<'a, '_>,
        silent: FinishedGame,
        pace: &mut Pace,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> Trials<'a> {
        let mut trials =
            Trials::new(game.input, game.precomputed, self.settings, pace.width, silent);
        let tuned::Tuned { limits, shares, .. } = tuned();
        let left = game.clock.share_left(meter);
        let mut part = meter.part(match (pace.plays_again, pace.is_huge, pace.is_large) {
            (true, true, _) => shares.first_on_huge * pace.share_for_trials(left),
            (true, false, true) => shares.first_on_many_large,
            (true, false, false) => shares.first_on_many,
            (false, _, true) => shares.first_on_large,
            (false, _, false) => shares.first,
        });
        let cells = game.input.instance.problem().board().cells();
        trials.play_first(BoardWeights::first_tried(cells, true), &mut part);
        if !pace.is_large || !pace.plays_again {
            trials.play_near(&mut part, rng);
        }
        meter.charge(part.spent());
        if !pace.plays_again && trials.share_placed() > limits.lost {
            return trials;
        }
        let left = game.clock.share_left(meter);
        let mut part = meter.part(match (pace.plays_again, pace.is_huge) {
            (true, true) => pace.share_for_trials(left),
            (true, false) => shares.again_on_many,
            (false, _) => shares.again_where_lost,
        });
        pace.plays_again = true;
        if trials.share_placed() <= limits.lost {
            trials.lead_on(tuned().trials.width);
            trials.play_first(BoardWeights::first_tried(cells, false), &mut part);
        }
        trials.play_again(&mut part, rng);
        meter.charge(part.spent());
        trials
    }

    /// Speaks: along the best placements, and by beams that seek placements and phrases together.
    /// The rest of the time goes to what has earned more.
    fn speak(
        &self,
        game: &mut Game<'_, '_>,
        trials: &mut Trials<'_>,
        pace: &Pace,
        meter: &mut Meter,
        rng: &mut Rng,
    ) {
        let listing = self.listing(pace.listed);
        let guided = match pace.plays_again || pace.is_large {
            true => game.follow(trials, listing, meter),
            false => Guided::default(),
        };
        let mut speech = Speech { guided, spoken: Leaders::new(), plays_again: pace.plays_again };
        let units = self.choose_spoken(game, trials, pace, &mut speech, meter);
        if !speech.plays_again && units.is_some_and(|units| 2 * units < trials.best().units()) {
            // Beams with phrases end early where trials do not, so phrases along a trial will earn
            // more.
            speech.plays_again = true;
            trials.lead_on(tuned().trials.width);
            speech.guided = game.follow(trials, listing, meter);
        }
        let leads = speech.follows() && trials.survives();
        let share = if leads { speech.guided.share } else { pace.guided_share };
        let polishing = self.choose_polishing(leads, share);
        self.speak_on(game, trials, listing, speech, (leads, polishing.as_ref()), meter, rng);
        if let Some(polishing) = polishing {
            game.polish(polishing.settings, meter);
        }
    }

    /// Tries the best weights of the trials with phrases too, if there is time: trials only guess
    /// what phrases earn. Returns the most units that such a beam has placed.
    fn choose_spoken(
        &self,
        game: &mut Game<'_, '_>,
        trials: &Trials<'_>,
        pace: &Pace,
        speech: &mut Speech,
        meter: &mut Meter,
    ) -> Option<usize> {
        let shares = &tuned().shares;
        let share = if pace.is_large { shares.spoken_on_large } else { shares.spoken };
        let count = match (pace.plays_again, pace.is_large) {
            (true, _) if pace.is_huge => 0,
            (true, true) => 1,
            (false, true) => 0,
            (_, false) => 3,
        };
        let mut units = None;
        for settings in trials.leaders().settings().take(count) {
            let mut part = meter.part(share);
            if let Some(ended) = game.run(Width::Filling, Mode::Spoken, settings, &mut part) {
                speech.spoken.enter(ended.points, settings);
                units = units.max(Some(ended.units()));
            }
            meter.charge(part.spent());
            if speech.guided.points > speech.spoken.points() {
                break;
            }
        }
        units
    }

    /// Spends the rest of the time, but what polishing needs, on what has earned more: on playing
    /// the best trial again and phrases along its placements, or on beams with phrases. `leads`
    /// says whether a trial leads that has room for nearly all units.
    #[allow(clippy::too_many_arguments)]
    fn speak_on(
        &self,
        game: &mut Game<'_, '_>,
        trials: &mut Trials<'_>,
        listing: BeamSettings,
        mut speech: Speech,
        (leads, polishing): (bool, Option<&Polishing>),
        meter: &mut Meter,
        rng: &mut Rng,
    ) {
        let shares = &tuned().shares;
        let polish = polishing.map_or(0.0, |polishing| polishing.share);
        let tried = speech.spoken.best().or(trials.leaders().best());
        let mut settings = tried.unwrap_or(self.settings);
        loop {
            let left = game.clock.share_left(meter);
            if left <= shares.end + polish {
                return;
            }
            if speech.follows() && 2.0 * speech.guided.share + polish < left {
                let guided = &mut speech.guided;
                // A game that is led far past its end takes much longer to follow.
                let most = if trials.leads_on() { shares.again_where_led_on } else { 1.0 };
                let kept = shares.reserve * guided.share + polish;
                let mut part = meter.part((1.0 - kept / left).min(most));
                trials.play_again(&mut part, rng);
                meter.charge(part.spent());
                if trials.points() > guided.followed {
                    let points = guided.points;
                    *guided = game.follow(trials, listing, meter);
                    guided.points = guided.points.max(points);
                }
                continue;
            }
            if leads && polishing.is_some() {
                return;
            }
            let mut part = meter.part(1.0 - polish / left);
            if let Some(ended) = game.run(Width::Filling, Mode::Spoken, settings, &mut part) {
                speech.spoken.enter(ended.points, settings);
            }
            meter.charge(part.spent());
            settings = speech.spoken.best().unwrap_or(self.settings);
            settings.weights = settings.weights.vary(rng);
        }
    }

    /// Estimates the result of a beam of this width without phrases: the points of its locks, and
    /// those that phrases are guessed to earn on the way. For tuning weights.
    pub fn estimate(&self, input: &SolverInput<'_>, width: usize) -> i64 {
        let precomputed = Precomputed::new(input);
        let beam = Beam::new(input, &precomputed, self.settings, Mode::Silent);
        beam.run(Width::Fixed(width), &mut Meter::of(u64::MAX)).map_or(0, |ended| ended.points)
    }
}

/// Returns the width of trials that have a quarter of the meter, if a game by one board took this
/// share of it: wide enough to tell weights apart, narrow enough to try many. Where the time is too
/// short for that, they have one board: many weights tell more than many boards.
fn choose_width(silent_share: f64) -> usize {
    let width = tuned().trials.width;
    let share_of_all = silent_share * (FIRST_TRIED * width) as f64;
    if share_of_all > 0.25 { 1 } else { width }
}

/// The last time that phrases are laid along the best game.
struct Polishing {
    settings: BeamSettings,
    /// The share of the whole meter that it is expected to take.
    share: f64,
}

/// How the time of a game is divided, by what the first game took.
struct Pace {
    /// Whether trials play the best game again. It pays on boards of many cells and in lost games;
    /// in others, beams with phrases earn more in the same time.
    plays_again: bool,
    is_large: bool,
    is_huge: bool,
    /// The share of the whole meter that phrases along given placements are expected to take.
    guided_share: f64,
    /// The states of speech at a position along the best trial.
    listed: usize,
    /// The width of the trials.
    width: usize,
}

impl Pace {
    /// The share of what is left of the meter that trials can take before phrases along the best of
    /// them.
    fn share_for_trials(&self, left: f64) -> f64 {
        let shares = &tuned().shares;
        (1.0 - shares.reserve * self.guided_share / left).max(shares.least_for_trials)
    }
}

/// How much of a meter is left, whether it counts time or nodes.
struct Clock {
    time: Option<Duration>,
    work: u64,
}

impl Clock {
    fn new(meter: &Meter) -> Clock {
        Clock { time: meter.time_left(), work: meter.left() }
    }

    /// What is spent of the meter and the whole of it, in nodes or seconds.
    fn read(&self, meter: &Meter) -> (f64, f64) {
        match (self.time, meter.time_left()) {
            (Some(whole), Some(left)) => {
                (whole.saturating_sub(left).as_secs_f64(), whole.as_secs_f64())
            }
            _ => ((self.work - meter.left()) as f64, self.work as f64),
        }
    }

    /// The share of the meter that is left.
    fn share_left(&self, meter: &mut Meter) -> f64 {
        if meter.is_spent() {
            return 0.0;
        }
        let (spent, whole) = self.read(meter);
        (whole - spent) / whole
    }
}

/// One game that is being solved: beams run, and what they speak is offered.
struct Game<'a, 'best> {
    input: &'a SolverInput<'a>,
    precomputed: &'a Precomputed,
    best: &'a mut Incumbent<'best>,
    clock: Clock,
    /// The share of the whole meter that it takes to spell a game without phrases, as far as is
    /// known.
    spelling: f64,
}

impl Game<'_, '_> {
    /// Runs a beam, and offers what it speaks.
    fn run(
        &mut self,
        width: Width,
        mode: Mode<'_>,
        settings: BeamSettings,
        meter: &mut Meter,
    ) -> Option<FinishedGame> {
        let ended = Beam::new(self.input, self.precomputed, settings, mode).run(width, meter);
        if let Some(ended) = ended.as_ref().filter(|_| mode != Mode::Silent) {
            let score = self.best.offer(&ended.text());
            // A phrase that no unit can speak alone is not pursued, but by chance two may speak it
            // together.
            debug_assert!(score.is_some_and(|score| score as i64 >= ended.points));
        }
        ended
    }

    /// A part of what is left of the meter: this share of the whole, or nearly all that is left.
    fn part(&self, share: f64, meter: &mut Meter) -> Meter {
        let left = self.clock.share_left(meter);
        meter.part(if left > 0.0 { (share / left).min(0.95) } else { 0.95 })
    }

    /// Speaks along the placements of the best trial.
    fn follow(&mut self, trials: &Trials<'_>, settings: BeamSettings, meter: &mut Meter) -> Guided {
        let (before, _) = self.clock.read(meter);
        let points = self.speak_along(&trials.best().positions(), settings, meter);
        let (after, whole) = self.clock.read(meter);
        Guided { followed: trials.points(), points, share: (after - before) / whole }
    }

    /// Offers a game of placements, with any path to each of them.
    fn offer(&mut self, placed: &FinishedGame, meter: &Meter) {
        let (before, _) = self.clock.read(meter);
        let score = self.best.offer(&spell(self.input, &placed.positions(), 0));
        // Where phrases can be spoken, the points contain what they are guessed to earn.
        debug_assert!(score.is_some_and(|score| {
            !self.precomputed.scorer.is_silent() || score as i64 >= placed.points
        }));
        let (after, whole) = self.clock.read(meter);
        self.spelling = self.spelling.max((after - before) / whole);
    }

    /// The share of the meter that is kept for spelling a whole game: what it has taken at most,
    /// and half as much again, since the next game may be longer.
    fn kept_for_spelling(&self) -> f64 {
        1.5 * self.spelling
    }

    /// Speaks along these placements, as long as there is time; from there on they are reached
    /// without phrases. Returns the points.
    fn speak_along(
        &mut self,
        guide: &[Position],
        settings: BeamSettings,
        meter: &mut Meter,
    ) -> i64 {
        let left = self.clock.share_left(meter);
        // The end may have to be spelled.
        let kept = self.kept_for_spelling();
        if left <= kept {
            return 0;
        }
        let mut part = meter.part(1.0 - kept / left);
        let ended = self.run(Width::Filling, Mode::Guided(guide), settings, &mut part);
        meter.charge(part.spent());
        let spoken = ended.as_ref().map_or(0, |ended| ended.points);
        let units = ended.as_ref().map_or(0, FinishedGame::units);
        if units == guide.len() {
            return spoken;
        }
        let text = ended.map_or(String::new(), |ended| ended.text());
        let score = self.best.offer(&(text + &spell(self.input, guide, units)));
        spoken.max(score.map_or(0, |score| score as i64))
    }

    /// Lays phrases along the placements of the best game once more.
    fn polish(&mut self, settings: BeamSettings, meter: &mut Meter) {
        let guide = place_units(self.input, self.best.text());
        self.speak_along(&guide, settings, meter);
    }
}

/// Where the units lock, one after the other, if this text is spoken.
fn place_units(input: &SolverInput<'_>, text: &str) -> Vec<Position> {
    let mut state = input.start.clone();
    let mut positions = Vec::new();
    for letter in text.bytes() {
        let position = state.walk.as_ref().map(Walk::position);
        if let Ok(LetterEffect::Locked { .. }) = input.instance.speak(&mut state, letter) {
            positions.extend(position);
        }
    }
    positions
}

/// What games with phrases have earned.
struct Speech {
    /// Along the placements of the best trial.
    guided: Guided,
    /// By beams that seek placements and phrases together.
    spoken: Leaders,
    /// Whether trials play the best game again.
    plays_again: bool,
}

impl Speech {
    /// Whether phrases along the best trial have earned more, and trials go on.
    fn follows(&self) -> bool {
        self.plays_again && self.guided.points > self.spoken.points()
    }
}

/// A game along the placements of a trial; none by default.
#[derive(Default)]
struct Guided {
    /// The points of the trial.
    followed: i64,
    /// The points of the game.
    points: i64,
    /// The share of the whole meter that it took.
    share: f64,
}

impl TextSolver for Champion {
    fn solve(
        &self,
        input: &SolverInput<'_>,
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Incumbent<'_>,
    ) {
        if input.start.walk.is_none() {
            return;
        }
        if self.width == 0
            && let Some(text) = solve_exactly(input, meter)
        {
            best.offer(&text);
            return best.prove();
        }
        let precomputed = Precomputed::new(input);
        let clock = Clock::new(meter);
        let mut game = Game { input, precomputed: &precomputed, best, clock, spelling: 0.0 };
        if self.width > 0 {
            game.run(Width::Fixed(self.width), self.mode(), self.settings, meter);
            return;
        }
        if precomputed.scorer.is_silent() {
            return self.play_silently(&mut game, meter, rng);
        }
        let Some((silent, mut pace)) = self.play_quickly(&mut game, meter) else { return };
        let mut trials = self.try_weights(&mut game, silent, &mut pace, meter, rng);
        self.speak(&mut game, &mut trials, &pace, meter, rng);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, 10_000)
    }
}
