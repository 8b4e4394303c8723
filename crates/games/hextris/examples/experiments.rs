//! What the post claims, run again: `cargo run --release -p quintain-hextris --example
//! experiments [post|…]`.

use std::sync::Arc;
use std::time::Instant;

use quintain_core::{Meter, Rng};
use quintain_hextris::notation::read_problem;
use quintain_hextris::phrases::Phrases;
use quintain_hextris::play::Course;
use quintain_hextris::score::average;
use quintain_hextris::solvers::post::Post;
use quintain_hextris::solvers::{Best, Solving, Task};

fn main() {
    for id in 0..25 {
        let folder = std::env::var("QUINTAIN_DATA").unwrap_or("../shared/data".to_owned());
        let text = std::fs::read_to_string(format!("{folder}/hextris/qualifier/problem_{id}.json"))
            .unwrap();
        let problem = Arc::new(read_problem(&text).unwrap());
        let phrases = Arc::new(Phrases::contest());
        let begin = Instant::now();
        let mut total = 0;
        for seed in problem.distinct_seeds() {
            let course = Course::new(Arc::clone(&problem), seed, Arc::clone(&phrases));
            let start = course.start();
            let task = Task::new(&course, &start);
            let mut tell = |_: &str, _| {};
            let mut best = Best::new(&task, &mut tell);
            Post::default().solve(
                &task,
                &mut Meter::of(u64::MAX),
                &mut Rng::from_seed(1),
                &mut best,
            );
            total += best.score();
        }
        println!(
            "{id} {} {:.2}",
            average(total, problem.seeds().len()),
            begin.elapsed().as_secs_f64()
        );
    }
}
