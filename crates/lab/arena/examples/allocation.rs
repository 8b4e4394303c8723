//! How many matches `allocate = "close pairs"` saves on tournament files. Every file is played with
//! these seeds at most, once for each question, into memory:
//!
//! ```sh
//! cargo run --release -p quintain-arena --example allocation -- 20 tournaments/*.toml
//! ```

use std::error::Error;
use std::path::Path;

use quintain_arena::{RunOptions, Tournament, run};
use quintain_store::Store;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().ok_or("name the most seeds, and files")?.parse()?;
    let catalog = quintain_games::catalog();
    println!("| tournament | question | told | rounds | matches | with equal seeds | saved |");
    println!("|---|---|---|--:|--:|--:|--:|");
    for file in arguments {
        let text = std::fs::read_to_string(&file)?;
        let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with("seeds = ")).collect();
        for question in ["best", "ranks"] {
            let text = format!(
                "{}\nseeds = {seeds}\nallocate = \"close pairs\"\nquestion = \"{question}\"\n",
                rest.join("\n")
            );
            let name = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy();
            let tournament = match Tournament::parse(&text, &file, &catalog) {
                Ok(tournament) => tournament,
                Err(error) => {
                    println!("| {name} | {question} | {error} | | | | |");
                    continue;
                }
            };
            let mut store = Store::in_memory()?;
            let options = RunOptions::default();
            let summary = run(&tournament, &mut store, &options, &mut |_| {})?;
            let Some(answer) = summary.answer else { continue };
            let open: Vec<String> = answer
                .ranks
                .iter()
                .filter(|of| of.best < of.worst && (question == "ranks" || of.best == 1))
                .map(|of| of.player.clone())
                .collect();
            let told = if answer.is_certain { "yes".to_owned() } else { open.join(", ") };
            println!(
                "| {name} | {question} | {told} | {} | {} | {} | {:.0} % |",
                answer.rounds,
                summary.total,
                answer.equally,
                100.0 - 100.0 * summary.total as f64 / answer.equally as f64
            );
        }
    }
    Ok(())
}
