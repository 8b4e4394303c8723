// Four digits from 0 to 2 whose sum should be large, the game of the documentation's examples of
// searches for one seat.

use quintain_core::Rng;
use quintain_search::solitaire::Solitaire;

/// The digits chosen so far; the value is their share of the greatest sum.
#[derive(Clone)]
pub struct Digits(pub Vec<u8>);

impl Solitaire for Digits {
    type Step = u8;
    fn steps(&mut self, out: &mut Vec<u8>) {
        if self.0.len() < 4 {
            out.extend([0, 1, 2]);
        }
    }
    fn step(&mut self, digit: u8) {
        self.0.push(digit);
    }
    fn undo(&mut self) {
        self.0.pop();
    }
    fn rollout(&mut self, rng: &mut Rng) -> f64 {
        let rest = (self.0.len()..4).map(|_| rng.below(3) as u8);
        Digits(self.0.iter().copied().chain(rest).collect()).value()
    }
    fn code(&self, digit: u8) -> u64 {
        3 * self.0.len() as u64 + u64::from(digit)
    }
    fn value(&self) -> f64 {
        self.0.iter().map(|digit| f64::from(*digit)).sum::<f64>() / 8.0
    }
}
