//! The report “Tron.py”: three bots, each better than the one before, and what might improve them
//! further. Its opponents were the other entries of the contest, which are not available. Its
//! figures are results against a field of opponents, and they are tested in the same way: each bot
//! plays against the same field of ours on the same boards; the bots do not play one another.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{MeasuredMatch, PlayedMatches, mean_note};
use crate::measurement::ExpectedValue::{Above, Below};
use crate::measurement::{ExpectedValue, Measurements};
use crate::plan::TournamentPlan;

/// Both have random boards, so that seeds matter.
const BOARDS: [&str; 2] = ["tronv2", "riddles"];

/// Stand-ins for the other entries of the contest: simple players, alpha-beta, and the winner of
/// another contest with a small budget.
const FIELD: [&str; 4] = ["wall-hugger", "space", "greedy", "contest2010?nodes=300"];

/// Why results of the contest cannot be compared with ours: how often a bot wins, draws and loses
/// depends on how strong the others are.
const OTHERS_LOST: &str = "the other entries of the contest are lost";

/// The points, in percent, from which on we would notice that a bot has become better or worse.
const NOTICED: f64 = 1.0;

/// How a match is counted, by its points: 1 won, ½ drawn, 0 lost.
type Count = fn(f64) -> f64;

const POINTS: Count = |points| points;
const WON: Count = |points| f64::from(points == 1.0);
const DRAWN: Count = |points| f64::from(points == 0.5);
const LOST: Count = |points| f64::from(points == 0.0);

/// The report's three bots against each other.
fn bots(lab: &Lab<'_>) -> Result<PlayedMatches, LabError> {
    let seeds = lab.take(40, 200);
    lab.play(
        &TournamentPlan::versus("tron", BOARDS, ["basic", "improved", "advanced"], seeds)
            .from_seed(1000),
    )
}

/// Matches of some bots, each against every player of the field.
fn contest(lab: &Lab<'_>, bots: &[&str]) -> Result<PlayedMatches, LabError> {
    let mut all = PlayedMatches::default();
    for bot in bots {
        for other in FIELD {
            // A tournament of two players, so that claims about one bot share its matches.
            let plan = TournamentPlan::versus("tron", BOARDS, [*bot, other], lab.take(15, 100));
            all = all.with(lab.play(&plan.from_seed(1000))?);
        }
    }
    Ok(all)
}

/// How much more a bot gets against the field than another, in percent of its matches.
fn more(lab: &Lab<'_>, a: &str, b: &str, count: Count) -> Result<Estimate, LabError> {
    Ok(contest(lab, &[a, b])?.more_against(a, b, &FIELD, count))
}

/// A bot's share of matches against the field, counted by `count`.
fn share(lab: &Lab<'_>, bot: &str, count: Count) -> Result<Estimate, LabError> {
    Ok(contest(lab, &[bot])?.share_against(bot, &FIELD, count))
}

/// The points against the field that a variant gains over the bot itself.
fn gains(
    lab: &Lab<'_>,
    better: &str,
    plain: &str,
    expected: ExpectedValue,
) -> Result<Measurements, LabError> {
    let points = more(lab, better, plain, POINTS)?;
    let what = format!("points against our field, `{better}` − `{plain}`");
    Ok(Measurements::new().part(what, points, expected))
}

/// The points that a variant gains where the report names it as an improvement without having
/// tried it.
fn suggestion(lab: &Lab<'_>, variant: &str, plain: &str) -> Result<Measurements, LabError> {
    let points = more(lab, variant, plain, POINTS)?;
    let what = format!("points against our field, `{variant}` − `{plain}`");
    Ok(Measurements::new().reading(what, points, Above(0.0)).noticed_from(NOTICED))
}

