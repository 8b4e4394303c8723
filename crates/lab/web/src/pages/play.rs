//! The pages for playing: the list of games, and the page of one, on which `play.js` runs a
//! session. They need no knowledge of particular games.

use maud::{Markup, PreEscaped, html};
use quintain_core::{AnyEntry, Catalog, Listed};
use quintain_play::OUTSIDE;
use quintain_scene::clean;

use super::frame::{Page, page};
use super::games::{cards, explained_picture, game_link, weak_to_strong};
use crate::headline;
use crate::overview::Overview;
use crate::playable::can_be_played;

/// Renders the choice of games.
pub(crate) fn play_choice(catalog: &Catalog, allow_play: bool) -> Page {
    let address = |game: &str| match allow_play {
        true => format!("/play/{game}"),
        false => game_link(game),
    };
    let body = html! {
        main {
            h1 { "Play" }
            @if !allow_play {
                p { "This server only shows matches. To play, start it with:" }
                pre { "quintain serve --allow-play" }
            }
            (cards(catalog, address, |entry| html! {
                @if allow_play && entry.keyboard().is_some() {
                    (begin_links(entry))
                }
            }))
        }
    };
    page("Play", &[], body)
}

/// The fragment of an address that begins a match without further questions.
const AT_ONCE: &str = "now";

/// Whom a person meets who chooses nothing; nobody where one plays alone.
fn first_opponent<'a>(entry: &dyn AnyEntry, ladder: &'a [Rung]) -> &'a str {
    let seats = entry.game(entry.showcase().0).map_or(1, |game| game.seats());
    if seats > 1 { easiest(ladder) } else { "" }
}

/// Renders links that begin a match at once: one where one plays alone, else one for each level.
fn begin_links(entry: &dyn AnyEntry) -> Markup {
    let ladder = ladder(entry, None);
    let play = format!("play {}", entry.name());
    let address = format!("/play/{}#{AT_ONCE}", entry.name());
    let opponents = opponents_by_level(entry, &ladder);
    html! {
        @if opponents.is_empty() {
            a class="button" href=(address) { (play) (against(first_opponent(entry, &ladder))) }
        } @else {
            (play) " against"
            @for rung in opponents {
                " " a class="button" href={ (address) "&against=" (rung.name) }
                    title=(rung.level.word())
                    aria-label={ (play) " against " (rung.name) } { (rung.name) }
            }
        }
    }
}

/// Returns an opponent of each level, the easy one first, where the game ranks its players and has
/// several seats.
fn opponents_by_level<'a>(entry: &dyn AnyEntry, ladder: &'a [Rung]) -> Vec<&'a Rung> {
    let first = first_opponent(entry, ladder);
    let easy = ladder.iter().find(|rung| rung.name == first && rung.level != Level::Unknown);
    let Some(easy) = easy else { return Vec::new() };
    let harder = [Level::Medium, Level::Hard, Level::Champion].into_iter();
    let harder = harder.filter_map(|level| ladder.iter().find(|rung| rung.level == level));
    std::iter::once(easy).chain(harder.filter(|rung| rung.name != easy.name)).collect()
}

fn against(opponent: &str) -> String {
    if opponent.is_empty() { String::new() } else { format!(" against {opponent}") }
}

/// Renders the page of a game. Players known from a tournament are shown with their strength.
pub(crate) fn play(entry: &dyn AnyEntry, overview: Option<&Overview>) -> Page {
    let ladder = ladder(entry, overview);
    let body = html! {
        main {
            h1 { "Play " (entry.name()) }
            details id="invite" open {
                summary { "New match" }
                form class="search" id="invitation" data-game=(entry.name()) {
                    (begin_button(first_opponent(entry, &ladder)))
                    (harder_buttons(entry, &ladder))
                    (choices(entry, &ladder, &THINKING))
                }
            }
            details class="how" id="how" open {
                summary { "How it is played" }
                (how_it_is_played(entry, &explained_picture(entry.name())))
            }
            div id="session" class="viewer" {}
        }
    };
    page(format!("Play {}", entry.name()), &["play.js"], body)
}

/// Renders buttons that begin a match against harder opponents than the usual one.
fn harder_buttons(entry: &dyn AnyEntry, ladder: &[Rung]) -> Markup {
    let opponents = opponents_by_level(entry, ladder);
    html! {
        @if opponents.len() > 1 {
            div class="harder" {
                "or against "
                @for rung in &opponents[1..] {
                    @let is_told = rung.name == rung.level.word();
                    button data-against=(rung.name) {
                        (rung.name) @if !is_told { " (" (rung.level.word()) ")" }
                    }
                    " "
                }
            }
        }
    }
}

