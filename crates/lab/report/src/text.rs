//! The parts of a report outside its tables: what was played, scores side by side, how to repeat
//! it.

use quintain_core::{Objective, Scoring};
use quintain_scene::clean;
use quintain_standings::Standings;
use quintain_stats::all_pairs::Mark;
use quintain_store::TournamentInfo;
use serde_json::Value;

use crate::notable::NotableMatch;
use crate::page::Plot;
use crate::standings::{describe_certainty, headline};

/// Text in which nothing is treated as Markdown or HTML, and nothing changes the direction of what
/// is around it.
pub(crate) fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in clean(&text.replace(char::is_control, " ")).chars() {
        if letter.is_ascii_punctuation() && !matches!(letter, ',' | '.' | '%' | ';' | ':' | '\'') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

pub(crate) fn heading(tournament: &TournamentInfo, standings: &Standings) -> String {
    let TournamentInfo { name, game, format, played, fixtures, .. } = tournament;
    let format = if standings.bracket.is_some() { "knockout" } else { format };
    let goal = match standings.rule.objective {
        Objective::Maximize => "higher",
        Objective::Minimize => "lower",
    };
    let contest = match standings.rule.scoring {
        Scoring::Adversarial => "seats are rivals",
        Scoring::Independent => "scores are independent",
    };
    format!(
        "# {}\n\n{} ({format}): {played} of {fixtures} matches; {goal} scores are better, \
         {contest}.\n\n",
        plain(name),
        plain(game),
    )
}

/// A row for each scenario, a column for each player, as most sources print it; the best in bold.
pub(crate) fn means_by_scenario(standings: &Standings) -> String {
    let players: Vec<&str> = standings.overall.iter().map(|row| row.player.as_str()).collect();
    if standings.scenarios.len() < 2 || players.len() > 30 {
        return String::new();
    }
    let names: Vec<String> = players.iter().map(|player| plain(player)).collect();
    let mut text = format!(
        "## Mean scores side by side\n\n| scenario | {} |\n|---|{}\n",
        names.join(" | "),
        "---:|".repeat(players.len())
    );
    for scenario in &standings.scenarios {
        let cells = players.iter().map(|player| {
            let row = scenario.rows.iter().find(|row| row.player == *player);
            row.map_or("–".to_owned(), |row| {
                let mean = format!("{:.3}", row.summary.mean);
                let mean = mean.trim_end_matches('0').trim_end_matches('.');
                if row.mark.is_some_and(|mark| mark != Mark::Behind) {
                    format!("**{mean}**")
                } else {
                    mean.to_owned()
                }
            })
        });
        let cells: Vec<String> = cells.collect();
        text += &format!("| {} | {} |\n", plain(&scenario.scenario), cells.join(" | "));
    }
    text + "\nBold: on this scenario nobody is certainly better.\n\n"
}

/// Who won, and how sure that is.
pub(crate) fn answer(standings: &Standings) -> String {
    let Some(who) = headline(standings) else { return String::new() };
    let open = describe_certainty(standings);
    let open = open.last().map_or(String::new(), |open| format!(" {}", plain(open)));
    format!("**{}**{open}\n\n", plain(&who))
}

/// A plot with its caption.
pub(crate) fn figure(plot: &Plot) -> String {
    format!("![{}](plots/{}.svg)\n\n", plain(&plot.caption), plot.name)
}

/// Matches worth watching, each linked to the file that shows it; how they ended is folded away.
pub(crate) fn to_watch(matches: &[NotableMatch]) -> String {
    if matches.is_empty() {
        return String::new();
    }
    let line = |found: &NotableMatch| {
        let ending = match found.ending.is_empty() {
            true => String::new(),
            false => format!(
                " <details><summary>How it ended</summary> {}</details>",
                plain(&found.ending)
            ),
        };
        format!("- [{}]({}){ending}\n", plain(&found.text), found.file())
    };
    format!("## Worth watching\n\n{}\n", matches.iter().map(line).collect::<String>())
}

/// Seeds, versions, file and command.
pub(crate) fn how_to_repeat(tournament: &TournamentInfo, file: &str) -> String {
    let definition: Value = serde_json::from_str(&tournament.definition).unwrap_or_default();
    let mut text = "## How to repeat it\n\n".to_owned();
    if let (Some(first), Some(more)) =
        (definition["seed"].as_u64(), tournament.seeds().checked_sub(1))
    {
        text += &format!("- seeds {first} to {}\n", first + more);
    }
    let budget = definition["budget"].as_str().filter(|budget| !budget.is_empty());
    text += &format!("- budget: {}\n", budget.map_or("each player's own".to_owned(), plain));
    let version =
        |value: &Value| value.as_u64().map_or("?".to_owned(), |version| version.to_string());
    text += &format!(
        "- {}, rules version {}; quintain {}\n",
        plain(&tournament.game),
        version(&definition["version"]),
        env!("CARGO_PKG_VERSION")
    );
    let players = definition["players"].as_array().map(Vec::as_slice).unwrap_or_default();
    for player in players {
        let name = player[0].as_str().unwrap_or("?");
        text += &format!("- {}, version {}\n", plain(name), version(&player[1]));
    }
    // A fence longer than any in the file.
    let fence = "`".repeat(3 + tournament.file.matches("```").count());
    text += &format!(
        "\nThe file {} (save it under this name):\n\n{fence}toml\n{}\n{fence}\n\n\
         The commands:\n\n{fence}sh\n\
         quintain tournament {file}\nquintain report {file} -o report\n{fence}\n",
        plain(file),
        tournament.file.trim_end(),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_in_a_name_is_markup() {
        assert_eq!(plain("a|b_<i>*c*\n"), "a\\|b\\_\\<i\\>\\*c\\* ");
        assert_eq!(plain("uct?n=50&c=1.4"), "uct\\?n\\=50\\&c\\=1.4");
        assert_eq!(plain("bot:\u{202e}x\u{2066}"), "bot:\u{fffd}x\u{fffd}", "no direction");
    }
}
