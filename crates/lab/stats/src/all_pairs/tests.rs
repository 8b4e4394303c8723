use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use quintain_core::Rng;

fn compare(ranks: &[u64], values: &[&[f64]]) -> AllPairs {
    let values: Vec<Vec<Option<f64>>> =
        values.iter().map(|of| of.iter().map(|value| Some(*value)).collect()).collect();
    AllPairs::compare(ranks, &values, |_, _| false)
}

/// Ranks by the mean of the values.
fn ranks_of(values: &[Vec<Option<f64>>]) -> Vec<u64> {
    let means: Vec<f64> = values
        .iter()
        .map(|of| of.iter().flatten().sum::<f64>() / of.iter().flatten().count().max(1) as f64)
        .collect();
    crate::ranks::rank(&means, 1e-12).iter().map(|rank| rank.rank).collect()
}

#[test]
fn two_players_are_compared_by_the_paired_t_test() {
    // scipy 1.17.1: ttest_rel([12, 15, 11, 18, 14, 17], [10, 14, 12, 13, 11, 13]).pvalue is
    // 0.0457; with 12 and 14 for the last two, 0.0580.
    let ours = [12.0, 15.0, 11.0, 18.0, 14.0, 17.0];
    let sure = compare(&[1, 2], &[&ours, &[10.0, 14.0, 12.0, 13.0, 11.0, 13.0]]);
    let unsure = compare(&[1, 2], &[&ours, &[10.0, 14.0, 12.0, 13.0, 12.0, 14.0]]);
    assert_eq!(sure.marks(), Some(vec![Mark::Best, Mark::Behind]));
    assert_eq!(unsure.marks(), Some(vec![Mark::CannotTell; 2]));
    assert_eq!((unsure.is_ahead(0, 1), unsure.undecided()), (false, vec![(0, 1)]));
}

#[test]
fn with_fewer_than_five_seeds_nothing_is_said() {
    let four = compare(&[1, 2], &[&[9.0, 9.1, 9.2, 9.0], &[1.0, 1.2, 1.1, 1.0]]);
    assert!(four.is_refused());
    assert_eq!((four.ranks(), four.marks(), four.lead_told_by(4)), (None, None, None));
}

#[test]
fn equal_differences_are_as_sure_as_the_sign_test() {
    // 2 · (1/2)^5 is more than 0.05, and 2 · (1/2)^6 is less.
    let of = |seeds: usize| compare(&[1, 2], &[&vec![1.0; seeds], &vec![0.0; seeds]]).marks();
    assert_eq!(of(5), Some(vec![Mark::CannotTell; 2]));
    assert_eq!(of(6), Some(vec![Mark::Best, Mark::Behind]));
}

#[test]
fn what_no_seed_changes_is_known_from_one() {
    let values = [vec![Some(5.0)], vec![Some(5.0)], vec![Some(1.0)]];
    let pairs = AllPairs::compare(&[1, 1, 3], &values, |_, _| true);
    assert_eq!(pairs.marks(), Some(vec![Mark::Best, Mark::Best, Mark::Behind]));
    assert_eq!(pairs.ranks(), Some(vec![(1, 2), (1, 2), (3, 3)]));
    assert_eq!(pairs.undecided(), []);
}

#[test]
fn only_the_direction_of_the_ranks_is_told() {
    let pairs = compare(&[2, 1], &[&[9.0, 9.1, 9.2, 9.0, 9.1], &[1.0, 1.2, 1.1, 1.0, 1.3]]);
    assert_eq!(pairs.marks(), Some(vec![Mark::CannotTell; 2]));
}

#[test]
fn an_erratic_last_player_does_not_rank_before_steady_ones() {
    // The last varies a lot, yet it is worse on every seed.
    let values: [&[f64]; 3] = [
        &[50.0, 51.0, 50.5, 50.0, 51.5, 50.0, 51.0, 50.5],
        &[40.0, 41.5, 40.0, 40.5, 41.0, 40.0, 41.5, 40.5],
        &[33.0, 22.0, 15.0, 39.0, 38.0, -5.0, 45.0, 30.0],
    ];
    let pairs = compare(&[1, 2, 3], &values);
    assert_eq!(pairs.marks(), Some(vec![Mark::Best, Mark::Behind, Mark::Behind]));
}

#[test]
fn more_seeds_tell_smaller_leads() {
    let mut rng = Rng::from_seed(1);
    let values: Vec<Vec<Option<f64>>> =
        (0..4).map(|_| (0..20).map(|_| Some(rng.unit())).collect()).collect();
    let pairs = AllPairs::compare(&ranks_of(&values), &values, |_, _| false);
    let lead = pairs.lead_told_by(20).unwrap();
    // The critical value for four players, times the error of a difference of uniform numbers.
    assert!((lead - 2.65 * (2.0 / 12.0 / 20.0_f64).sqrt()).abs() < 0.05, "{lead}");
    let needed = pairs.seeds_telling(lead / 2.0).unwrap();
    assert!((70..90).contains(&needed), "{needed}");
    assert_eq!(pairs.seeds_telling(0.0), None);
}

#[test]
fn equal_players_are_rarely_told_apart() {
    // 200 tables of five players on five seeds whose luck they share, one of them ten times as
    // erratic as the others.
    let mut wrong = 0;
    for run in 0..200 {
        let mut rng = Rng::from_seed(run);
        let normal = |rng: &mut Rng| (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
        let luck: Vec<f64> = (0..5).map(|_| 3.0 * normal(&mut rng)).collect();
        let values: Vec<Vec<Option<f64>>> = (0..5)
            .map(|player| {
                let spread = if player == 0 { 10.0 } else { 1.0 };
                luck.iter().map(|luck| Some(luck + spread * normal(&mut rng))).collect()
            })
            .collect();
        let pairs = AllPairs::compare(&ranks_of(&values), &values, |_, _| false);
        wrong += u32::from(pairs.undecided().len() < 10);
    }
    assert!(wrong <= 18, "{wrong}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn marks_and_ranks_follow_the_order(
        values in vec(vec(prop::option::of(-9..9_i32), 12), 2..7)
    ) {
        let values: Vec<Vec<Option<f64>>> = values
            .iter()
            .enumerate()
            .map(|(at, of)| {
                let lead = [0.0, 9.0, 30.0][at % 3];
                of.iter().map(|value| value.map(|value| f64::from(value) * lead + lead)).collect()
            })
            .collect();
        let ranks = ranks_of(&values);
        let pairs = AllPairs::compare(&ranks, &values, |_, _| false);
        if let (Some(marks), Some(bounds)) = (pairs.marks(), pairs.ranks()) {
            let mut order: Vec<usize> = pairs.order.clone();
            order.sort_by_key(|player| ranks[*player]);
            for two in order.windows(2) {
                let [one, other] = [two[0], two[1]];
                prop_assert!(marks[one] as u8 <= marks[other] as u8, "{marks:?}");
                prop_assert!(bounds[one].0 <= bounds[other].0 && bounds[one].1 <= bounds[other].1);
            }
        }
    }
}
