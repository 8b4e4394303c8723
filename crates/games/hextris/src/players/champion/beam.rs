//! Beam search over units: a state is a board with several hypotheses of speech, each a
//! state of the phrases' automaton with the phrases spoken so far and the points. In
//! every step a cheap pass ranks all places of all boards by how the board looks; only
//! to the best of them ways are searched by dynamic programming ([`super::ways`]), and the
//! best boards with their true points go on.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quintain_core::Meter;

use crate::players::champion::evaluation::Weights;
use crate::players::champion::path_search::{ListLimits, PathEnd, PathSearch, PathStart};
use crate::players::champion::phrase_scorer::{POINT, PhraseScorer, PhraseWeights};
use crate::players::champion::reach::Reach;
use crate::players::champion::spoken_text::{SpokenText, pack_position, unpack_position};
use crate::players::champion::steps::Steps;
use crate::players::solver::SolverInput;
use crate::rules::Instance;
use crate::rules::board::Board;
use crate::rules::phrases::ONCE;
use crate::rules::points;
use crate::rules::units::Position;
use crate::rules::walk::Walk;

/// What a beam goes by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// How boards are estimated.
    pub weights: Weights,
    /// States carried from unit to unit.
    pub carried: usize,
    /// States at a position on the way.
    pub listed: usize,
    /// States so many points worse than the best at a position are given up.
    pub margin: i32,
    /// Boards looked at closely for each one that goes on.
    pub close: f32,
    /// Of the points that are paid once for a phrase, the share that does not count as
    /// long as many units are to come.
    pub deferred: f32,
    /// Of what a fall through the open earns by downward command, the share expected.
    pub expected: f32,
    /// So many units before the end the look of the board begins to count less.
    pub fading: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            weights: Weights::default(),
            carried: 8,
            listed: 8,
            margin: 10,
            close: 1.5,
            deferred: 0.8,
            expected: 0.9,
            fading: 12.0,
        }
    }
}

/// The most places of a board that are looked at: of more, the lowest.
const MOST_PLACES: usize = 200;

/// What was spoken, up to a lock.
#[derive(Clone, Debug)]
struct Hypothesis {
    /// Points of phrases and locks.
    points: i64,
    node: u16,
    used: u64,
    text: Option<Arc<SpokenText>>,
}

/// A board and what led to it.
#[derive(Clone, Debug)]
struct State {
    board: Board,
    before: u32,
    /// The best first.
    hypotheses: Vec<Hypothesis>,
}

/// A place, ranked without a way.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    rank: f32,
    look: f32,
    hash: u64,
    parent: u32,
    position: Position,
    lines: u32,
    /// Whether another unit can come.
    goes_on: bool,
}

/// A way to a candidate.
#[derive(Clone, Debug)]
struct Child {
    rank: f32,
    points: i64,
    candidate: u32,
    /// Of the parent.
    hypothesis: u16,
    node: u16,
    used: u64,
    /// In the letters of its worker.
    letters: (u32, u32),
    worker: u16,
}

/// What one thread works with.
struct Worker<'a> {
    reach: Reach,
    scratch: Board,
    taken: Vec<u32>,
    stamp: u32,
    search: PathSearch<'a>,
    candidates: Vec<Candidate>,
    children: Vec<Child>,
    letters: Vec<u8>,
    begins: Vec<PathStart>,
    ends: Vec<PathEnd>,
    targets: Vec<Position>,
    places: Vec<Position>,
}

/// The best game that ended.
#[derive(Clone, Debug)]
pub(super) struct FinishedGame {
    /// Its points.
    pub points: i64,
    text: Option<Arc<SpokenText>>,
}

impl FinishedGame {
    /// Everything that was spoken.
    pub(super) fn text(&self) -> String {
        let text = self.text.iter().flat_map(|text| text.parts());
        text.flat_map(|part| part.iter().map(|byte| char::from(*byte))).collect()
    }

    /// Where everything locked, of a silent beam.
    pub(super) fn positions(&self) -> Vec<Position> {
        let text = self.text.iter().flat_map(|text| text.parts());
        text.map(unpack_position).collect()
    }
}

/// How wide the beam is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Width {
    /// So many boards a step.
    Fixed(usize),
    /// As many as the meter allows.
    Filling,
}

/// What a beam does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mode<'a> {
    /// Places and phrases together.
    Spoken,
    /// Places only; what phrases would earn is guessed by the depth fallen.
    Silent,
    /// Phrases only: the places are given.
    Guided(&'a [Position]),
}

