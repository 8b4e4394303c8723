//! Beam search over units. A state of the beam is a board with several *hypotheses* of what has
//! been spoken on the way to it: each has a node of the phrases' automaton, the phrases that have
//! been paid for already, and the points. Boards and speech are kept apart because many texts lead
//! to the same board. Which of them is best shows only later, when a phrase that was begun is
//! finished or not.
//!
//! One step places one unit on every board, in two passes:
//!
//! 1. a cheap pass ([`ranking`]) locks the unit in every place that it can reach on every board and
//!    ranks the resulting boards, with a guess instead of a path: what a fall of that depth usually
//!    earns in phrases;
//! 2. only for the best of those, [`super::path_search`] looks for the command strings themselves.
//!    Their true points, with the value of the phrase that is under way, decide which boards go on,
//!    and with which hypotheses.
//!
//! The first pass looks at some hundred times as many places as the second.
//!
//! The beam of `quintain-search` has one line to each node and one pass, and expands its nodes on
//! one thread. Hypotheses, the second pass and threads are what it lacks.

mod model;
mod ranking;
mod schedule;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use quintain_core::Meter;

use crate::players::champion::path_search::ListLimits;
use crate::players::champion::phrase_scorer::PhraseScorer;
use crate::players::champion::phrase_value::{POINT, PhraseWeights};
use crate::players::champion::plain_paths::find_path_on;
use crate::players::champion::precomputed::Precomputed;
use crate::players::champion::spoken_text::{SpokenText, pack_position, unpack_position};
use crate::players::champion::steps::Steps;
use crate::players::solver::SolverInput;
use crate::rules::phrases::ONCE;
use crate::rules::units::Position;
use crate::rules::walk::Walk;
use crate::rules::{Instance, points};
pub use model::BeamSettings;
use model::{Candidate, Child, Hypothesis, Ply, State, Worker};
use ranking::{rank_places, select};
use schedule::{WidthSchedule, run_in_parallel};

/// The best game that was played to its end.
#[derive(Clone, Debug)]
pub(super) struct FinishedGame {
    /// Its points; for a silent beam, with the points that phrases are guessed to earn.
    pub points: i64,
    text: Option<Arc<SpokenText>>,
}

impl FinishedGame {
    /// Everything that was spoken.
    pub(super) fn text(&self) -> String {
        let text = self.text.iter().flat_map(|text| text.parts());
        text.flat_map(|part| part.iter().map(|byte| char::from(*byte))).collect()
    }

    /// The number of units placed.
    pub(super) fn units(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.parts().len())
    }

    /// Where the units locked, one after the other; for a silent beam only.
    pub(super) fn positions(&self) -> Vec<Position> {
        let text = self.text.iter().flat_map(|text| text.parts());
        text.map(unpack_position).collect()
    }

    /// Replaces `best` with a game worth `points` if that is more.
    fn improve(
        best: &mut Option<FinishedGame>,
        points: i64,
        text: impl FnOnce() -> Option<Arc<SpokenText>>,
    ) {
        if best.as_ref().is_none_or(|best| points > best.points) {
            *best = Some(FinishedGame { points, text: text() });
        }
    }
}

/// How wide the beam is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Width {
    /// This many boards per step.
    Fixed(usize),
    /// As many as the meter allows.
    Filling,
}

/// What a beam looks for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mode<'a> {
    /// Places and phrases together.
    Spoken,
    /// Places only; the points that phrases would earn are guessed from the depth fallen.
    Silent,
    /// Phrases only, along given places.
    Guided(&'a [Position]),
}

/// Where a game can be played on: before a unit comes.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// The number of the unit, from 0.
    n: usize,
    walk: Walk,
    state: State,
}

/// Everything that stays the same from unit to unit.
pub(super) struct Beam<'a> {
    input: &'a SolverInput<'a>,
    scorer: &'a PhraseScorer,
    steps: &'a [Steps],
    settings: BeamSettings,
    mode: Mode<'a>,
    /// The most boards in a step, limited by memory.
    most: usize,
}

