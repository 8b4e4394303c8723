//! The post “ICFPC 2015: Hexagonal Tetris”: what its features, its look-ahead, its two
//! shortcuts and its phrases are worth, its table of problems, and where its scores
//! stood. Played on the contest's problems where they are at hand, otherwise on problems
//! of the same sizes drawn by ourselves; nothing in it is random.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use quintain_core::Spec;
use quintain_hextris::{
    Cell, Paths, Phrases, Position, Shortcuts, Unit, Walk, contest_folder, read_problem,
};

use crate::data;
use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{Figure, PlayedMatch, PlayedMatches, score, seconds};
use crate::measurement::Expected::{Above, Always, Below};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

/// The post's table: seeds, units of a game, width and height of each problem.
const TABLE: [(usize, usize, usize, usize); 25] = [
    (1, 100, 10, 10),
    (1, 100, 15, 15),
    (10, 100, 15, 30),
    (5, 100, 30, 20),
    (50, 200, 10, 15),
    (10, 100, 30, 20),
    (50, 150, 10, 10),
    (5, 100, 40, 20),
    (10, 400, 10, 8),
    (5, 400, 10, 8),
    (1, 100, 10, 7),
    (5, 50, 10, 10),
    (10, 100, 15, 20),
    (1, 100, 15, 20),
    (1, 500, 50, 50),
    (1, 100, 15, 20),
    (1, 100, 15, 20),
    (1, 100, 15, 15),
    (1, 1000, 30, 30),
    (1, 100, 15, 15),
    (1, 100, 15, 15),
    (1, 20, 10, 8),
    (1, 100, 10, 8),
    (1, 100, 10, 9),
    (1, 1620, 100, 40),
];

/// The post's team's scores, from its leaderboard.
const TEAM: [f64; 25] = [
    4999.0, 2778.0, 7176.0, 3505.0, 4996.0, 2945.0, 7891.0, 2107.0, 7784.0, 3751.0, 2906.0, 1486.0,
    1276.0, 1795.0, 9350.0, 3562.0, 6434.0, 5472.0, 1625.0, 5296.0, 1944.0, 1386.0, 4394.0, 1338.0,
    5850.0,
];

/// The ranks and the points to the next rank that the leaderboard's lines tell.
const RANKS: [u64; 25] = [
    68, 70, 47, 65, 49, 58, 54, 65, 81, 36, 71, 83, 107, 48, 70, 50, 59, 37, 92, 40, 95, 39, 68,
    37, 72,
];
const TO_THE_NEXT: [f64; 25] = [
    12.0, 6.0, 40.0, 148.0, 71.0, 32.0, 145.0, 398.0, 180.0, 59.0, 12.0, 3.0, 26.0, 2.0, 1302.0,
    0.0, 42.0, 44.0, 40.0, 6.0, 6.0, 2.0, 126.0, 3.0, 2324.0,
];
/// Different phrases that the leaderboard counts for the team's solutions.
const SAID: [u8; 25] = [4, 2, 5, 5, 5, 4, 5, 3, 2, 0, 1, 2, 0, 5, 4, 5, 5, 2, 1, 2, 0, 2, 2, 1, 2];
/// The sums of ranks of the first 60 teams.
const TOP: [u64; 60] = [
    35, 170, 182, 214, 246, 273, 278, 328, 337, 346, 371, 376, 414, 487, 494, 495, 517, 532, 571,
    588, 612, 616, 621, 647, 715, 724, 742, 745, 770, 819, 855, 896, 914, 915, 942, 966, 997, 1038,
    1079, 1129, 1145, 1178, 1179, 1197, 1212, 1213, 1243, 1246, 1339, 1384, 1392, 1394, 1429, 1442,
    1444, 1446, 1478, 1481, 1561, 1579,
];

/// As many phrases as the team had found on its best problems, the likeliest of them.
const FIVE: &str = "phrases=ei!+ia!_ia!+r'lyeh+yuggoth+cthulhu_fhtagn!";

/// The folder of the contest's problems.
fn contest() -> Result<PathBuf, LabError> {
    let missing = "data absent: the contest's problems (QUINTAIN_DATA)";
    contest_folder().map_err(|_| LabError::Missing(missing.to_owned()))
}