/// What does not change from unit to unit.
pub(super) struct Beam<'a> {
    input: &'a SolverInput<'a>,
    scorer: &'a PhraseScorer,
    steps: &'a [Steps],
    settings: Settings,
    mode: Mode<'a>,
    /// The most boards in a step, for memory.
    most: usize,
}

impl<'a> Beam<'a> {
    pub(super) fn new(
        input: &'a SolverInput<'a>,
        scorer: &'a PhraseScorer,
        steps: &'a [Steps],
        settings: Settings,
        mode: Mode<'a>,
    ) -> Self {
        let board = input.instance.problem().board();
        // A board with its hypotheses and candidates, roughly.
        let one = board.height() * 16 + settings.carried * 400 + 120 * 48;
        let most = (input.memory / 2 / one).clamp(1, 1 << 20);
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

    /// Plays the game from the start of the input; none if the meter is spent before.
    pub(super) fn run(&self, width: Width, meter: &mut Meter) -> Option<FinishedGame> {
        let start = self.input.start;
        let walk = start.walk.clone()?;
        let instance = self.instance();
        let root = Hypothesis {
            points: instance.score(start) as i64,
            node: self.scorer.after(&instance.phrases().beginning(start.node)),
            used: self.scorer.used(&start.counts),
            text: None,
        };
        let mut states = vec![State {
            board: start.board.clone(),
            before: start.before,
            hypotheses: vec![root],
        }];
        let mut ended: Option<FinishedGame> = None;
        let threads = self.input.threads.max(1);
        let mut workers: Vec<Worker> = (0..threads).map(|_| self.worker()).collect();
        let mut schedule = WidthSchedule::new();
        let first = start.came as usize - 1;
        let last = match self.mode {
            Mode::Guided(positions) => first + positions.len(),
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
            // Where not even one board is thought through in time, fewer states are carried.
            let listed = ((self.settings.listed as f64 * share.min(1.0)) as usize).max(2);
            states.truncate(width);
            schedule.begin();
            let nodes = states.len();
            let next = self.step(n, &walk, &states, width, listed, &mut workers, &mut ended, meter);
            meter.charge(nodes as u64);
            schedule.end(nodes);
            let Some(next) = next else {
                // Out of time: it is no error to stop early.
                let hypotheses = states.iter().flat_map(|state| &state.hypotheses);
                let best = hypotheses.max_by_key(|hypothesis| hypothesis.points)?;
                if ended.as_ref().is_none_or(|ended| ended.points < best.points) {
                    ended = Some(FinishedGame { points: best.points, text: best.text.clone() });
                }
                break;
            };
            states = next;
            if states.is_empty() {
                break;
            }
        }
        ended
    }

    fn worker(&self) -> Worker<'a> {
        let board = self.instance().problem().board();
        Worker {
            reach: Reach::new(),
            scratch: board.clone(),
            taken: vec![0; 12 * board.width() * board.height()],
            stamp: 0,
            search: PathSearch::new(self.scorer),
            candidates: Vec::new(),
            children: Vec::new(),
            letters: Vec::new(),
            begins: Vec::new(),
            ends: Vec::new(),
            targets: Vec::new(),
            places: Vec::new(),
        }
    }

