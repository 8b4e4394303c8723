//! Connect four's verbs on files, as the command `quintain` has them for the games of the
//! workbench: `connect-four self-play connect-four --out FOLDER …`. What `quintain.train --command`
//! runs.

use std::process::ExitCode;

use quintain_core::{Catalog, ToolError, ToolRequest};

/// What is asked: a verb, the game, then options with their values.
fn run(arguments: &[String]) -> Result<String, ToolError> {
    let usage = |problem: String| ToolError::Usage(problem);
    let [verb, game, options @ ..] = arguments else {
        return Err(usage("expected VERB GAME --OPTION VALUE …".to_owned()));
    };
    let catalog = Catalog::new().with(quintain_net::add_to(connect_four::entry()));
    let entry = catalog.entry(game).map_err(|error| usage(error.to_string()))?;
    let tool = entry.tool(verb).ok_or_else(|| usage(format!("{game} has no {verb}")))?;
    let mut request = ToolRequest::default();
    for pair in options.chunks(2) {
        match pair {
            [name, format] if name == "--format" => request.json = format == "json",
            [name, value] if name.starts_with("--") => {
                request.options.push((name[2..].to_owned(), value.clone()));
            }
            _ => return Err(usage(format!("{}: expected --OPTION VALUE", pair[0]))),
        }
    }
    tool.call(&request)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if matches!(error, ToolError::Usage(_)) { 2 } else { 1 })
        }
    }
}