/// The games of some problems, and whether they are the contest's.
fn scenarios(lab: &Lab<'_>, problems: &[usize], more: &str) -> Vec<String> {
    let is_there = contest_folder().is_ok();
    if !is_there {
        lab.note(
            "the contest's problems are not at hand (QUINTAIN_DATA): drawn ones of their sizes",
        );
    }
    let of = |problem: &usize| {
        let games = lab.take(1, TABLE[*problem].0 as u64);
        let name = if is_there { "contest?problem" } else { "drawn?size" };
        let problem = *problem;
        (0..games.min(TABLE[problem].0 as u64)).map(move |game| {
            let more = if more.is_empty() { String::new() } else { format!("&{more}") };
            format!("{name}={problem}&game={game}{more}")
        })
    };
    problems.iter().flat_map(of).collect()
}

/// All problems, without those that take long where only a trial run is wanted.
fn everywhere(lab: &Lab<'_>) -> Vec<usize> {
    let all = 0..TABLE.len();
    if lab.is_tiny() { vec![0, 10, 21] } else { all.collect() }
}

/// Some variants of the post's solver on all problems.
fn everybody(lab: &Lab<'_>, players: &[&str], more: &str) -> Result<PlayedMatches, LabError> {
    let scenarios = scenarios(lab, &everywhere(lab), more);
    lab.play(&TournamentPlan::solo("hextris", scenarios, players.iter().copied(), 1))
}

/// The number of the problem that a match was played on.
fn problem(game: &PlayedMatch) -> usize {
    let spec: Spec = game.scenario.parse().unwrap_or_default();
    let default = if spec.path == "drawn" { 6 } else { 0 };
    let given = spec.arguments.iter().find(|(key, _)| key == "problem" || key == "size");
    given.and_then(|(_, value)| value.parse().ok()).unwrap_or(default)
}

/// By problem, the mean of a figure over its games.
fn by_problem(games: &PlayedMatches, player: &str, figure: Figure<'_>) -> BTreeMap<usize, f64> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for game in games.of(player) {
        if let Some(value) = figure(game) {
            let sum = sums.entry(problem(game)).or_default();
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
    }
    sums.into_iter().map(|(problem, (sum, count))| (problem, sum / count)).collect()
}

/// The mean over the problems of the ratio of two players' figures, as a change.
fn change(games: &PlayedMatches, a: &str, b: &str, figure: Figure<'_>) -> Estimate {
    let (ours, theirs) = (by_problem(games, a, figure), by_problem(games, b, figure));
    let ratios = ours.iter().filter_map(|(problem, own)| {
        let other = *theirs.get(problem)?;
        (other > 0.0).then_some(own / other)
    });
    Estimate::mean_ratio(ratios).as_change()
}

/// What the score changes by when a part of the solver is changed.
fn part(lab: &Lab<'_>, changed: &str, plain: &str) -> Result<Estimate, LabError> {
    Ok(change(&everybody(lab, &[changed, plain], "")?, changed, plain, &score))
}

/// What leaving a feature out, and turning it around, does.
fn feature(lab: &Lab<'_>, names: &[&str]) -> Result<Measurements, LabError> {
    let set = |factor: &str| {
        let set: Vec<String> = names.iter().map(|name| format!("{name}={factor}")).collect();
        format!("post?{}", set.join("&"))
    };
    Ok(Measurements::new()
        .part("score without it", part(lab, &set("0"), "post")?, Below(0.0))
        .beside("score with its sign turned around", part(lab, &set("-1"), "post")?))
}

/// What looking further ahead on some problems does.
fn look_ahead(lab: &Lab<'_>, problems: &[usize], deep: &str) -> Result<Measurements, LabError> {
    let problems = if lab.is_tiny() { &problems[..1] } else { problems };
    let scenarios = scenarios(lab, problems, "");
    let shallow = "post?depth=1";
    let games = lab.play(&TournamentPlan::solo("hextris", scenarios, [deep, shallow], 1))?;
    let more = games.change(deep, shallow, &score);
    Ok(Measurements::new().part(format!("score of `{deep}` to one unit ahead"), more, Above(0.0)))
}

