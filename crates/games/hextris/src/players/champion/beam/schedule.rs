//! Time and threads of a beam: how wide a step may be so that the game ends within the meter, and
//! how its boards are shared among threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use quintain_core::Meter;

/// Calls `work` for every index below `count`, with one thread per worker; returns false if the
/// meter is spent before all is done.
pub(super) fn run_in_parallel<W: Send>(
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
                // The other threads find no index below `count` any more, and the caller sees from
                // the large index that the work was cut short.
                next.fetch_max(usize::MAX / 2, Ordering::Relaxed);
                return;
            }
            work(worker, index);
        }
    };
    // Starting threads for a few boards takes longer than the boards themselves.
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

/// Chooses the width of each step from the recent cost of a board, so that the last step ends when
/// the meter does.
pub(super) struct WidthSchedule {
    /// The meter's time at the beginning of the step.
    left: Option<Duration>,
    /// Seconds per board, as an exponential average; 0 before the first step.
    cost: f64,
    width: f64,
}

impl WidthSchedule {
    pub(super) fn new() -> WidthSchedule {
        WidthSchedule { left: None, cost: 0.0, width: 2.0 }
    }

    /// Returns the width for a step after which `left - 1` others come; less than one board if time
    /// is short. It at most doubles from step to step, because costs measured on narrow steps say
    /// little about wide ones.
    pub(super) fn share(&mut self, left: usize, meter: &Meter) -> f64 {
        let share = match meter.time_left() {
            None => meter.left() as f64 / left as f64,
            Some(time) => {
                // The last step has to end before the deadline.
                let time = time.as_secs_f64() * 0.98;
                if self.cost == 0.0 { 1.0 } else { time / left as f64 / self.cost }
            }
        };
        self.width = share.min(2.0 * self.width.max(1.0));
        self.width
    }

    /// Marks the beginning of a step.
    pub(super) fn begin(&mut self, meter: &Meter) {
        self.left = meter.time_left();
    }

    /// Marks the end of a step that went on from this many boards.
    pub(super) fn end(&mut self, boards: usize, meter: &Meter) {
        let (Some(before), Some(left)) = (self.left, meter.time_left()) else { return };
        let cost = before.saturating_sub(left).as_secs_f64() / boards.max(1) as f64;
        self.cost = if self.cost == 0.0 { cost } else { 0.8 * self.cost + 0.2 * cost };
    }
}