    /// One unit further; none if the meter is spent on the way.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        n: usize,
        walk: &Walk,
        states: &[State],
        width: usize,
        listed: usize,
        workers: &mut [Worker<'a>],
        ended: &mut Option<FinishedGame>,
        meter: &mut Meter,
    ) -> Option<Vec<State>> {
        let phrase_weights = [self.phrase_weights(n), self.phrase_weights(n + 1)];
        let periods = [self.period(n), self.period(n + 1)];
        for worker in workers.iter_mut() {
            worker.candidates.clear();
            worker.children.clear();
            worker.letters.clear();
            worker.search.set_phrase_weights(periods, phrase_weights);
        }
        let base = states.iter().flat_map(|state| &state.hypotheses).map(|s| s.points).max()?;
        let done = in_parallel(workers, states.len(), meter, |worker, parent| {
            self.candidates(n, walk, &states[parent], parent, base, &phrase_weights, worker);
        });
        if !done {
            return None;
        }
        let mut all: Vec<Candidate> =
            workers.iter_mut().flat_map(|worker| worker.candidates.drain(..)).collect();
        let order = |a: &Candidate, b: &Candidate| {
            b.rank
                .total_cmp(&a.rank)
                .then(a.parent.cmp(&b.parent))
                .then(a.position.cmp(&b.position))
        };
        let close = ((width as f32 * self.settings.close) as usize).max(8);
        // Equal boards from different parents count once; a few parents of each are kept.
        if all.len() > 4 * close {
            all.select_nth_unstable_by(4 * close, order);
            all.truncate(4 * close);
        }
        all.sort_unstable_by(order);
        let mut copies: HashMap<u64, u32> = HashMap::with_capacity(2 * close);
        let mut boards = 0;
        all.retain(|candidate| {
            let known = copies.entry(candidate.hash).or_default();
            *known += 1;
            if *known == 1 {
                boards += 1;
            }
            boards <= close && *known <= 3
        });
        if self.mode == Mode::Silent {
            return Some(self.silent(n, walk, states, &all, width, ended));
        }
        // By parent, the candidates to look at closely.
        all.sort_unstable_by(|a, b| a.parent.cmp(&b.parent).then(a.position.cmp(&b.position)));
        let mut groups: Vec<(usize, usize)> = Vec::new();
        let mut from = 0;
        for to in 1..=all.len() {
            if to == all.len() || all[to].parent != all[from].parent {
                groups.push((from, to));
                from = to;
            }
        }
        let done = in_parallel(workers, groups.len(), meter, |worker, group| {
            let (from, to) = groups[group];
            let state = &states[all[from].parent as usize];
            self.children(
                n,
                walk,
                state,
                base,
                &phrase_weights,
                &all[from..to],
                from,
                listed,
                worker,
            );
        });
        if !done {
            return None;
        }
        let mut children: Vec<Child> = Vec::new();
        for (index, worker) in workers.iter_mut().enumerate() {
            children.extend(
                worker.children.drain(..).map(|child| Child { worker: index as u16, ..child }),
            );
        }
        children.sort_unstable_by(|a, b| {
            let key = |child: &Child| (child.candidate, child.hypothesis, child.node, child.points);
            b.rank.total_cmp(&a.rank).then_with(|| key(a).cmp(&key(b)))
        });
        let text = |child: &Child| {
            let parent = &states[all[child.candidate as usize].parent as usize];
            let hypothesis = &parent.hypotheses[usize::from(child.hypothesis)];
            let letters = &workers[usize::from(child.worker)].letters;
            let letters = &letters[child.letters.0 as usize..child.letters.1 as usize];
            Some(SpokenText::new(hypothesis.text.clone(), letters))
        };
        let mut next: Vec<State> = Vec::with_capacity(width);
        let mut index: HashMap<u64, usize> = HashMap::with_capacity(2 * width);
        for child in &children {
            let candidate = &all[child.candidate as usize];
            if !candidate.goes_on {
                if ended.as_ref().is_none_or(|ended| child.points > ended.points) {
                    *ended = Some(FinishedGame { points: child.points, text: text(child) });
                }
                continue;
            }
            let place = match index.get(&candidate.hash) {
                Some(place) => *place,
                None if next.len() == width => continue,
                None => {
                    let parent = &states[candidate.parent as usize];
                    let mut board = parent.board.clone();
                    self.instance().nth(n).lock(&mut board, candidate.position);
                    next.push(State { board, before: candidate.lines, hypotheses: Vec::new() });
                    index.insert(candidate.hash, next.len() - 1);
                    next.len() - 1
                }
            };
            let hypotheses = &mut next[place].hypotheses;
            let is_known = |hypothesis: &Hypothesis| {
                hypothesis.node == child.node && hypothesis.used == child.used
            };
            if hypotheses.len() < self.settings.carried && !hypotheses.iter().any(is_known) {
                hypotheses.push(Hypothesis {
                    points: child.points,
                    node: child.node,
                    used: child.used,
                    text: text(child),
                });
            }
        }
        Some(next)
    }

    /// The best boards by what the cheap pass says.
    fn silent(
        &self,
        n: usize,
        walk: &Walk,
        states: &[State],
        candidates: &[Candidate],
        width: usize,
        ended: &mut Option<FinishedGame>,
    ) -> Vec<State> {
        let unit = self.instance().nth(n);
        let density = self.phrase_weights(n).density;
        let mut next: Vec<State> = Vec::with_capacity(width);
        let mut hashes = HashSet::with_capacity(2 * width);
        for candidate in candidates {
            let Candidate { position, lines, .. } = *candidate;
            let parent = &states[candidate.parent as usize];
            let hypothesis = &parent.hypotheses[0];
            let downs = f32::from(position.y - walk.position().y + 1);
            let gained = points(unit.size(), lines, parent.before) as i64;
            let points = hypothesis.points + gained + (density * downs) as i64;
            let text = || Some(SpokenText::new(hypothesis.text.clone(), &pack_position(position)));
            if !candidate.goes_on {
                if ended.as_ref().is_none_or(|ended| points > ended.points) {
                    *ended = Some(FinishedGame { points, text: text() });
                }
            } else if next.len() < width && hashes.insert(candidate.hash) {
                let mut board = parent.board.clone();
                unit.lock(&mut board, position);
                let hypotheses = vec![Hypothesis { points, text: text(), ..*hypothesis }];
                next.push(State { board, before: lines, hypotheses });
            }
        }
        next
    }

