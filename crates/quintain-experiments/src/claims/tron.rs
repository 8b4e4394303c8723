//! The report “Tron.py”: three bots, each better than the one before, and what might
//! improve them further. Its opponents were the other entries of the contest, which are
//! not at hand: what it says of ranks is read as an order among its own bots, what it
//! says of ties and losses as an order against one field of ours.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, mean_note};
use crate::measurement::Expected::{Above, Below};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

/// Both have random boards, so that seeds differ.
const BOARDS: [&str; 2] = ["tronv2", "riddles"];

/// Who stands for the other entries of the contest: simple players, alpha-beta, and the
/// winner of another contest on a small allowance.
const FIELD: [&str; 4] = ["wall-hugger", "space", "greedy", "contest2010?nodes=300"];

/// The report's three bots against each other.
fn bots(lab: &Lab<'_>) -> Result<PlayedMatches, LabError> {
    let seeds = lab.take(40, 200);
    lab.play(
        &TournamentPlan::versus("tron", BOARDS, ["basic", "improved", "advanced"], seeds)
            .from_seed(1000),
    )
}

/// The report's three bots and the field.
fn contest(lab: &Lab<'_>) -> Result<PlayedMatches, LabError> {
    let players = ["basic", "improved", "advanced"].into_iter().chain(FIELD);
    lab.play(&TournamentPlan::versus("tron", BOARDS, players, lab.take(15, 40)).from_seed(1000))
}

/// A variant of a bot against the bot itself.
fn variant(lab: &Lab<'_>, variant: &str, plain: &str) -> Result<PlayedMatches, LabError> {
    let seeds = lab.take(30, 300);
    lab.play(
        &TournamentPlan::versus("tron", BOARDS, [variant, plain], seeds)
            .from_seed(2000)
            .with_notes(),
    )
}

/// The points of a variant against the bot itself.
fn gains(lab: &Lab<'_>, better: &str, plain: &str) -> Result<Measurements, LabError> {
    let points = variant(lab, better, plain)?.points(better, plain);
    Ok(Measurements::new().part(
        format!("points of `{better}` against `{plain}`"),
        points,
        Above(50.0),
    ))
}

