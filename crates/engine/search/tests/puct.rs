//! PUCT on trees drawn in text whose best action is obvious, on matrix games whose equilibria are
//! known, and with evaluators that mislead it.

mod scripted;

use quintain_core::{Meter, Objective, Rng, Rules, Scoring, Seat};
use quintain_search::SearchResult;
use quintain_search::puct::{Estimates, Leaf, Look, Options, PriorEvaluator, Puct, Rollouts, Root};
use scripted::{Letter, Scripted, Sight};

const ROOT: Sight = Sight::At(0);

fn search_with(
    game: &Scripted,
    seat: usize,
    simulations: u64,
    options: Options,
    evaluator: &mut impl PriorEvaluator<Scripted>,
) -> SearchResult<Letter> {
    let (mut meter, mut rng) = (Meter::of(simulations), Rng::from_seed(1));
    Puct::new(options).search(game, &ROOT, Seat::new(seat), evaluator, &mut meter, &mut rng)
}

/// The action that PUCT plays under every combination of its settings; they must agree.
fn plays(game: &Scripted, seat: usize) -> char {
    let mut plays = Vec::new();
    for root in [Root::Puct, Root::Gumbel] {
        for leaves in [1, 8] {
            for noise in [0.0, 0.25] {
                let options = Options { root, leaves, noise, ..Options::default() };
                let found = search_with(game, seat, 600, options, &mut Estimates);
                plays.push(found.action.0);
                let found = search_with(game, seat, 600, options, &mut Rollouts { limit: 99 });
                plays.push(found.action.0);
            }
        }
    }
    assert!(plays.iter().all(|play| *play == plays[0]), "{plays:?}");
    plays[0]
}

/// Replies `a` look good on average; a good rival makes `b` the better choice.
const TEMPTATION: &str = "
    seat 0
      a: seat 1
        l: 9 0
        m: 9 0
        r: 0 9
      b: seat 1
        l: 2 1
        m: 2 1
        r: 2 1
    ";

#[test]
fn a_tempting_reply_that_loses_is_not_taken() {
    assert_eq!(plays(&Scripted::new(TEMPTATION), 0), 'b');
}

#[test]
fn the_lower_score_is_sought_if_less_is_better() {
    let mut game = Scripted::new("seat 0\n  a: 3 1\n  b: 1 3\n  c: 2 2");
    assert_eq!(plays(&game, 0), 'a');
    game.objective = Objective::Minimize;
    assert_eq!(plays(&game, 0), 'b');
}

#[test]
fn a_range_of_the_rules_and_one_that_was_seen_lead_to_the_same_choice() {
    let mut game = Scripted::new(TEMPTATION);
    game.range = Some((0.0, 9.0));
    assert_eq!(plays(&game, 0), 'b');
    game.range = Some((-5.0, 15.0));
    assert_eq!(plays(&game, 0), 'b');
}

#[test]
fn one_seat_plans_towards_the_best_end() {
    let game = Scripted::new(
        "
        seat 0
          a: seat 0
            x: 5
            y: 1
          b: seat 0
            x: 2
            y: 7
          c: 4
        ",
    );
    assert_eq!(plays(&game, 0), 'b');
}

#[test]
fn chance_is_weighed_by_its_odds() {
    let game = Scripted::new(
        "
        seat 0
          a: chance
            9: 0 1
            1: 30 0
          b: 3 0
        ",
    );
    assert_eq!(plays(&game, 0), 'b');
}

#[test]
fn hidden_information_does_not_guide_play() {
    // Seat 0 cannot tell the two positions apart: guessing right gives 6, the sure choice 4.
    let mut game = Scripted::new(
        "
        chance
          1: seat 0 [same]
            l: 6 0
            r: 0 6
            s: 4 0
          1: seat 0 [same]
            l: 0 6
            r: 6 0
            s: 4 0
        ",
    );
    game.scoring = Scoring::Independent;
    for root in [Root::Puct, Root::Gumbel] {
        let options = Options { root, ..Options::default() };
        let (mut meter, mut rng) = (Meter::of(600), Rng::from_seed(1));
        let (seen, seat) = (Sight::Mark("same".to_owned()), Seat::new(0));
        let found =
            Puct::new(options).search(&game, &seen, seat, &mut Estimates, &mut meter, &mut rng);
        assert_eq!(found.action, Letter('s'));
    }
}

#[test]
fn simultaneous_moves_avoid_what_is_dominated() {
    // Whatever the rival does, `b` is better for seat 0, and then `r` for seat 1.
    let game = Scripted::new(
        "
        simultaneous
          a,l: 1 0
          a,r: 0 1
          b,l: 3 0
          b,r: 1 1
        ",
    );
    assert_eq!(plays(&game, 0), 'b');
    assert_eq!(plays(&game, 1), 'r');
}

