//! The rules of polymer, each as a small torus, a walk and its outcome.

use quintain_core::{Match, Rules, Seat};
use quintain_polymer::{
    Instance, Interaction, Polymer, Step, Torus, read_instance, read_walk, scenario,
};

/// A match on an instance in the course's format.
fn on(instance: &str) -> Match<Polymer> {
    Match::new(scenario(Polymer::new(read_instance(instance).unwrap(), false)), 0)
}

fn play(game: &mut Match<Polymer>, steps: &str) {
    for letter in steps.chars() {
        game.play(&[letter.to_string().parse::<Step>().unwrap()]).unwrap();
    }
}

fn outcome(game: &Match<Polymer>) -> (f64, String) {
    let outcome = game.outcome().expect("the walk is over");
    (outcome.scores[0], outcome.ending)
}

#[test]
fn r_counts_every_adjacent_pair_bonds_included() {
    // + - in the first row, - + below: four adjacent pairs, all of them opposite.
    let mut game = on("4 4 1 -1 1 -1");
    play(&mut game, "RDL");
    assert_eq!(outcome(&game), (4.0, "whole".into()));
    let metrics = game.rules().metrics(game.state());
    assert!(metrics.contains(&("R", 4.0)) && metrics.contains(&("R_nc", 1.0)), "{metrics:?}");
}

#[test]
fn like_charges_that_touch_count_against() {
    let mut game = on("4 4 1 0 0 1");
    play(&mut game, "RDL");
    assert_eq!(outcome(&game).0, -1.0);
}

#[test]
fn neutral_monomers_count_for_nothing() {
    let mut game = on("4 4 1 0 0 0");
    play(&mut game, "RDL");
    assert_eq!(outcome(&game).0, 0.0);
}

#[test]
fn monomers_touch_around_the_torus() {
    let mut game = on("4 4 1 0 0 -1");
    play(&mut game, "RRR");
    assert_eq!(outcome(&game).0, 1.0);
}

#[test]
fn on_a_side_of_two_a_neighbour_on_both_sides_counts_once() {
    let mut game = on("2 4 1 -1");
    play(&mut game, "R");
    assert_eq!(outcome(&game).0, 1.0);
}

#[test]
fn on_a_ring_of_one_cell_across_no_cell_touches_itself() {
    let mut game = on("1 3 1 -1 -1");
    assert_eq!(
        game.play(&[Step::Right]).unwrap_err().1.to_string(),
        "monomer 2 cannot go R to (0, 0): monomer 1 lies there"
    );
    play(&mut game, "DD");
    // 1–2 and around the torus 1–3 are opposite, 2–3 alike.
    assert_eq!(outcome(&game).0, 1.0);
}

#[test]
fn a_walk_with_no_free_neighbour_before_its_end_is_no_solution() {
    // 1 2 . .      the eighth monomer has the first, third, fifth and
    // 8 3 . 7      seventh around it, and a ninth is to come
    // 5 4 . 6
    let mut game = on("4 4 1 1 1 1 1 1 1 1 1");
    play(&mut game, "RDDLLUR");
    assert_eq!(outcome(&game), (-19.0, "dead end".into()));
}

#[test]
fn a_chain_of_one_monomer_is_whole_at_once() {
    let game = on("4 4 1");
    assert_eq!(outcome(&game), (0.0, "whole".into()));
}

#[test]
fn a_taken_cell_is_refused_with_who_lies_there() {
    let game = on("4 4 1 -1 1 -1");
    let mut after = game.clone();
    play(&mut after, "R");
    let refused = after.play(&[Step::Left]).unwrap_err().1.to_string();
    assert_eq!(refused, "monomer 3 cannot go L to (0, 0): monomer 1 lies there");
    let mut steps = Vec::new();
    after.rules().actions(after.state(), Seat::new(0), &mut steps);
    assert_eq!(steps, [Step::Right, Step::Down, Step::Up]);
}

#[test]
fn the_energy_of_an_hp_chain_counts_contacts_that_are_no_bonds() {
    let instance = Instance::hp_in_the_plane("HHPHPH").unwrap();
    assert_eq!(instance.torus().width(), 8);
    let mut game = Match::new(scenario(Polymer::new(instance, false)), 0);
    // H H    the first and the last touch; the bond H–H counts nothing
    // H P
    // P H
    play(&mut game, "RDDLU");
    assert_eq!(outcome(&game), (-1.0, "whole".into()));
}

#[test]
fn the_energy_of_a_known_fold_is_that_of_the_literature() {
    // The square of four: H P P H folds to one contact.
    let instance = Instance::hp_in_the_plane("HPPH").unwrap();
    let walk = read_walk(&instance, "RDL").unwrap();
    assert_eq!(instance.score(instance.worth(&walk)), -1.0);
}

#[test]
fn hp_needs_h_and_p() {
    let torus = Torus::new(4, 4).unwrap();
    let refused = Instance::new(torus, Interaction::Hp, vec![1, -1]).unwrap_err();
    assert_eq!(refused.to_string(), "monomer 2 is -1; expected 0 to 1");
}

#[test]
fn between_layers_a_monomer_has_six_neighbours() {
    // A cube of H, laid along its edges: of its twelve edges seven are bonds.
    let cube = Instance::hp_in_space("HHHHHHHH").unwrap();
    let walk = read_walk(&cube, "RDLFRUL").unwrap();
    assert_eq!(cube.score(cube.worth(&walk)), -5.0);
    let coordinates = "0 0 0, 1 0 0, 1 1 0, 0 1 0, 0 1 1, 1 1 1, 1 0 1, 0 0 1";
    assert_eq!(read_walk(&cube, coordinates).unwrap(), walk);
    let mut game = Match::new(scenario(Polymer::new(cube.clone(), false)), 0);
    play(&mut game, "RDLFRUL");
    assert_eq!(outcome(&game), (-5.0, "whole".into()));
    assert!(read_walk(&cube, "RDLFRUB").unwrap_err().to_string().contains("monomer 2 lies there"));
}

#[test]
fn a_torus_of_one_layer_has_no_steps_between_layers() {
    let mut game = on("4 4 1 -1 1 -1");
    let refused = game.play(&[Step::Forward]).unwrap_err().1.to_string();
    assert_eq!(refused, "monomer 2 cannot go F: there is only one layer; expected R, D, L or U");
    let instance = Instance::hp_in_the_plane("HPPH").unwrap();
    let message = read_walk(&instance, "RFL").unwrap_err().to_string();
    assert_eq!(message, "step 2: F leads to another layer; there is only one");
}