/// The number of positions that a player looks at per decision, over all its matches.
fn nodes(games: &PlayedMatches, player: &str) -> Estimate {
    let of = |game: &MeasuredMatch| {
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
            let gain = |a: &str, b: &str| more(lab, a, b, POINTS);
            let games = bots(lab)?;
            let points = |a: &str, b: &str| games.points(a, b);
            Ok(Measurements::new()
                .part(
                    "points against our field, improved − basic",
                    gain("improved", "basic")?,
                    Above(0.0),
                )
                .part("advanced − improved", gain("advanced", "improved")?, Above(0.0))
                .with_figure("points of improved against basic", points("improved", "basic"))
                .with_figure("of advanced against improved", points("advanced", "improved"))
                .with_figure("of advanced against basic", points("advanced", "basic")))
        },
    },
    Experiment {
        name: "tron/ranks",
        place: "results of the three versions",
        claim: "The versions rank 121st, 30th and 21st to 23rd among the contest's 249 entries.",
        figure: "scores 37.23, 47.78, 49.89 and 49.42",
        measure: |_| Ok(Measurements::new().not_comparable(OTHERS_LOST)),
    },
    Experiment {
        name: "tron/ties-improved",
        place: "results of the three versions",
        claim: "The improved version draws more often than the basic one.",
        figure: "41 of 56 against 11 of 56 (+54 %)",
        measure: |lab| {
            let more = more(lab, "improved", "basic", DRAWN)?;
            let what = "draws against our field, improved − basic";
            // How many more depends on the opponents, which are lost; the side does not.
            Ok(Measurements::new().part(what, more, Above(0.0)))
        },
    },
    Experiment {
        name: "tron/wins-improved",
        place: "results of the three versions",
        claim: "The improved version wins less often than the basic one: its gain comes from \
                draws.",
        figure: "9 of 56 after 16 of 56",
        measure: |lab| {
            let more = more(lab, "improved", "basic", WON)?;
            let what = "wins against our field, improved − basic";
            Ok(Measurements::new().part(what, more, Below(0.0)).not_comparable(OTHERS_LOST))
        },
    },
    Experiment {
        name: "tron/ties-advanced",
        place: "results of the three versions",
        claim: "Most games of the two better versions end in a draw.",
        figure: "41 and 42 of 56 (73 and 75 %)",
        measure: |lab| {
            let drawn = |bot: &str| share(lab, bot, DRAWN);
            Ok(Measurements::new()
                .part("draws of improved against our field", drawn("improved")?, Above(50.0))
                .part("draws of advanced", drawn("advanced")?, Above(50.0))
                .with_figure("draws between the two", bots(lab)?.draws("advanced", "improved"))
                .not_comparable(OTHERS_LOST))
        },
    },
    Experiment {
        name: "tron/losses",
        place: "results of the three versions",
        claim: "Each version loses fewer games than the one before.",
        figure: "29, 6 and 1 of 56",
        measure: |lab| {
            let fewer = |a: &str, b: &str| more(lab, a, b, LOST);
            Ok(Measurements::new()
                .part(
                    "losses against our field, improved − basic",
                    fewer("improved", "basic")?,
                    Below(0.0),
                )
                .part("losses, advanced − improved", fewer("advanced", "improved")?, Below(0.0)))
        },
    },
    Experiment {
        name: "tron/advanced-hardly-loses",
        place: "results, advanced version",
        claim: "The advanced version hardly ever loses.",
        figure: "1 of 56 (2 %)",
        measure: |lab| {
            let lost = share(lab, "advanced", LOST)?;
            // A player that loses one game of 56 may lose up to this share of all games.
            let most = Estimate::share(1, 56).high;
            let what = "losses against our field";
            Ok(Measurements::new().reading(what, lost, Below(most)).not_comparable(OTHERS_LOST))
        },
    },
    Experiment {
        name: "tron/look-ahead",
        place: "improved version",
        claim: "Looking three steps ahead is better than looking one step ahead.",
        figure: "rank 30 after 121",
        measure: |lab| gains(lab, "improved", "improved?steps=1", Above(0.0)),
    },
    Experiment {
        name: "tron/look-ahead-more",
        place: "further improvements",
        claim: "An improvement to try: the improved version looks more than three steps ahead.",
        figure: "–",
        measure: |lab| suggestion(lab, "improved?steps=4", "improved"),
    },
    Experiment {
        name: "tron/look-ahead-advanced",
        place: "further improvements",
        claim: "An improvement to try: the advanced version looks more than three steps ahead.",
        figure: "–",
        measure: |lab| suggestion(lab, "advanced?steps=4", "advanced"),
    },
    Experiment {
        name: "tron/zones",
        place: "advanced version",
        claim: "Telling zones apart, with the revised table of rewards, makes a bot better.",
        figure: "ranks 21 and 23 after 30",
        measure: |lab| {
            let with_one_step = more(lab, "advanced?steps=1", "improved?steps=1", POINTS)?;
            Ok(gains(lab, "advanced", "improved", Above(0.0))?
                .with_figure("the same with one step of look-ahead", with_one_step))
        },
    },
    Experiment {
        name: "tron/early-stopping",
        place: "further improvements",
        claim: "A breadth-first search that stops early, where the sum falls below a threshold, \
                is cheaper.",
        figure: "–",
        measure: |lab| {
            let (stopped, plain) = ("advanced?order=breadth-first&stop_below=0", "advanced");
            let players = [stopped, plain];
            let plan = TournamentPlan::versus("tron", BOARDS, players, lab.take(30, 300));
            let games = lab.play(&plan.from_seed(2000).with_notes())?;
            let fewer = nodes(&games, stopped).minus(nodes(&games, plain));
            let lost = more(lab, stopped, plain, POINTS)?;
            Ok(Measurements::new()
                .part(
                    "positions examined per decision, with early stopping − without",
                    fewer,
                    Below(0.0),
                )
                .with_figure("points against our field, with early stopping − without", lost))
        },
    },
    Experiment {
        name: "tron/other-rewards",
        place: "further improvements",
        claim: "An improvement to try: another reward equation in the advanced version.",
        figure: "–",
        measure: |lab| suggestion(lab, "advanced?reward=territory", "advanced"),
    },
    Experiment {
        name: "tron/updated-diagrams",
        place: "further improvements",
        claim: "Updating the diagrams after each hypothetical move makes the bot worse.",
        figure: "3–4 contest points fewer, of about 50",
        measure: |lab| gains(lab, "advanced?update=true", "advanced", Below(0.0)),
    },
];
