//! Ways to lay a whole chain at once. Each takes an instance and an allowance and
//! hands out every improvement; the players made of them are in `players`.

pub mod champion;
pub mod fold;
pub mod growth;
pub mod perm;
pub mod slides;

use std::sync::Arc;

use quintain_core::{Meter, Rng};
use quintain_search::annealing::{self, Landscape, Schedule};
use quintain_search::beam;
use quintain_search::replica_exchange;

use crate::rules::Instance;
use fold::{Fold, Mix, snake};
use growth::{Growth, Taste};

/// A whole walk and its R.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Laid {
    /// The cells of the monomers.
    pub walk: Vec<u16>,
    /// Over all pairs, bonds included.
    pub r: i32,
}

/// The best so far, and who is told of improvements.
pub struct Best<'a> {
    laid: Option<Laid>,
    found: &'a mut dyn FnMut(&Laid),
}

impl<'a> Best<'a> {
    /// Nothing yet.
    pub fn new(found: &'a mut dyn FnMut(&Laid)) -> Self {
        Best { laid: None, found }
    }

    /// Takes a walk if it is the best so far.
    pub fn offer(&mut self, walk: &[u16], r: i32) {
        if self.laid.as_ref().is_none_or(|best| r > best.r) {
            let laid = Laid { walk: walk.to_vec(), r };
            (self.found)(&laid);
            self.laid = Some(laid);
        }
    }

    /// The best so far.
    pub fn get(&self) -> Option<&Laid> {
        self.laid.as_ref()
    }

    /// The best, and the end of it.
    pub fn take(self) -> Option<Laid> {
        self.laid
    }
}

/// The settings of annealing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cooling {
    /// The first temperature.
    pub hot: f64,
    /// The last.
    pub cold: f64,
    /// How often which move is tried.
    pub mix: Mix,
}

/// Moves tried for one unit of the meter.
pub const BLOCK: u32 = 256;

impl Cooling {
    /// What suits an instance: hotter and colder where it is dense, short turns where it
    /// is long.
    pub fn suiting(instance: &Instance) -> Cooling {
        let density = instance.len() as f64 / instance.torus().cells() as f64;
        let (hot, cold) = if density > 0.65 { (1.2, 0.2) } else { (0.8, 0.2) };
        let longest = if instance.len() > 400 { 60 } else { instance.len() };
        Cooling {
            hot,
            cold,
            mix: Mix { backbite: 4, rebridge: 40, slide: 4, regrow: 4, segment: 8, longest },
        }
    }

    /// The same from a temperature at which what is found is kept, for polishing.
    pub fn polishing(instance: &Instance) -> Cooling {
        Cooling { hot: 0.35, cold: 0.15, ..Cooling::suiting(instance) }
    }
}

/// Anneals once from `start` (or a snake), over all that `meter` has left.
pub fn anneal(
    instance: &Arc<Instance>,
    start: Option<&[u16]>,
    cooling: Cooling,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Best<'_>,
) {
    let snake = snake(instance.torus(), instance.len());
    let mut fold = Fold::new(Arc::clone(instance), start.unwrap_or(&snake), cooling.mix);
    best.offer(fold.walk(), fold.r());
    let schedule = Schedule { hot: cooling.hot, cold: cooling.cold, block: BLOCK };
    annealing::anneal(&mut fold, schedule, meter, rng, |fold| {
        // Most improvements of a run are none over all runs.
        if best.get().is_none_or(|best| fold.value() > i64::from(best.r)) {
            best.offer(fold.walk(), fold.r());
        }
    });
}

/// Replica exchange from a snake, one replica for each temperature, the coldest first; a
/// unit of `meter` is [`BLOCK`] moves of each.
pub fn exchange(
    instance: &Arc<Instance>,
    temperatures: &[f64],
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Best<'_>,
) {
    let snake = snake(instance.torus(), instance.len());
    let fold = Fold::new(Arc::clone(instance), &snake, Cooling::suiting(instance).mix);
    best.offer(fold.walk(), fold.r());
    let mut replicas = vec![fold; temperatures.len()];
    replica_exchange::exchange(&mut replicas, temperatures, BLOCK, meter, rng, |fold| {
        best.offer(fold.walk(), fold.r());
    });
}

/// One beam from `prefix` on; whether it laid a whole walk.
pub fn grow(
    instance: &Arc<Instance>,
    prefix: &[u16],
    taste: Taste,
    width: usize,
    meter: &mut Meter,
    best: &mut Best<'_>,
) -> bool {
    let mut growth = Growth::new(Arc::clone(instance), prefix, taste);
    let more = instance.len() - prefix.len();
    let steps = beam::search(&mut growth, more, width, meter);
    let Some(steps) = steps.filter(|steps| steps.len() == more) else { return false };
    let walk: Vec<u16> = prefix.iter().copied().chain(steps).collect();
    best.offer(&walk, instance.worth(&walk));
    true
}