/// How much the others may think: the choices, in the unit that limits the players, and the
/// default.
pub(crate) struct Thinking {
    pub(crate) amounts: [(u64, &'static str); 4],
    pub(crate) usual: u64,
}

/// The choices in milliseconds.
const THINKING: Thinking = Thinking {
    amounts: [(100, "0.1 s"), (300, "0.3 s"), (1000, "1 s"), (3000, "3 s")],
    usual: 300,
};

/// Renders the button that begins a match, and beside it the place for why that failed.
pub(crate) fn begin_button(opponent: &str) -> Markup {
    html! {
        div class="begin" {
            button class="play" { "Play" (against(opponent)) }
            p id="problem" class="fault" role="alert" hidden {}
        }
    }
}

/// Renders the fields of the form that begins a match.
pub(crate) fn choices(entry: &dyn AnyEntry, ladder: &[Rung], thinking: &Thinking) -> Markup {
    let (scenario, _) = entry.showcase();
    // Scenarios whose data are not on this server are left out.
    let is_here = |known: &Listed| can_be_played(known) && entry.game(known.name()).is_ok();
    let scenarios: Vec<Listed> = entry.scenarios().into_iter().filter(is_here).collect();
    let seats = entry.game(scenario).map_or(1, |game| game.seats());
    let easy = easiest(ladder);
    html! {
        label { "scenario "
            select name="scenario" {
                option value=(scenario) { (clean(scenario)) ": to begin with" }
                @for known in scenarios.iter().filter(|known| known.name() != scenario) {
                    option value=(known.name()) {
                        (known.name()) ": " (clean(known.description.summary))
                    }
                }
            }
        }
        @if seats > 1 {
            label { "against "
                select name="opponent" {
                    @for level in Level::ALL {
                        @let rungs = || ladder.iter().filter(|rung| rung.level == level);
                        @if rungs().next().is_some() {
                            optgroup label=(level.word())
                                data-ranked[level != Level::Unknown] {
                                @for step in rungs() {
                                    option value=(step.name) selected[step.name == easy] {
                                        (step.words())
                                    }
                                }
                            }
                        }
                    }
                    optgroup label="your own" {
                        option value=(OUTSIDE) {
                            "your own module: a .wasm file that runs in this page"
                        }
                    }
                }
            }
            label { "you are "
                select name="seat" {
                    @for seat in 0..seats.min(SEATS) {
                        option value=(seat) { (headline::letter(seat)) }
                    }
                }
            }
            label { "thinking "
                select name="think" {
                    @for (amount, text) in &thinking.amounts {
                        option value=(amount) selected[*amount == thinking.usual] { (text) }
                    }
                }
            }
        }
        label { "your name " input name="name" value="guest" size="12" maxlength="40" required; }
        details class="more" {
            summary { "Parameters" }
            label { "scenario "
                input name="own_scenario" size="34" maxlength="300"
                    placeholder="NAME?parameter=value";
            }
            @if seats > 1 {
                label { "against "
                    input name="own_opponent" size="34" maxlength="300"
                        placeholder="NAME?parameter=value";
                }
            }
        }
    }
}

/// Renders the rules and the keys, beside a picture of a position.
pub(crate) fn how_it_is_played(entry: &dyn AnyEntry, picture: &str) -> Markup {
    let help = entry.keyboard().map_or("", |keyboard| keyboard.help);
    let pointing = entry.keyboard().and_then(|keyboard| keyboard.pointing);
    html! {
        div class="rules" {
            img src=(picture) alt="A position, with the meaning of its signs" loading="lazy";
            div {
                (rules(entry))
                p { "Keys: " (help) "." }
                @if let Some(pointing) = pointing { p { "On the board: " (pointing.help) "." } }
                p { "The keys are also buttons below the board." }
            }
        }
    }
}

/// Renders the rules as their authors wrote them, or else a one-line summary.
pub fn rules(entry: &dyn AnyEntry) -> Markup {
    let text = match entry.how_to_play() {
        "" => format!("{}.", entry.summary()),
        text => text.to_owned(),
    };
    let mut page = String::new();
    pulldown_cmark::html::push_html(&mut page, pulldown_cmark::Parser::new(&text));
    PreEscaped(page)
}

/// A player that every game has, and that is no challenge.
const RANDOM: &str = "random";

/// Maximum number of seats that can be chosen from a list.
const SEATS: usize = 26;

/// How hard an opponent is to beat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Easy,
    Medium,
    Hard,
    /// The strongest.
    Champion,
    /// Nobody has ranked it.
    Unknown,
}

impl Level {
    const ALL: [Level; 5] =
        [Level::Easy, Level::Medium, Level::Hard, Level::Champion, Level::Unknown];

