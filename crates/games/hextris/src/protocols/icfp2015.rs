//! The contest's command line as a protocol: a program is started with `-f FILE`, `-t SECONDS`,
//! `-c CORES` and a `-p PHRASE` for each phrase, and writes a list of solutions in JSON. The
//! formats themselves are in [`crate::notation`].

use std::path::Path;
use std::time::Duration;

use quintain_core::{ForeignProtocol, Launch, Lifecycle, ProtocolError, ServerCodec};
use serde_json::Value;

use crate::notation::read_solutions;
use crate::rules::commands::command_of;

pub(crate) const PROTOCOL: ForeignProtocol = ForeignProtocol {
    name: "icfp2015",
    summary: "started with -f -t -c -p, answered by a list of solutions in JSON",
    source: "ICFP Programming Contest 2015",
    lifecycle: Lifecycle::Plan,
    has_events: false,
    referee: || Box::new(Referee { seed: 0 }),
    program: None,
};

/// The file of the problem, in the folder that the program may read.
const FILE: &str = "problem.json";

struct Referee {
    seed: u32,
}

impl ServerCodec for Referee {
    fn answer(&mut self, _line: &str) -> Result<Option<Value>, ProtocolError> {
        Err("expected a list of solutions".into())
    }

    fn launch(
        &mut self,
        setting: &Value,
        time: Duration,
        folder: &Path,
    ) -> Result<Launch, ProtocolError> {
        let problem = &setting["problem"];
        let seed = problem["sourceSeeds"][0].as_u64().ok_or("the setting holds no problem")?;
        self.seed = seed as u32;
        let seconds = time.as_secs().max(1).to_string();
        let file = folder.join(FILE).display().to_string();
        let mut arguments: Vec<String> =
            ["-f", &file, "-t", &seconds, "-c", "1"].map(str::to_owned).into();
        for phrase in setting["phrases"].as_array().into_iter().flatten().filter_map(Value::as_str)
        {
            arguments.extend(["-p".to_owned(), phrase.to_owned()]);
        }
        let files = vec![(FILE.to_owned(), problem.to_string())];
        Ok(Launch { arguments, files, input: String::new() })
    }

    fn plan(&mut self, output: &str) -> Result<Vec<Value>, ProtocolError> {
        let solutions = read_solutions(output)
            .map_err(|wrong| format!("expected a list of solutions: {wrong}"))?;
        let own = solutions.iter().find(|solution| solution.seed == self.seed);
        let own = own.ok_or_else(|| format!("expected a solution for seed {}", self.seed))?;
        // One command per turn; characters that the contest ignores say nothing here.
        let letters = own.solution.chars().filter(|letter| !matches!(letter, '\t' | '\n' | '\r'));
        letters
            .map(|letter| match u8::try_from(letter).ok().and_then(command_of) {
                Some(_) => Ok(letter.to_string().into()),
                None => {
                    Err(format!("expected commands only, not “{}”", letter.escape_default()).into())
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_started_as_in_the_contest_and_its_solution_becomes_commands() {
        let mut side = (PROTOCOL.referee)();
        let setting = serde_json::json!({
            "problem": { "id": 7, "sourceSeeds": [17] },
            "phrases": ["ei!", "r'lyeh"],
        });
        let launch = side.launch(&setting, Duration::from_secs(5), Path::new("/given")).unwrap();
        let expected =
            ["-f", "/given/problem.json", "-t", "5", "-c", "1", "-p", "ei!", "-p", "r'lyeh"];
        assert_eq!(launch.arguments, expected);
        let solution = |seed: u32, text: &str| {
            format!(
                "[{{\"problemId\": 7, \"seed\": {seed}, \"tag\": \"\", \"solution\": \"{text}\"}}]"
            )
        };
        assert_eq!(side.plan(&solution(17, "Ei!\\n")).unwrap(), ["E", "i", "!"]);
        assert!(side.plan(&solution(0, "ei!")).unwrap_err().to_string().contains("for seed 17"));
        assert!(side.plan(&solution(17, "e?")).unwrap_err().to_string().contains("“?”"));
        assert!(
            side.plan("no list")
                .unwrap_err()
                .to_string()
                .starts_with("expected a list of solutions")
        );
    }
}
