//! Playouts compared with a plain implementation.

mod plain;

use std::sync::Arc;

use quintain_core::Rng;
use quintain_polymer::{Charges, course};
use quintain_polymer::{PlayoutWalk, UctOptions};

#[test]
fn playouts_lay_what_their_plain_twin_lays() {
    for (name, playouts) in [("L08_s01", 40), ("L08_s02", 40), ("L16_s01", 4)] {
        let instance = Arc::new(course(name, Charges::Uniform, 1).unwrap());
        let side = instance.torus().width();
        let start = vec![vec![false; side]; side];
        let mut line: PlayoutWalk =
            PlayoutWalk::new(Arc::clone(&instance), &[0], UctOptions::default());
        let (mut ours, mut theirs) = (Rng::from_seed(5), Rng::from_seed(5));
        for _ in 0..playouts {
            let (walk, whole) = plain::random_walk(&instance, &start, &mut theirs);
            assert_eq!(line.sample(&mut ours), (walk, whole), "{name}");
        }
    }
}