    fn word(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
            Level::Champion => "champion",
            Level::Unknown => "not ranked",
        }
    }

    /// Returns the level of the player at this place among so many from weak to strong.
    fn at(place: usize, players: usize) -> Level {
        match (3 * place).checked_div(players.saturating_sub(1)) {
            _ if place + 1 == players => Level::Champion,
            None | Some(0) => Level::Easy,
            Some(1) => Level::Medium,
            Some(_) => Level::Hard,
        }
    }
}

/// A player that can be chosen.
pub(crate) struct Rung {
    name: String,
    summary: String,
    level: Level,
    /// Its strength, from a tournament of the store.
    elo: Option<f64>,
}

impl Rung {
    fn words(&self) -> String {
        let elo = self.elo.map_or(String::new(), |elo| format!(" ({elo:+.0} Elo here)"));
        format!("{}{}: {}", self.name, elo.replace('-', "−"), self.summary)
    }
}

/// Returns the roster from weak to strong, as the game ranks it, with the ratings of a tournament.
pub(crate) fn ladder(entry: &dyn AnyEntry, overview: Option<&Overview>) -> Vec<Rung> {
    let players = weak_to_strong(entry);
    let ranked = players.iter().filter(|known| known.strength.is_some()).count();
    // Where results decided who met whom, ratings rest on too few games to put beside this order.
    let rated = overview.filter(|overview| !overview.standings.certainty.is_withheld);
    let rung = |(place, known): (usize, &Listed)| Rung {
        name: known.name().to_owned(),
        summary: clean(known.description.summary),
        level: if place < ranked { Level::at(place, ranked) } else { Level::Unknown },
        elo: rated.and_then(|overview| overview.strength(known.name())),
    };
    players.iter().enumerate().map(rung).collect()
}

/// Returns the opponent to begin with: the weakest player that is ranked and not random, or else
/// one that looks a single step ahead.
fn easiest(ladder: &[Rung]) -> &str {
    let find_rung = |name: &str| ladder.iter().find(|rung| rung.name == name);
    let is_ranked = |rung: &&Rung| rung.level != Level::Unknown && rung.name != RANDOM;
    let known = ladder.iter().find(is_ranked);
    known.or_else(|| find_rung("greedy")).or(ladder.first()).map_or("", |rung| &rung.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rung(name: &str, level: Level) -> Rung {
        Rung { name: name.to_owned(), summary: "walks".to_owned(), level, elo: None }
    }

    #[test]
    fn a_newcomer_meets_the_weakest_ranked_player() {
        assert_eq!(easiest(&[rung("b", Level::Easy), rung("a", Level::Hard)]), "b");
        assert_eq!(easiest(&[rung("random", Level::Easy), rung("a", Level::Hard)]), "a");
        assert_eq!(
            easiest(&[rung("champion", Level::Unknown), rung("greedy", Level::Unknown)]),
            "greedy"
        );
        assert_eq!(easiest(&[]), "");
        let rated = Rung { elo: Some(-40.4), ..rung("b", Level::Easy) };
        assert_eq!(rated.words(), "b (−40 Elo here): walks");
    }

    #[test]
    fn a_visitor_can_begin_against_one_opponent_of_each_level() {
        let catalog = quintain_games::catalog();
        let entry = catalog.entry("tron").unwrap();
        let ladder = ladder(entry, None);
        let opponents = opponents_by_level(entry, &ladder);
        let levels: Vec<_> = opponents.iter().map(|rung| rung.level).collect();
        assert_eq!(levels, [Level::Easy, Level::Medium, Level::Hard, Level::Champion]);
        assert_eq!(opponents[0].name, easiest(&ladder));
        let alone = catalog.entry("pentocity").unwrap();
        assert!(opponents_by_level(alone, &super::ladder(alone, None)).is_empty());
    }

    #[test]
    fn levels_rise_from_easy_to_one_champion() {
        let levels =
            |players| (0..players).map(|place| Level::at(place, players)).collect::<Vec<_>>();
        use Level::{Champion, Easy, Hard, Medium};
        assert_eq!(levels(1), [Champion]);
        assert_eq!(levels(2), [Easy, Champion]);
        assert_eq!(levels(4), [Easy, Medium, Hard, Champion]);
        assert_eq!(levels(7), [Easy, Easy, Medium, Medium, Hard, Hard, Champion]);
    }
}