    /// What a hypothesis is worth, from `base`.
    fn worth(&self, hypothesis: &Hypothesis, base: i64, phrase_weights: &PhraseWeights) -> i32 {
        let deferred =
            (ONCE as i32 * POINT - phrase_weights.once()) * hypothesis.used.count_ones() as i32;
        let points = (hypothesis.points - base).max(-1_000_000) as i32;
        points * POINT - deferred
    }

    #[allow(clippy::too_many_arguments)]
    fn candidates(
        &self,
        n: usize,
        walk: &Walk,
        state: &State,
        parent: usize,
        base: i64,
        phrase_weights: &[PhraseWeights; 2],
        worker: &mut Worker<'a>,
    ) {
        let instance = self.instance();
        let unit = instance.nth(n);
        let Worker { reach, scratch, taken, stamp, candidates, search, places, .. } = worker;
        reach.sweep(unit, &state.board, walk.position());
        let begin = |hypothesis: &Hypothesis| PathStart {
            node: hypothesis.node,
            used: hypothesis.used,
            worth: self.worth(hypothesis, base, &phrase_weights[0]),
        };
        let best = state.hypotheses.iter().map(|hypothesis| search.rank(&begin(hypothesis))).max();
        let best = best.unwrap_or_default() as f32 / POINT as f32;
        let left = instance.queue().len() - n - 1;
        let counts = (left as f32 / self.settings.fading).min(1.0);
        let after = (left > 0).then(|| instance.nth(n + 1));
        let guide = match self.mode {
            Mode::Guided(positions) => Some(positions[n + 1 - self.input.start.came as usize]),
            _ => None,
        };
        *stamp += 1;
        let (width, height) = (state.board.width(), state.board.height());
        places.clear();
        reach.for_each_lock(unit, |position| {
            if guide.is_some_and(|guide| guide != position) {
                return;
            }
            let (x, y, form) = unit.footprint(position);
            let key = (usize::from(form) * height + y as usize) * width + x as usize;
            if taken[key] != *stamp {
                taken[key] = *stamp;
                places.push(position);
            }
        });
        if places.len() > MOST_PLACES {
            let lowest = |position: &Position| {
                let shape = unit.shape(*position);
                (std::cmp::Reverse(i32::from(position.y) + shape.top + shape.height), *position)
            };
            places.select_nth_unstable_by_key(MOST_PLACES, lowest);
            places.truncate(MOST_PLACES);
            places.sort_unstable();
        }
        for &position in places.iter() {
            scratch.rows_mut().copy_from_slice(state.board.rows());
            let lines = unit.lock(scratch, position);
            let goes_on = after.is_some_and(|after| after.fits(scratch, after.spawn()));
            let gained = points(unit.size(), lines, state.before) as f32;
            let look = match goes_on {
                true => counts * self.settings.weights.of(scratch),
                false => -60.0 * left as f32,
            };
            let downs = f32::from(position.y - walk.position().y + 1);
            candidates.push(Candidate {
                rank: best + gained + look + phrase_weights[0].density * downs,
                look,
                hash: hash(scratch, lines),
                parent: parent as u32,
                position,
                lines,
                goes_on,
            });
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn children(
        &self,
        n: usize,
        walk: &Walk,
        state: &State,
        base: i64,
        phrase_weights: &[PhraseWeights; 2],
        candidates: &[Candidate],
        first: usize,
        listed: usize,
        worker: &mut Worker<'a>,
    ) {
        let unit = self.instance().nth(n);
        let steps = &self.steps[usize::from(self.instance().queue()[n])];
        let Worker { reach, search, children, letters, begins, ends, targets, .. } = worker;
        begins.clear();
        begins.extend(state.hypotheses.iter().map(|hypothesis| PathStart {
            node: hypothesis.node,
            used: hypothesis.used,
            worth: self.worth(hypothesis, base, &phrase_weights[0]),
        }));
        targets.clear();
        targets.extend(candidates.iter().map(|candidate| candidate.position));
        reach.sweep(unit, &state.board, walk.position());
        let mut limits = ListLimits {
            length: listed,
            carried: self.settings.carried,
            margin: self.settings.margin,
            sideways: if state.board.width() > 20 { 3 } else { 0 },
        };
        search.explore(unit, steps, &state.board, walk, reach, targets, begins, limits);
        if limits.sideways > 0 && !search.has_ends() {
            limits.sideways = 0;
            search.explore(unit, steps, &state.board, walk, reach, targets, begins, limits);
        }
        for (target, candidate) in candidates.iter().enumerate() {
            let gained = points(unit.size(), candidate.lines, state.before);
            search.ends(target, ends);
            for end in ends.iter() {
                let from = letters.len();
                let hypothesis = search.letters(end, letters);
                let parent = &state.hypotheses[hypothesis];
                let mut node = parent.node;
                let mut used = parent.used;
                let mut earned = 0;
                for letter in &letters[from..] {
                    node = self.scorer.hear(node, *letter);
                    for phrase in self.scorer.heard(node) {
                        earned += i64::from(self.scorer.phrases[usize::from(*phrase)].points);
                        if used >> phrase & 1 == 0 {
                            earned += ONCE as i64;
                            used |= 1 << phrase;
                        }
                    }
                }
                children.push(Child {
                    rank: end.rank as f32 / POINT as f32 + gained as f32 + candidate.look,
                    points: parent.points + gained as i64 + earned,
                    candidate: (first + target) as u32,
                    hypothesis: hypothesis as u16,
                    node,
                    used,
                    letters: (from as u32, letters.len() as u32),
                    worker: 0,
                });
            }
        }
    }
}

/// A hash of a board and the lines of the lock that made it.
fn hash(board: &Board, lines: u32) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = u64::from(lines);
    for row in board.rows() {
        hash = (hash.rotate_left(23) ^ *row as u64).wrapping_mul(FACTOR);
        if board.width() > 64 {
            hash = (hash.rotate_left(23) ^ (*row >> 64) as u64).wrapping_mul(FACTOR);
        }
    }
    hash ^ hash >> 29
}

/// Calls `work` for every index below `count`, on one thread for each worker; false if
/// the meter is spent before all is done.
fn in_parallel<W: Send>(
    workers: &mut [W],
    count: usize,
    meter: &Meter,
    work: impl Fn(&mut W, usize) + Sync,
) -> bool {
    let next = AtomicUsize::new(0);
    let run = |worker: &mut W| {
        let mut clock = meter.part(1.0);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            if clock.is_spent() {
                // The others stop too, and it shows.
                next.fetch_max(usize::MAX / 2, Ordering::Relaxed);
                return;
            }
            work(worker, index);
        }
    };
    if workers.len() == 1 || count < 4 {
        run(&mut workers[0]);
    } else {
        std::thread::scope(|scope| {
            for worker in workers.iter_mut() {
                scope.spawn(|| run(worker));
            }
        });
    }
    next.load(Ordering::Relaxed) < usize::MAX / 2
}