impl<'a> Beam<'a> {
    pub(super) fn new(
        input: &'a SolverInput<'a>,
        precomputed: &'a Precomputed,
        settings: BeamSettings,
        mode: Mode<'a>,
    ) -> Self {
        let board = input.instance.problem().board();
        // Roughly the bytes of a board with its hypotheses and candidates.
        let one = board.height() * 16 + settings.carried * 400 + 120 * 48;
        let most = (input.memory / 2 / one).clamp(1, 1 << 20);
        let Precomputed { scorer, steps } = precomputed;
        Beam { input, scorer, steps, settings, mode, most }
    }

    fn instance(&self) -> &'a Instance {
        self.input.instance
    }

    /// How phrases are weighed for the n-th unit.
    fn phrase_weights(&self, n: usize) -> PhraseWeights {
        let queue = self.instance().queue();
        let period = self.period(n);
        let left = queue.len().saturating_sub(n) as f32;
        let deferred = self.settings.deferred * (left / 30.0).min(1.0);
        PhraseWeights {
            density: self.scorer.density(period) * self.settings.expected,
            share: 1.0 - deferred,
        }
    }

    fn period(&self, n: usize) -> u8 {
        let n = n.min(self.instance().queue().len() - 1);
        self.instance().nth(n).period()
    }

    /// Plays the game from the start that the input gives; `None` if the meter is spent before the
    /// first step is done.
    pub(super) fn run(&self, width: Width, meter: &mut Meter) -> Option<FinishedGame> {
        self.run_from(self.start()?, width, meter)
    }

    /// Where the input starts, if a unit can come.
    fn start(&self) -> Option<Checkpoint> {
        let start = self.input.start;
        let instance = self.instance();
        let root = Hypothesis {
            points: instance.score(start) as i64,
            node: self.scorer.after(&instance.phrases().beginning(start.node)),
            used: self.scorer.find_counted(&start.counts),
            text: None,
        };
        let state =
            State { board: start.board.clone(), before: start.before, hypotheses: vec![root] };
        Some(Checkpoint { n: self.first(), walk: start.walk.clone()?, state })
    }

    /// The number of the unit with which the input starts.
    fn first(&self) -> usize {
        (self.input.start.came as usize).saturating_sub(1)
    }

    /// Goes through the [positions](FinishedGame::positions) of a silent game; returns where it can
    /// be played again, from each of its units on.
    pub(super) fn replay(&self, positions: &[Position]) -> Vec<Checkpoint> {
        let Some(mut here) = self.start() else { return Vec::new() };
        let mut checkpoints = Vec::with_capacity(positions.len());
        for &position in positions {
            let unit = self.instance().nth(here.n);
            if here.n > self.first() {
                here.walk = Walk::new(unit, unit.spawn());
            }
            checkpoints.push(here.clone());
            let lines = unit.lock(&mut here.state.board, position);
            let hypothesis = &mut here.state.hypotheses[0];
            hypothesis.points +=
                self.count_silently(here.n, &here.walk, position, lines, here.state.before);
            hypothesis.text =
                Some(SpokenText::new(hypothesis.text.take(), &pack_position(position)));
            here.state.before = lines;
            here.n += 1;
        }
        checkpoints
    }

    /// The points of the n-th unit in a silent game: those of its lock, and those that phrases are
    /// guessed to earn on the way.
    fn count_silently(
        &self,
        n: usize,
        walk: &Walk,
        position: Position,
        lines: u32,
        before: u32,
    ) -> i64 {
        let downs = f32::from(position.y - walk.position().y + 1);
        let gained = points(self.instance().nth(n).size(), lines, before) as i64;
        gained + (self.phrase_weights(n).density * downs) as i64
    }

    /// Plays the game from a checkpoint on; `None` if the meter is spent before the first step is
    /// done.
    pub(super) fn run_from(
        &self,
        checkpoint: Checkpoint,
        width: Width,
        meter: &mut Meter,
    ) -> Option<FinishedGame> {
        let Checkpoint { n: first, walk, state } = checkpoint;
        let instance = self.instance();
        let mut states = vec![state];
        let mut best: Option<FinishedGame> = None;
        let threads = self.input.threads.max(1);
        let mut workers: Vec<Worker> =
            (0..threads).map(|_| Worker::new(instance, self.scorer)).collect();
        let mut schedule = WidthSchedule::new();
        let last = match self.mode {
            Mode::Guided(positions) => self.first() + positions.len(),
            _ => instance.queue().len(),
        };
        for n in first..last {
            let unit = instance.nth(n);
            let walk = if n == first { walk.clone() } else { Walk::new(unit, unit.spawn()) };
            let left = last - n;
            let share = match width {
                Width::Fixed(width) => width as f64,
                Width::Filling => schedule.share(left, meter),
            };
            let width = (share as usize).clamp(1, self.most);
            // If there is no time for even one board, its paths are searched less closely.
            let listed = ((self.settings.listed as f64 * share.min(1.0)) as usize).max(2);
            states.truncate(width);
            schedule.begin(meter);
            let nodes = states.len();
            let next = self.step(n, &walk, &states, width, listed, &mut workers, &mut best, meter);
            meter.charge(nodes as u64);
            schedule.end(nodes, meter);
            let Some(next) = next.filter(|next| !next.is_empty()) else {
                // The time is up, or no board has room for another unit. A game may stop early, so
                // the best so far is a game too.
                let hypotheses = states.iter().flat_map(|state| &state.hypotheses);
                let leader = hypotheses.max_by_key(|hypothesis| hypothesis.points)?;
                FinishedGame::improve(&mut best, leader.points, || leader.text.clone());
                break;
            };
            states = next;
        }
        best
    }

    /// Places one unit on all boards; `None` if the meter is spent on the way.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        n: usize,
        walk: &Walk,
        states: &[State],
        width: usize,
        listed: usize,
        workers: &mut [Worker<'a>],
        best: &mut Option<FinishedGame>,
        meter: &mut Meter,
    ) -> Option<Vec<State>> {
        let base = states.iter().flat_map(|state| &state.hypotheses).map(|s| s.points).max()?;
        let phrase_weights = [self.phrase_weights(n), self.phrase_weights(n + 1)];
        let ply = Ply { n, walk, states, base, phrase_weights };
        let periods = [self.period(n), self.period(n + 1)];
        workers.iter_mut().for_each(|worker| worker.clear(periods, phrase_weights));

        let guide = match self.mode {
            Mode::Guided(positions) => Some(positions[n - self.first()]),
            _ => None,
        };
        let is_done = run_in_parallel(workers, states.len(), meter, |worker, parent| {
            rank_places(self.instance(), &self.settings, guide, &ply, parent, worker);
        });
        if !is_done {
            return None;
        }
        let all = workers.iter_mut().flat_map(|worker| worker.candidates.drain(..)).collect();
        let close = ((width as f32 * self.settings.close) as usize).max(8);
        let mut candidates = select(all, close, self.instance().problem().board().width());
        if self.mode == Mode::Silent {
            return Some(self.advance_silently(&ply, &candidates, width, best));
        }

        // One search finds the paths to all candidates of a board.
        candidates
            .sort_unstable_by(|a, b| a.parent.cmp(&b.parent).then(a.position.cmp(&b.position)));
        let mut groups: Vec<(usize, usize)> = Vec::new();
        let mut from = 0;
        for to in 1..=candidates.len() {
            if to == candidates.len() || candidates[to].parent != candidates[from].parent {
                groups.push((from, to));
                from = to;
            }
        }
        let is_done = run_in_parallel(workers, groups.len(), meter, |worker, group| {
            let (from, to) = groups[group];
            self.search_paths(&ply, &candidates[from..to], from, listed, worker);
        });
        if !is_done {
            return None;
        }
        Some(self.advance(&ply, &candidates, workers, width, best))
    }

    /// The boards that go on after the second pass, each with its best hypotheses.
    fn advance(
        &self,
        ply: &Ply<'_>,
        candidates: &[Candidate],
        workers: &mut [Worker<'a>],
        width: usize,
        best: &mut Option<FinishedGame>,
    ) -> Vec<State> {
        let mut children: Vec<Child> = Vec::new();
        for (index, worker) in workers.iter_mut().enumerate() {
            children.extend(
                worker.children.drain(..).map(|child| Child { worker: index as u16, ..child }),
            );
        }
        // Which thread found what depends on chance, but the order must not. So ties are broken by
        // everything else that tells children apart.
        children.sort_unstable_by(|a, b| {
            let key = |child: &Child| (child.candidate, child.hypothesis, child.node, child.points);
            b.rank.total_cmp(&a.rank).then_with(|| key(a).cmp(&key(b)))
        });
        let text = |child: &Child| {
            let parent = &ply.states[candidates[child.candidate as usize].parent as usize];
            let hypothesis = &parent.hypotheses[usize::from(child.hypothesis)];
            let letters = &workers[usize::from(child.worker)].letters;
            let letters = &letters[child.letters.0 as usize..child.letters.1 as usize];
            Some(SpokenText::new(hypothesis.text.clone(), letters))
        };
        let mut next: Vec<State> = Vec::with_capacity(width);
        let mut index: HashMap<u64, usize> = HashMap::with_capacity(2 * width);
        for child in &children {
            let candidate = &candidates[child.candidate as usize];
            if !candidate.goes_on {
                FinishedGame::improve(best, child.points, || text(child));
                continue;
            }
            // Equal boards from different parents become one state.
            let place = match index.get(&candidate.hash) {
                Some(place) => *place,
                None if next.len() == width => continue,
                None => {
                    let parent = &ply.states[candidate.parent as usize];
                    let mut board = parent.board.clone();
                    self.instance().nth(ply.n).lock(&mut board, candidate.position);
                    next.push(State { board, before: candidate.lines, hypotheses: Vec::new() });
                    index.insert(candidate.hash, next.len() - 1);
                    next.len() - 1
                }
            };
            // Children come best first: of two hypotheses with the same future, the one that is
            // already there is better.
            let hypotheses = &mut next[place].hypotheses;
            let is_known =
                |known: &Hypothesis| known.node == child.node && known.used == child.used;
            if hypotheses.len() < self.settings.carried && !hypotheses.iter().any(is_known) {
                hypotheses.push(Hypothesis {
                    points: child.points,
                    node: child.node,
                    used: child.used,
                    text: text(child),
                });
            }
        }
        next
    }

    /// The boards that go on when no paths are searched. Each board has one hypothesis, whose text
    /// is the list of positions at which units locked.
    fn advance_silently(
        &self,
        ply: &Ply<'_>,
        candidates: &[Candidate],
        width: usize,
        best: &mut Option<FinishedGame>,
    ) -> Vec<State> {
        let unit = self.instance().nth(ply.n);
        let mut next: Vec<State> = Vec::with_capacity(width);
        let mut hashes = HashSet::with_capacity(2 * width);
        for candidate in candidates {
            let Candidate { position, lines, .. } = *candidate;
            let parent = &ply.states[candidate.parent as usize];
            let hypothesis = &parent.hypotheses[0];
            let gained = self.count_silently(ply.n, ply.walk, position, lines, parent.before);
            let points = hypothesis.points + gained;
            let text = || Some(SpokenText::new(hypothesis.text.clone(), &pack_position(position)));
            if !candidate.goes_on {
                FinishedGame::improve(best, points, text);
            } else if next.len() < width && hashes.insert(candidate.hash) {
                let mut board = parent.board.clone();
                unit.lock(&mut board, position);
                let hypotheses = vec![Hypothesis { points, text: text(), ..*hypothesis }];
                next.push(State { board, before: lines, hypotheses });
            }
        }
        next
    }

    /// The second pass for the candidates of one board; `first` is the number of the first of them.
    fn search_paths(
        &self,
        ply: &Ply<'_>,
        candidates: &[Candidate],
        first: usize,
        listed: usize,
        worker: &mut Worker<'a>,
    ) {
        self.explore_paths(ply, candidates, listed, worker);
        for (target, candidate) in candidates.iter().enumerate() {
            self.add_children(ply, candidate, target, first + target, worker);
        }
    }

    /// Searches the paths from the hypotheses of a board to its candidates.
    #[inline]
    fn explore_paths(
        &self,
        ply: &Ply<'_>,
        candidates: &[Candidate],
        listed: usize,
        worker: &mut Worker<'a>,
    ) {
        let state = &ply.states[candidates[0].parent as usize];
        let unit = self.instance().nth(ply.n);
        let steps = &self.steps[usize::from(self.instance().queue()[ply.n])];
        let Worker { reach, search, starts, targets, .. } = worker;
        starts.clear();
        starts.extend(state.hypotheses.iter().map(|one| ply.path_start(one)));
        targets.clear();
        targets.extend(candidates.iter().map(|candidate| candidate.position));
        reach.sweep(unit, &state.board, ply.walk.position());
        let mut limits = ListLimits {
            length: listed,
            carried: self.settings.carried,
            margin: self.settings.margin,
            sideways: if state.board.width() > 20 { 3 } else { 0 },
        };
        search.explore(unit, steps, &state.board, ply.walk, reach, targets, starts, limits);
        if limits.sideways > 0 && !search.has_ends() {
            // No place lies near the straight way, so search once more with all ways.
            limits.sideways = 0;
            search.explore(unit, steps, &state.board, ply.walk, reach, targets, starts, limits);
        }
    }

    /// Adds the children that the paths to a candidate make: it is this `target` of the search,
    /// and has this `number` among all candidates.
    #[inline]
    fn add_children(
        &self,
        ply: &Ply<'_>,
        candidate: &Candidate,
        target: usize,
        number: usize,
        worker: &mut Worker<'a>,
    ) {
        let state = &ply.states[candidate.parent as usize];
        let unit = self.instance().nth(ply.n);
        let gained = points(unit.size(), candidate.lines, state.before);
        let Worker { search, children, letters, starts, ends, .. } = worker;
        let mut add = |rank: f32, hypothesis: usize, letters: &[u8], from: usize| {
            let (node, used, earned) = self.hear(&state.hypotheses[hypothesis], &letters[from..]);
            children.push(Child {
                rank: rank + gained as f32 + candidate.evaluation,
                points: state.hypotheses[hypothesis].points + gained as i64 + earned,
                candidate: number as u32,
                hypothesis: hypothesis as u16,
                node,
                used,
                letters: (from as u32, letters.len() as u32),
                worker: 0,
            });
        };
        search.ends(target, ends);
        for end in ends.iter() {
            let from = letters.len();
            let hypothesis = search.letters(end, letters);
            add(end.rank as f32 / POINT as f32, hypothesis, letters, from);
        }
        // The path search misses some paths, but there is one to each place that is given.
        if ends.is_empty()
            && let Mode::Guided(_) = self.mode
            && let Some(path) = find_path_on(unit, &state.board, ply.walk, candidate.position)
        {
            for hypothesis in 0..state.hypotheses.len() {
                let from = letters.len();
                letters.extend(path.bytes());
                let worth = starts[hypothesis].worth as f32 / POINT as f32;
                add(worth, hypothesis, letters, from);
            }
        }
    }

    /// The node after a hypothesis goes on with these letters, the phrases then spoken, and the
    /// points that they earn. The search itself counts in weighted parts of a point and takes some
    /// nodes for others.
    #[inline]
    fn hear(&self, hypothesis: &Hypothesis, letters: &[u8]) -> (u16, u64, i64) {
        let &Hypothesis { mut node, mut used, .. } = hypothesis;
        let mut earned = 0;
        for letter in letters {
            node = self.scorer.hear(node, *letter);
            for phrase in self.scorer.phrases_at(node) {
                earned += i64::from(self.scorer.phrases[usize::from(*phrase)].points);
                if used >> phrase & 1 == 0 {
                    earned += ONCE as i64;
                    used |= 1 << phrase;
                }
            }
        }
        (node, used, earned)
    }
}