/// Visits of seat 0's actions, as shares.
fn shares(game: &Scripted, simulations: u64) -> Vec<f64> {
    let options = Options { noise: 0.25, ..Options::default() };
    let mut puct = Puct::new(options);
    let (mut meter, mut rng) = (Meter::of(simulations), Rng::from_seed(1));
    puct.search(game, &ROOT, Seat::new(0), &mut Estimates, &mut meter, &mut rng);
    puct.policies()[0].shares.clone()
}

#[test]
fn visits_approach_a_mixed_equilibrium() {
    // Rock, paper, scissors: a third each. Decoupled visits only come near an equilibrium (Tak,
    // Lanctot & Winands 2014), so the margin is wide.
    let game = Scripted::new(
        "
        simultaneous
          r,r: 0 0
          r,p: 0 1
          r,s: 1 0
          p,r: 1 0
          p,p: 0 0
          p,s: 0 1
          s,r: 0 1
          s,p: 1 0
          s,s: 0 0
        ",
    );
    for share in shares(&game, 20_000) {
        assert!((share - 1.0 / 3.0).abs() < 0.1, "{share}");
    }
    // Matching pennies with twice the stake on heads: heads with 2/5.
    let game = Scripted::new(
        "
        simultaneous
          h,h: 2 0
          h,t: 0 1
          t,h: 0 1
          t,t: 1 0
        ",
    );
    let heads = shares(&game, 20_000)[0];
    assert!((heads - 0.4).abs() < 0.12, "{heads}");
}

/// An evaluator that always prefers one letter, and knows no values.
struct Stubborn(char);

impl PriorEvaluator<Scripted> for Stubborn {
    fn evaluate(&mut self, _: &Scripted, leaves: &mut [Leaf<Scripted>]) {
        for choice in leaves.iter_mut().flat_map(|leaf| &mut leaf.choices) {
            for (action, logit) in choice.actions.iter().zip(&mut choice.logits) {
                *logit = if action.0 == self.0 { 3.0 } else { 0.0 };
            }
        }
    }
}

#[test]
fn priors_decide_first_and_values_in_the_end() {
    let game = Scripted::new(TEMPTATION);
    for root in [Root::Puct, Root::Gumbel] {
        let options = Options { root, ..Options::default() };
        let few = search_with(&game, 0, 1, options, &mut Stubborn('a'));
        let many = search_with(&game, 0, 2_000, options, &mut Stubborn('a'));
        assert_eq!((few.action.0, many.action.0), ('a', 'b'));
    }
}

/// The same, but it gives the range of utilities in which values lie.
struct Informed(char, (f64, f64));

impl PriorEvaluator<Scripted> for Informed {
    fn range(&self) -> Option<(f64, f64)> {
        Some(self.1)
    }

    fn evaluate(&mut self, rules: &Scripted, leaves: &mut [Leaf<Scripted>]) {
        Stubborn(self.0).evaluate(rules, leaves);
    }
}

#[test]
fn an_evaluator_may_know_that_bounds_of_the_rules_are_far_beyond_what_happens() {
    let mut game = Scripted::new("seat 0\n  a: 0\n  b: 2");
    game.range = Some((-500.0, 500.0));
    let options = Options { proofs: false, ..Options::default() };
    let plays = |evaluator: &mut Informed| search_with(&game, 0, 300, options, evaluator).action.0;
    assert_eq!(plays(&mut Informed('a', (-2.0, 4.0))), 'b');
    // Two of a thousand points count less than the prior.
    assert_eq!(plays(&mut Informed('a', (-500.0, 500.0))), 'a');
    // Nothing lies beyond the bounds of the rules, whatever an evaluator says.
    assert_eq!(plays(&mut Informed('a', (-1e6, 1e6))), 'a');
}

/// An evaluator that guesses at first, and remembers what it was asked.
struct Hesitant {
    after: u32,
    asked: Vec<(Sight, Look)>,
}

impl PriorEvaluator<Scripted> for Hesitant {
    fn second_look(&self) -> u32 {
        self.after
    }

    fn evaluate(&mut self, rules: &Scripted, leaves: &mut [Leaf<Scripted>]) {
        for leaf in &mut *leaves {
            self.asked.push((rules.observe(&leaf.state, leaf.choices[0].seat), leaf.look));
        }
        Estimates.evaluate(rules, leaves);
        for leaf in leaves.iter_mut().filter(|leaf| leaf.look == Look::First) {
            leaf.values.fill(0.0);
        }
    }
}