/// How fast a beam goes, to make it as wide as there is time for.
struct WidthSchedule {
    began: std::time::Instant,
    /// Seconds a board, lately.
    cost: f64,
    width: f64,
}

impl WidthSchedule {
    fn new() -> WidthSchedule {
        WidthSchedule { began: std::time::Instant::now(), cost: 0.0, width: 2.0 }
    }

    /// The width for a step after which `left - 1` others come; less than one board where
    /// time is short.
    fn share(&mut self, left: usize, meter: &Meter) -> f64 {
        let share = match meter.deadline() {
            None => meter.left() as f64 / left as f64,
            Some(deadline) => {
                let time = deadline.saturating_duration_since(std::time::Instant::now());
                // The last step has to end before the deadline.
                let time = time.as_secs_f64() * 0.98;
                if self.cost == 0.0 { 1.0 } else { time / left as f64 / self.cost }
            }
        };
        self.width = share.min(2.0 * self.width.max(1.0));
        self.width
    }

    fn begin(&mut self) {
        self.began = std::time::Instant::now();
    }

    fn end(&mut self, nodes: usize) {
        let cost = self.began.elapsed().as_secs_f64() / nodes.max(1) as f64;
        self.cost = if self.cost == 0.0 { cost } else { 0.8 * self.cost + 0.2 * cost };
    }
}
