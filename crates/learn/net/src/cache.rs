//! A cache of a network's evaluations by its input. The search for one decision reaches most
//! positions again that the previous search evaluated: two in five of all in self-play of connect
//! four. The network's answer would be the same, so caching changes no decision.

use quintain_core::key_of;

use crate::network::Evaluation;

/// The approximate limit of the cache in bytes.
const MEMORY: usize = 8 << 20;
/// The most positions that are cached.
const MAX_PLACES: usize = 1 << 15;

/// A position as a network sees it: board, features, and the seat if the network is told.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View<'a> {
    pub(crate) board: &'a [u8],
    pub(crate) features: &'a [i32],
    pub(crate) seat: Option<usize>,
}

/// Evaluations by view. Each view has one place, which the newest evaluation takes.
#[derive(Debug)]
pub(crate) struct EvaluationCache {
    places: Vec<Option<Box<Kept>>>,
}

#[derive(Debug)]
struct Kept {
    board: Vec<u8>,
    features: Vec<i32>,
    seat: Option<usize>,
    evaluation: Evaluation,
}

impl Kept {
    fn view(&self) -> View<'_> {
        View { board: &self.board, features: &self.features, seat: self.seat }
    }
}

impl EvaluationCache {
    /// Creates an empty cache for views of this many bytes and features, and for this many actions.
    pub(crate) fn new(board: usize, features: usize, actions: usize) -> Self {
        let each = size_of::<Kept>() + board + 4 * (features + actions);
        let places = (MEMORY / each).clamp(1, MAX_PLACES);
        EvaluationCache { places: std::iter::repeat_with(|| None).take(places).collect() }
    }

    fn place(&self, view: View<'_>) -> usize {
        (key_of(&view) % self.places.len() as u64) as usize
    }

    /// The evaluation of this view, if it is still cached.
    pub(crate) fn find(&self, view: View<'_>) -> Option<&Evaluation> {
        let kept = self.places[self.place(view)].as_ref()?;
        (kept.view() == view).then_some(&kept.evaluation)
    }

    /// Caches the evaluation of a view.
    pub(crate) fn keep(&mut self, view: View<'_>, evaluation: &Evaluation) {
        let place = self.place(view);
        match &mut self.places[place] {
            Some(kept) => {
                kept.board.copy_from_slice(view.board);
                kept.features.copy_from_slice(view.features);
                kept.seat = view.seat;
                kept.evaluation.clone_from(evaluation);
            }
            empty => {
                *empty = Some(Box::new(Kept {
                    board: view.board.to_vec(),
                    features: view.features.to_vec(),
                    seat: view.seat,
                    evaluation: evaluation.clone(),
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(value: f32) -> Evaluation {
        Evaluation { logits: vec![value; 3], value }
    }

    #[test]
    fn cached_answers_belong_to_their_view() {
        let mut cache = EvaluationCache::new(2, 1, 3);
        let view = View { board: &[1, 2], features: &[3], seat: Some(0) };
        cache.keep(view, &evaluation(0.5));
        assert_eq!(cache.find(view).map(|found| found.value), Some(0.5));
        for other in [
            View { board: &[1, 3], ..view },
            View { features: &[4], ..view },
            View { seat: Some(1), ..view },
            View { seat: None, ..view },
        ] {
            assert!(cache.find(other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn new_answers_replace_old_ones() {
        // Evaluations so large that there is room for only one.
        let mut cache = EvaluationCache::new(1, 0, MEMORY);
        let [old, new] = [[1], [2]];
        let view = |board| View { board, features: &[], seat: None };
        cache.keep(view(&old), &evaluation(0.1));
        cache.keep(view(&new), &evaluation(0.2));
        assert!(cache.find(view(&old)).is_none());
        assert_eq!(cache.find(view(&new)).map(|found| found.value), Some(0.2));
    }
}