/// Positions that a player looks at for a decision, in all matches with another.
fn nodes(games: &PlayedMatches, player: &str) -> Estimate {
    let of = |game: &crate::matches::PlayedMatch| {
        let seat = game.players.iter().position(|seated| seated == player)?;
        let mut own = game.clone();
        own.notes.retain(|note| note.seat.index() == seat);
        mean_note("nodes")(&own)
    };
    Estimate::mean(games.all().iter().filter_map(of))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "tron/basic-improved-advanced",
        place: "results of the three versions",
        claim: "Each version is better than the one before: basic < improved < advanced.",
        figure: "ranks 121, 30, and 21 and 23 of 249",
        measure: |lab| {
            let games = bots(lab)?;
            let points =
                |a: &str, b: &str| (format!("points of {a} against {b}"), games.points(a, b));
            let mut measured = Measurements::new();
            for (a, b) in [("improved", "basic"), ("advanced", "improved"), ("advanced", "basic")] {
                let (what, points) = points(a, b);
                measured = measured.part(what, points, Above(50.0));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "tron/ranks",
        place: "results of the three versions",
        claim: "The versions rank 121st, 30th and 21st to 23rd among the contest's 249 entries.",
        figure: "scores 37.23, 47.78, 49.89 and 49.42",
        measure: |_| {
            Ok(Measurements::new().undecidable("the other entries of the contest are not at hand"))
        },
    },
    Experiment {
        name: "tron/ties-improved",
        place: "results of the three versions",
        claim: "The improved version ties far more often than the basic one.",
        figure: "41 of 56 against 11 of 56 (+54 %)",
        measure: |lab| {
            let more = contest(lab)?.against_field("improved", "basic", &FIELD, 0.5);
            Ok(Measurements::new().part(
                "ties of improved − of basic against our field",
                more,
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "tron/ties-advanced",
        place: "results of the three versions",
        claim: "Most games of the better two end in a tie.",
        figure: "41 and 42 of 56 (73 and 75 %)",
        measure: |lab| {
            let draws = bots(lab)?.draws("advanced", "improved");
            Ok(Measurements::new().part("ties between advanced and improved", draws, Above(50.0)))
        },
    },
    Experiment {
        name: "tron/losses",
        place: "results of the three versions",
        claim: "Each version loses fewer games than the one before.",
        figure: "29, 6 and 1 of 56",
        measure: |lab| {
            let games = contest(lab)?;
            let fewer = |a: &str, b: &str| games.against_field(a, b, &FIELD, 0.0);
            Ok(Measurements::new()
                .part("losses of improved − of basic", fewer("improved", "basic"), Below(0.0))
                .part(
                    "losses of advanced − of improved",
                    fewer("advanced", "improved"),
                    Below(0.0),
                ))
        },
    },
    Experiment {
        name: "tron/advanced-hardly-loses",
        place: "results, advanced version",
        claim: "The advanced version hardly ever loses.",
        figure: "1 of 56 (2 %)",
        measure: |lab| {
            let games = bots(lab)?;
            let mut measured = Measurements::new();
            for other in ["improved", "basic"] {
                let lost = games.all().iter().filter(|game| {
                    game.players.iter().any(|player| player == "advanced")
                        && game.players.iter().any(|player| player == other)
                });
                let lost = Estimate::share_of(lost.map(|game| {
                    let seat = game.players.iter().position(|player| player == "advanced");
                    seat.is_some_and(|seat| game.scores[seat] == 0.0)
                }));
                // Of 56 games, 1 to 5 lost are within the noise of the report's one.
                measured = measured.part(format!("lost to {other}"), lost, Below(10.0));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "tron/look-ahead",
        place: "improved version",
        claim: "Looking three steps ahead is better than looking one step ahead.",
        figure: "rank 30 after 121",
        measure: |lab| gains(lab, "improved", "improved?steps=1"),
    },
    Experiment {
        name: "tron/look-ahead-more",
        place: "further improvements",
        claim: "Looking more than three steps ahead improves the improved version further.",
        figure: "–",
        measure: |lab| gains(lab, "improved?steps=4", "improved"),
    },
    Experiment {
        name: "tron/look-ahead-advanced",
        place: "further improvements",
        claim: "Looking more than three steps ahead improves the advanced version further.",
        figure: "–",
        measure: |lab| gains(lab, "advanced?steps=4", "advanced"),
    },
    Experiment {
        name: "tron/zones",
        place: "advanced version",
        claim: "Telling zones apart, with the revised table of rewards, is better at one step of look-ahead too.",
        figure: "rank 21 and 23 after 30",
        measure: |lab| gains(lab, "advanced?steps=1", "improved?steps=1"),
    },
    Experiment {
        name: "tron/early-stopping",
        place: "further improvements",
        claim: "Another order of search with early stopping makes the search cheaper.",
        figure: "–",
        measure: |lab| {
            let (stopped, plain) = ("advanced?stop_below=0", "advanced");
            let games = variant(lab, stopped, plain)?;
            let fewer = nodes(&games, stopped).minus(nodes(&games, plain));
            Ok(Measurements::new()
                .part("positions looked at a decision, against all of them", fewer, Below(0.0))
                .beside("points of the bot that stops early", games.points(stopped, plain)))
        },
    },
    Experiment {
        name: "tron/best-first",
        place: "further improvements",
        claim: "Another order of search with a bound on the paths looked at loses nothing.",
        figure: "–",
        measure: |lab| {
            let (first, plain) = ("advanced?order=best-first&expansions=100", "advanced");
            let points = variant(lab, first, plain)?.points(first, plain);
            // Not worse than by five points of a hundred.
            Ok(Measurements::new().part(
                "points of best-first against depth-first",
                points,
                Above(45.0),
            ))
        },
    },
    Experiment {
        name: "tron/other-rewards",
        place: "further improvements",
        claim: "Another equation of rewards could improve the advanced version.",
        figure: "–",
        measure: |lab| gains(lab, "advanced?reward=territory", "advanced"),
    },
    Experiment {
        name: "tron/updated-diagrams",
        place: "further improvements",
        claim: "Diagrams that follow the hypothesised moves make the bot worse.",
        figure: "3–4 of about 50 contest points less",
        measure: |lab| {
            let (updated, plain) = ("advanced?update=true", "advanced");
            let points = variant(lab, updated, plain)?.points(updated, plain);
            Ok(Measurements::new().part("points with updated diagrams", points, Below(50.0)))
        },
    },
];