/// What a shortcut saves on large boards, without speaking, whose time would hide it. Time
/// depends on what else the machine does; the positions that the search looks at do not.
/// The games are the same on every seed: seeds only time them again.
fn shortcut(
    lab: &Lab<'_>,
    (with, without): (&str, &str),
    shortcuts: [Shortcuts; 2],
) -> Result<Measurements, LabError> {
    let problems: &[usize] = if lab.is_tiny() { &[10] } else { &[14, 18] };
    let large = scenarios(lab, problems, "");
    let plan = TournamentPlan::solo("hextris", large, [with, without], lab.take(3, 6));
    let games = lab.play(&plan)?;
    lab.note("the search's own positions, for every unit on the board as the game begins");
    let mut saved = Vec::new();
    for scenario in scenarios(lab, &everywhere(lab), "") {
        let [with, without] = positions(&scenario, shortcuts)?;
        saved.push(with as f64 / without as f64);
    }
    Ok(Measurements::new()
        .part(
            "positions looked at, on all boards",
            Estimate::mean_ratio(saved).as_change(),
            Below(0.0),
        )
        .part("time on large boards", games.change(with, without, &seconds), Below(0.0))
        .beside("score on large boards", games.change(with, without, &score)))
}

/// Positions that the search for places looks at, for all units of a game where it begins.
fn positions(scenario: &str, shortcuts: [Shortcuts; 2]) -> Result<[usize; 2], LabError> {
    let failed = |error: &dyn std::fmt::Display| LabError::Missing(error.to_string());
    let (built, _) = quintain_hextris::entry().build(scenario).map_err(|error| failed(&error))?;
    let rules = built.rules().clone();
    let problem = rules.instance().problem();
    let mut paths = Paths::new();
    Ok(shortcuts.map(|shortcuts| {
        let of = |unit: &Unit| {
            paths.explore(unit, problem.board(), &Walk::new(unit, unit.spawn()), shortcuts);
            paths.positions().len()
        };
        problem.units().iter().map(of).sum()
    }))
}

/// The rank that points have on a problem's leaderboard: dense, by the score alone.
fn rank(table: &[Standing], problem: usize, points: f64) -> u64 {
    let better = table.iter().filter(|row| row.problem == problem && row.score > points);
    1 + better.map(|row| row.score as u64).collect::<BTreeSet<u64>>().len() as u64
}

/// What is missing to the next team above, which with equal points is one with more phrases.
fn to_the_next(table: &[Standing], problem: usize, points: f64, phrases: f64) -> f64 {
    let ahead = table
        .iter()
        .filter(|row| row.problem == problem && (row.score, row.phrases) > (points, phrases));
    ahead.map(|row| row.score - points).reduce(f64::min).unwrap_or(0.0)
}

/// A row of the contest's final leaderboard.
struct Standing {
    problem: usize,
    rank: u64,
    score: f64,
    /// Different phrases.
    phrases: f64,
    team: String,
}

/// The contest's final leaderboard.
fn leaderboard(lab: &Lab<'_>) -> Result<Vec<Standing>, LabError> {
    let text = data::read("hextris/qualifying_leaderboard.csv", "the contest's leaderboard")?;
    lab.note("the contest's final leaderboard");
    let line = |line: &str| {
        let mut fields = line.splitn(5, ',');
        Some(Standing {
            problem: fields.next()?.parse().ok()?,
            rank: fields.next()?.parse().ok()?,
            score: fields.next()?.parse().ok()?,
            phrases: fields.next()?.parse().ok()?,
            team: fields.next()?.to_owned(),
        })
    };
    Ok(text.lines().skip(1).filter_map(line).collect())
}

/// The rank of the post's team on a problem.
fn teams_rank(table: &[Standing], problem: usize) -> u64 {
    rank(table, problem, TEAM[problem])
}

/// The teams' sums of ranks, the least first.
fn sums_of_ranks(table: &[Standing]) -> Vec<u64> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for row in table {
        *sums.entry(&row.team).or_default() += row.rank;
    }
    let mut sums: Vec<u64> = sums.into_values().collect();
    sums.sort_unstable();
    sums
}