#[test]
fn a_guessed_position_is_evaluated_once_when_it_has_been_visited_often_enough() {
    let game = Scripted::new(TEMPTATION);
    let ask = |after, simulations, leaves| {
        let mut evaluator = Hesitant { after, asked: Vec::new() };
        let options = Options { leaves, proofs: false, ..Options::default() };
        let action = search_with(&game, 0, simulations, options, &mut evaluator).action.0;
        (action, evaluator.asked)
    };
    let looks = |asked: &[(Sight, Look)]| asked.iter().map(|(_, look)| *look).collect::<Vec<_>>();
    // The root and both replies; without a second look, each once.
    assert_eq!(looks(&ask(0, 600, 1).1), [Look::Only; 3]);
    for leaves in [1, 8] {
        let (action, asked) = ask(5, 600, leaves);
        assert_eq!(action, 'b');
        assert_eq!(asked[0], (ROOT, Look::Only), "nobody guesses at the root");
        let second: Vec<_> = asked.iter().filter(|(_, look)| *look == Look::Second).collect();
        assert!(second.len() == 2 && second[0].0 != second[1].0, "{asked:?}");
        for (sight, _) in second {
            let place = |wanted| asked.iter().position(|asked| *asked == (sight.clone(), wanted));
            assert!(place(Look::First) < place(Look::Second));
        }
    }
    // Ten simulations are too few for five visits to both and their first looks.
    let few = ask(9, 10, 1).1;
    assert!(looks(&few).iter().all(|look| *look != Look::Second), "{few:?}");
}

#[test]
fn proofs_use_the_bounds_of_the_rules() {
    // For the evaluator, 3 is the greatest value; only 9 ends the search.
    let mut game = Scripted::new("seat 0\n  a: 3\n  b: 9\n  c: 4");
    game.range = Some((0.0, 9.0));
    let found = search_with(&game, 0, 100, Options::default(), &mut Informed('a', (0.0, 3.0)));
    assert_eq!(found.action.0, 'b');
}

#[test]
fn with_a_gumbel_root_two_simulations_tell_two_actions_apart() {
    let game = Scripted::new("seat 0\n  a: 1 3\n  b: 3 1");
    let options = Options { root: Root::Gumbel, ..Options::default() };
    assert_eq!(search_with(&game, 0, 2, options, &mut Stubborn('a')).action.0, 'b');
}

#[test]
fn shares_for_a_policy_sum_to_one_and_prefer_better_actions() {
    let game = Scripted::new(TEMPTATION);
    for root in [Root::Puct, Root::Gumbel] {
        let mut puct = Puct::new(Options { root, proofs: false, ..Options::default() });
        let (mut meter, mut rng) = (Meter::of(64), Rng::from_seed(1));
        puct.search(&game, &ROOT, Seat::new(0), &mut Estimates, &mut meter, &mut rng);
        let policy = &puct.policies()[0];
        assert!((policy.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(policy.shares[1] > policy.shares[0], "{policy:?}");
        assert_eq!(policy.visits.iter().sum::<u32>(), 64);
    }
}

#[test]
fn leaves_from_outside_are_searched_as_those_from_inside() {
    let game = Scripted::new(TEMPTATION);
    let within = search_with(&game, 0, 100, Options::default(), &mut Estimates);
    let mut puct = Puct::new(Options::default());
    let mut rng = Rng::from_seed(1);
    puct.begin(&game, &ROOT, Seat::new(0), 100, &mut rng);
    for _ in 0..=100 {
        let mut leaf = puct.descend(&game, &Estimates, &mut rng);
        Estimates.evaluate(&game, leaf.as_mut_slice());
        leaf.into_iter().for_each(|leaf| puct.back_up(leaf, &mut rng));
    }
    assert_eq!(puct.best_actions(), [within.action]);
    assert_eq!(puct.policies()[0].visits.iter().sum::<u32>(), 100);
}

#[test]
fn a_single_action_is_played_at_once() {
    let game = Scripted::new("seat 0\n  a: 1 3");
    let found = search_with(&game, 0, 10, Options::default(), &mut Estimates);
    assert_eq!((found.action.0, found.spent), ('a', 0));
    assert_eq!(game.seats(), 2);
}

/// The first to move loses whatever they do, unless they see that `b` alone holds: its one
/// refutation turns out to be none at the end.
const DEEP: &str = "
    seat 0
      a: seat 1
        l: seat 0
          x: 0 9
          y: 0 9
        r: 9 0
      b: seat 1
        l: 4 4
        r: seat 0
          x: 9 0
          y: 0 9
    ";

#[test]
fn proofs_by_finished_games_end_the_search_with_a_certain_value() {
    let game = Scripted::new(DEEP);
    let with = |proofs: bool, leaves: u32| {
        let options = Options { proofs, leaves, ..Options::default() };
        search_with(&game, 0, 2000, options, &mut Estimates)
    };
    for leaves in [1, 8] {
        let found = with(true, leaves);
        assert_eq!((found.action.0, found.value), ('b', 0.0), "the draw is proven");
        assert!(found.spent < 100, "all of the tree is known after {} simulations", found.spent);
        let found = with(false, leaves);
        assert_eq!((found.action.0, found.spent), ('b', 2000));
        assert_ne!(found.value, 0.0, "a mean of all that was tried");
    }
}

#[test]
fn simultaneous_moves_prove_nothing() {
    // Each seat's best action depends on the other's, so no end is certain for one of them.
    let game = Scripted::new(
        "
        simultaneous
          a,l: 9 0
          a,r: 0 9
          b,l: 0 9
          b,r: 9 0
        ",
    );
    let options = Options::default();
    let found = search_with(&game, 0, 500, options, &mut Estimates);
    assert_eq!(found.spent, 500);
}