/// The sum of ranks of the post's solver with some phrases.
fn sum_of_ranks(lab: &Lab<'_>, phrases: &str) -> Result<Estimate, LabError> {
    let table = leaderboard(lab)?;
    let games = everybody(lab, &["post"], phrases)?;
    let points = by_problem(&games, "post", &score);
    let ranks = points.iter().map(|(problem, points)| rank(&table, *problem, points.floor()));
    Ok(Estimate::exact(ranks.sum::<u64>() as f64))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "hextris/problems",
        place: "infrastructure, board_stats",
        claim: "The sizes, seeds and lengths of the contest's 25 problems.",
        figure: "a table of 25 rows",
        measure: |lab| {
            let folder = contest()?;
            lab.note("the contest's files read by our rules");
            let equal = TABLE.iter().enumerate().filter(|(number, row)| {
                let path = folder.join(format!("problem_{number}.json"));
                let text = std::fs::read_to_string(path).unwrap_or_default();
                read_problem(&text).is_ok_and(|problem| {
                    let board = problem.board();
                    let found =
                        (problem.seeds().len(), problem.length(), board.width(), board.height());
                    found == **row
                })
            });
            let equal = Estimate::exact(equal.count() as f64);
            Ok(Measurements::new().part("rows that are as in the files", equal, Always(25.0)))
        },
    },
    Experiment {
        name: "hextris/rotation",
        place: "implementation details",
        claim: "In its coordinates a turn is (y, x) → (x, x − y).",
        figure: "new y = x, new x = x − y",
        measure: |lab| {
            lab.note(
                "single cells up to five rows and columns from the pivot, turned by our rules",
            );
            let pivot = Cell { x: 10, y: 10 };
            let cells = || (5..=15).flat_map(|y| (5..=15).map(move |x| Cell { x, y }));
            // The post lengthens row y by (y + 1)/2 cells to the left.
            let post = |cell: Cell| (cell.y, cell.x + (cell.y + 1) / 2);
            let from_pivot =
                |cell: Cell| (post(cell).0 - post(pivot).0, post(cell).1 - post(pivot).1);
            let equal = cells().filter(|cell| {
                let unit = Unit::new(vec![*cell], pivot, 20).expect("a cell is a unit");
                let rotation = u8::from(unit.period() > 1);
                let turned = unit.shape(Position { x: 10, y: 10, rotation });
                let turned = Cell { x: pivot.x + turned.left, y: pivot.y + turned.top };
                let (y, x) = from_pivot(*cell);
                from_pivot(turned) == (x, x - y)
            });
            let share = Estimate::exact(100.0 * equal.count() as f64 / cells().count() as f64);
            Ok(Measurements::new().part("cells turned alike", share.in_unit(" %"), Always(100.0)))
        },
    },
    Experiment {
        name: "hextris/linear-rows",
        place: "implementation details",
        claim: "Rows lengthened by (y + 1)/2 cells to the left and width − (y + 1)/2 to the right all have 2·width cells.",
        figure: "2·width",
        measure: |lab| {
            lab.note("counted over the 25 sizes of the post's table");
            let rows = || {
                TABLE.iter().flat_map(|(.., width, height)| {
                    (0..*height as i64).map(|y| (*width as i64, y.midpoint(1)))
                })
            };
            // Neither lengthening may be less than nothing.
            let held = rows().filter(|(width, left)| width - left >= 0).count();
            let share = Estimate::exact(100.0 * held as f64 / rows().count() as f64);
            Ok(Measurements::new().part(
                "rows for which it works",
                share.in_unit(" %"),
                Always(100.0),
            ))
        },
    },
    Experiment {
        name: "hextris/scores",
        place: "leader_board",
        claim: "The solver has the team's scores.",
        figure: "4999 on problem 0, …, 5850 on 24",
        measure: |lab| {
            contest()?;
            let ratios = |player: &str| -> Result<Vec<f64>, LabError> {
                let ours = by_problem(&everybody(lab, &[player], FIVE)?, player, &score);
                Ok(ours.iter().map(|(problem, points)| points / TEAM[*problem]).collect())
            };
            let (five, silent) = (ratios("post")?, ratios("post?speaks=false")?);
            let near = five.iter().filter(|ratio| (0.9..=1.0 / 0.9).contains(*ratio)).count();
            // On the longest game by far, of 1620 units, phrases are most of the score: the team's
            // solution has two different ones, ours says its five for as long as units come.
            let (longest, rest) = (five.last().copied(), five.iter().rev().skip(1));
            let most = rest.copied().fold(0.0, f64::max);
            // As much above as below: more is another solver too. A tenth either way, on more
            // than half of the problems, is our reading of the same scores.
            Ok(Measurements::new()
                .reading(
                    "problems within a tenth, of 25",
                    Estimate::exact(near as f64),
                    Above(12.5),
                )
                .beside(
                    "median of ours with five phrases to theirs",
                    Estimate::median(five.iter().copied()),
                )
                .beside(
                    "on problem 24, whose game is the longest",
                    Estimate::exact(longest.unwrap_or(f64::NAN)),
                )
                .beside(
                    "there without phrases",
                    Estimate::exact(silent.last().copied().unwrap_or(f64::NAN)),
                )
                .beside("the greatest of the others", Estimate::exact(most))
                .beside("median without phrases", Estimate::median(silent)))
        },
    },
    Experiment {
        name: "hextris/rank",
        place: "leader_board, update",
        claim: "The scores make a sum of ranks of 1561, the 59th place of 315.",
        figure: "1561",
        measure: |lab| {
            let table = leaderboard(lab)?;
            let team: u64 = (0..TEAM.len()).map(|problem| teams_rank(&table, problem)).sum();
            let smaller = sums_of_ranks(&table).iter().filter(|sum| **sum < team).count();
            let five = sum_of_ranks(lab, FIVE)?;
            let all = sum_of_ranks(lab, "")?;
            Ok(Measurements::new()
                .part(
                    "sum of the team's ranks by its scores",
                    Estimate::exact(team as f64),
                    Always(1561.0),
                )
                .part("teams with a smaller sum", Estimate::exact(smaller as f64), Always(58.0))
                .beside("ours with five phrases", five)
                .beside("ours with all 18", all))
        },
    },
    Experiment {
        name: "hextris/leader-board",
        place: "leader_board",
        claim: "The rank of each of its scores, and how many points are missing to the next.",
        figure: "68 and 12 on problem 0, …, 72 and 2324 on 24",
        measure: |lab| {
            let table = leaderboard(lab)?;
            let ranks = (0..TEAM.len()).filter(|p| teams_rank(&table, *p) == RANKS[*p]);
            let follows = |row: &Standing| rank(&table, row.problem, row.score) == row.rank;
            let missing = |problem: usize| {
                to_the_next(&table, problem, TEAM[problem], f64::from(SAID[problem]))
            };
            let missing = (0..TEAM.len()).filter(|p| missing(*p) == TO_THE_NEXT[*p]);
            let count = |count: usize| Estimate::exact(count as f64);
            Ok(Measurements::new()
                .part("ranks as on the final one, of 25", count(ranks.count()), Always(25.0))
                .part("points missing likewise", count(missing.count()), Always(25.0))
                .beside(
                    "ranks of the whole leaderboard that follow from its scores, of 7875",
                    count(table.iter().filter(|row| follows(row)).count()),
                ))
        },
    },
    Experiment {
        name: "hextris/top-60",
        place: "update",
        claim: "The sums of ranks of the first 60 teams, the post's being the 59th.",
        figure: "35, 170, 182, …, 1561, 1579",
        measure: |lab| {
            let sums = sums_of_ranks(&leaderboard(lab)?);
            let equal = sums.iter().zip(TOP).filter(|(ours, theirs)| **ours == *theirs).count();
            Ok(Measurements::new().part(
                "sums that follow",
                Estimate::exact(equal as f64),
                Always(60.0),
            ))
        },
    },
    Experiment {
        name: "hextris/gravity",
        place: "macro moves",
        claim: "The gravity feature, which encourages low places, helps.",
        figure: "–",
        measure: |lab| feature(lab, &["gravity"]),
    },
    Experiment {
        name: "hextris/holes",
        place: "macro moves",
        claim: "The three features of covered holes help.",
        figure: "–",
        measure: |lab| feature(lab, &["right", "left", "both"]),
    },
    Experiment {
        name: "hextris/unfinished",
        place: "macro moves",
        claim: "The feature of unfinished rows helps.",
        figure: "–",
        measure: |lab| feature(lab, &["unfinished"]),
    },
    Experiment {
        name: "hextris/smoothness",
        place: "macro moves",
        claim: "The smoothness feature, which encourages compact placing, helps.",
        figure: "–",
        measure: |lab| feature(lab, &["rough"]),
    },
    Experiment {
        name: "hextris/own-weights",
        place: "macro moves",
        claim: "As a balance is hard to find, each problem needs weights tuned for it by hand.",
        figure: "25 sets of weights",
        measure: |lab| {
            let more = part(lab, "post", "post?weights=-1")?;
            Ok(Measurements::new().part(
                "score with a problem's own weights, to the default ones",
                more,
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "hextris/depth-2",
        place: "macro moves, table of weights",
        claim: "On problems 8, 11 and 15 looking two units ahead is better than one.",
        figure: "depth 2",
        measure: |lab| look_ahead(lab, &[8, 11, 15], "post?depth=2"),
    },
    Experiment {
        name: "hextris/depth-3",
        place: "macro moves, table of weights",
        claim: "On problem 23 looking three units ahead is better than one.",
        figure: "depth 3",
        measure: |lab| {
            let measured = look_ahead(lab, &[23], "post?depth=3")?;
            let alone = measured.parts[0].estimate;
            // Nothing is drawn in it: the figure is what it is.
            let exact = Estimate { unit: alone.unit, ..Estimate::exact(alone.value) };
            let what = "score to one unit ahead, in the problem's one game";
            Ok(Measurements::new().part(what, exact, Above(0.0)))
        },
    },
    Experiment {
        name: "hextris/straight-fall",
        place: "macro moves, heuristics",
        claim: "Only falling while above every full cell speeds the search up, on big maps above all.",
        figure: "–",
        measure: |lab| {
            let none = Shortcuts::default();
            shortcut(
                lab,
                ("post?speaks=false&waiting=0", "post?speaks=false&waiting=0&falling=false"),
                [Shortcuts { falling: true, ..none }, none],
            )
        },
    },
    Experiment {
        name: "hextris/fewer-rotations",
        place: "macro moves, heuristics",
        claim: "No rotations while more than 40 positions wait speeds the search up.",
        figure: "–",
        measure: |lab| {
            let none = Shortcuts::default();
            shortcut(
                lab,
                ("post?speaks=false&falling=false", "post?speaks=false&falling=false&waiting=0"),
                [Shortcuts { waiting: Some(40), ..none }, none],
            )
        },
    },
    Experiment {
        name: "hextris/new-words",
        place: "power words",
        claim: "Words that were not used before have a score of 300 + 2·length.",
        figure: "300 + 2·length",
        measure: |lab| {
            lab.note("every official phrase in which no other is heard, said once and twice, counted by our rules");
            let phrases = Phrases::contest();
            // A newline is no command and ends a phrase: none is heard across it.
            let worth = |said: &str| phrases.power(&phrases.counts(said));
            let lone = |text: &&String| {
                // Of a phrase that holds others, what these are worth is theirs.
                let others = phrases.counts(text).iter().filter(|count| **count > 0).count();
                others == 1
            };
            let (mut first, mut second) = (0, 0);
            let lone: Vec<&String> = phrases.texts().iter().filter(lone).collect();
            for text in &lone {
                let length = text.len() as u64;
                let twice = worth(&format!("{text}\n{text}"));
                first += u64::from(worth(text) == 300 + 2 * length);
                second += u64::from(twice - worth(text) == 2 * length);
            }
            let all = lone.len() as f64;
            Ok(Measurements::new()
                .part("phrases worth that", Estimate::exact(first as f64), Always(all))
                .part(
                    "worth 2·length the second time",
                    Estimate::exact(second as f64),
                    Always(all),
                ))
        },
    },
    Experiment {
        name: "hextris/phrases",
        place: "power words",
        claim: "Choosing the way by phrases adds to the score.",
        figure: "–",
        measure: |lab| {
            let games = everybody(lab, &["post", "post?speaks=false"], "")?;
            let more = |game: &PlayedMatch| score(game);
            let power = Estimate::mean(
                by_problem(&games, "post", &|game: &PlayedMatch| {
                    Some(game.metrics["power"] / game.scores[0].max(1.0))
                })
                .into_values(),
            );
            Ok(Measurements::new()
                .part("score", change(&games, "post", "post?speaks=false", &more), Above(0.0))
                .beside("share of phrases in the score", power.as_percent()))
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(score: f64, phrases: f64) -> Standing {
        Standing { problem: 3, rank: 0, score, phrases, team: String::new() }
    }

    #[test]
    fn ranks_are_by_the_score_alone_and_the_next_team_may_have_as_much() {
        let table = [standing(90.0, 1.0), standing(80.0, 4.0), standing(80.0, 2.0)];
        assert_eq!(
            [95.0, 90.0, 85.0, 80.0, 10.0].map(|score| rank(&table, 3, score)),
            [1, 1, 2, 2, 3]
        );
        assert_eq!(rank(&table, 4, 10.0), 1);
        assert_eq!(to_the_next(&table, 3, 80.0, 2.0), 0.0);
        assert_eq!(to_the_next(&table, 3, 80.0, 4.0), 10.0);
        assert_eq!(to_the_next(&table, 3, 95.0, 0.0), 0.0);
    }
}
