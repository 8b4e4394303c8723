//! How a position looks: trails tinted by unit, with its letter where there is room, players and
//! meetings; on request, overlaid with each unit's trail alone, or with what one seat sees and
//! makes of it. Beside the board is who holds what. A seat is shown only its nine cells, under its
//! own ids and in the middle of the board.

mod course;

use quintain_core::ui::{Bar, Keyboard, Layer, Mark, Paint, PanelBody, Point, Scene, Sign};
use quintain_core::{Presentation, Rules, Seat};

use crate::notation::{letter, trail_sign};
use crate::rules::Gather;
use crate::rules::observation::Look;
use crate::rules::state::State;
use crate::rules::torus::{Cell, Move};
use crate::rules::units::Units;

/// The number of units with their own overlay; with more, nobody could tell the tints apart.
const TINTS: usize = 16;

/// The most cells of a board on which trails are labelled with letters.
const LABELLED: usize = 500;
/// The most units whose letters the legend lists; the course has at most nine players.
const EXPLAINED: usize = 9;
/// The first count of units that has no digit.
const MANY: usize = 10;
/// The number of letters.
const LETTERS: usize = 26;
/// The number of players whose holdings are listed.
const LISTED: usize = 12;

/// How gather is shown and played by hand.
pub(crate) struct GatherPresentation;

impl Presentation<Gather> for GatherPresentation {
    fn scene(&self, rules: &Gather, state: &State, observer: Option<Seat>) -> Scene {
        draw(rules, state, observer)
    }

    fn board(&self, _rules: &Gather, state: &State) -> Scene {
        let mut scene = empty(state);
        draw_board(state, 0..state.torus().area(), &mut scene);
        scene
    }

    fn board_since(&self, _rules: &Gather, state: &State) -> Option<Scene> {
        // Labels may change elsewhere.
        if state.torus().area() <= LABELLED {
            return None;
        }
        let mut scene = empty(state);
        // Only who is on a cell leaves a trail there.
        let cells = Seat::all(state.seats()).map(|seat| state.torus().index(state.cell_of(seat)));
        draw_board(state, cells, &mut scene);
        Some(scene)
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }

    fn tell(&self, _: &Gather, _: &State, _: Seat, action: &Move) -> Option<String> {
        Some(course::tell(*action).to_owned())
    }

    fn figure_titles(&self) -> &'static [(&'static str, &'static str)] {
        course::FIGURES
    }

    fn decision(
        &self,
        rules: &Gather,
        positions: &mut dyn Iterator<Item = State>,
    ) -> Option<String> {
        course::describe(rules, positions)
    }
}

/// Draws a position, for the referee or for one seat.
fn draw(rules: &Gather, state: &State, observer: Option<Seat>) -> Scene {
    let mut scene = empty(state);
    match observer {
        None => {
            draw_board(state, 0..state.torus().area(), &mut scene);
            draw_overlays(rules, state, &mut scene);
        }
        Some(seat) => one_seat(rules, state, seat, &mut scene),
    }
    scene
}

/// A scene as large as the torus.
fn empty(state: &State) -> Scene {
    Scene::square(usize::from(state.torus().width), usize::from(state.torus().height))
}

fn point(cell: Cell) -> Point {
    Point::new(cell.column.into(), cell.row.into())
}

/// The paint of a cell onto which this many units were carried, more than one.
fn heat(count: usize, of: usize) -> Paint {
    Paint::Heat((count * 255 / of.max(1)) as u8)
}

/// Says in a legend what letters and counts on cells mean.
/// With `labelled` cells, two units have both their letters there.
fn explain_trails(layer: &mut Layer, seats: usize, labelled: bool) {
    let listed = seats.min(EXPLAINED);
    for unit in 0..listed {
        let sign = Sign::Cell(Paint::Claim(unit as u16), letter(unit));
        let more = match seats {
            _ if unit + 1 < listed || listed == seats => "",
            ..=LETTERS => "; other letters likewise",
            _ => "; other letters likewise, and after z comes a again",
        };
        layer.means(sign, format!("trail of unit {} alone{more}", letter(unit)));
    }
    for count in 2..=seats.min(MANY) {
        let sign = Sign::Cell(heat(count, seats), trail_sign(0..count));
        let more = if count == MANY && seats > MANY { " or more" } else { "" };
        let letters = match labelled && count == 2 {
            true => format!(", written as their letters ({}{})", letter(0), letter(1)),
            false => String::new(),
        };
        layer.means(sign, format!("trail of {count}{more} of {seats} units{letters}"));
    }
    if seats > MANY {
        let sign = Sign::Cell(heat(seats, seats), trail_sign(0..seats));
        layer.means(sign, format!("trail of all {seats} units"));
    }
}

/// The paint of a trail: one unit in its tint, several by their share of all.
fn tint(units: &Units, of: usize) -> Paint {
    let mut some = units.iter();
    match (some.next(), some.next()) {
        (None, _) => Paint::Floor,
        (Some(unit), None) => Paint::Claim(unit as u16),
        _ => heat(units.len(), of),
    }
}

/// Draws what is always shown, with its captions and panels; of the trails, these cells.
fn draw_board(state: &State, cells: impl Iterator<Item = usize>, scene: &mut Scene) {
    let torus = state.torus();
    let at = |cell: usize| point(torus.cell(cell));
    let trails = cells.map(|cell| {
        let units = Units::from_words(state.trail_words(cell));
        let paint = tint(&units, state.seats());
        Mark::Cell { at: at(cell), paint, glyph: trail_sign(units.iter()) }
    });
    let labelled = torus.area() <= LABELLED;
    explain_trails(scene.layer("trails", trails.collect()), state.seats(), labelled);
    let cells = if labelled { torus.area() } else { 0 };
    let free = (0..cells).filter(|cell| state.players_on(*cell).next().is_none());
    let labels = free.filter_map(|cell| {
        let units: Vec<usize> = state.trail(cell).collect();
        let text = match units.as_slice() {
            [] => return None,
            [one] => letter(*one).to_string(),
            [one, other] => format!("{}{}", letter(*one), letter(*other)),
            several => several.len().to_string(),
        };
        Some(Mark::Label { at: at(cell), text })
    });
    scene.layer("letters", labels.collect());

    let players = Seat::all(state.seats()).map(|seat| Mark::Cell {
        at: point(state.cell_of(seat)),
        paint: Paint::Head(seat.index() as u16),
        glyph: capital(seat.index()),
    });
    let rings = Seat::all(state.seats())
        .filter(|_| state.seats() <= TINTS)
        .map(|seat| ring(seat.index() as u16, state.holdings(seat), state.seats()));
    scene
        .layer("players", players.chain(rings).collect())
        .means(Sign::Cell(Paint::Head(0), 'A'), "player A, who began with unit a");

    let met = Seat::all(state.seats()).map(|seat| torus.index(state.cell_of(seat)));
    let mut met: Vec<usize> = met.filter(|cell| state.players_on(*cell).nth(1).is_some()).collect();
    met.sort_unstable();
    met.dedup();
    let meetings = met.iter().flat_map(|cell| {
        let cell = at(*cell);
        let outline = Mark::Outline { cells: vec![cell], paint: Paint::Accent };
        [Mark::Cell { at: cell, paint: Paint::Accent, glyph: '*' }, outline]
    });
    scene
        .layer("meetings", meetings.collect())
        .means(Sign::Cell(Paint::Accent, '*'), "players meet and pool what they hold")
        .means(Sign::Outline(Paint::Accent), "around a meeting");
    scene.panel("who holds which units", PanelBody::Figures(holdings(state)));
    if state.seats() <= LISTED {
        scene.panel("players who hold a unit", PanelBody::Bars(spread(state)));
    }
    let meeting = |cell: &usize| {
        let mut here: Vec<usize> = state.players_on(*cell).collect();
        here.sort_unstable();
        let names: Vec<String> = here.into_iter().map(|seat| capital(seat).to_string()).collect();
        names.join(" and ")
    };
    let mut words: Vec<String> = met.iter().take(LISTED).map(meeting).collect();
    if met.len() > LISTED {
        words.push(format!("{} more", met.len() - LISTED));
    }
    let now = if words.is_empty() { "nobody".to_owned() } else { words.join(", ") };
    scene.panel("meeting now", PanelBody::Figures(vec![(now, String::new())]));

    let most = Seat::all(state.seats()).map(|seat| state.holdings(seat).count()).max().unwrap_or(0);
    scene.caption = format!("round {}, {most} of {} units gathered", state.round(), state.seats());
}

/// Draws the trail of each unit, and what each seat sees.
fn draw_overlays(rules: &Gather, state: &State, scene: &mut Scene) {
    let torus = state.torus();
    let at = |cell: usize| point(torus.cell(cell));
    for unit in 0..state.seats().min(TINTS) {
        let carried = (0..torus.area()).filter(|cell| state.trail(*cell).any(|u| u == unit));
        let marks = carried.map(|cell| Mark::Cell {
            at: at(cell),
            paint: Paint::Claim(unit as u16),
            glyph: letter(unit),
        });
        scene.overlay(&format!("unit {}", letter(unit)), marks.collect()).means(
            Sign::Cell(Paint::Claim(unit as u16), letter(unit)),
            format!("unit {} was carried here", letter(unit)),
        );
    }

    for seat in Seat::all(state.seats().min(TINTS)) {
        let who = capital(seat.index());
        scene
            .overlay(&format!("what {who} sees"), sight(rules, state, seat))
            .dimming()
            .means(Sign::Cell(Paint::Good, ' '), format!("somebody with units new to {who}"))
            .means(Sign::Cell(Paint::Accent, '?'), format!("trail of a unit that {who} lacks"))
            .means(Sign::Cell(Paint::Floor, '.'), format!("nothing new to {who}"))
            .means(
                Sign::Cell(Paint::Floor, '@'),
                format!("{who}; letters as {who} counts players"),
            );
    }
}

/// A player's letter.
fn capital(seat: usize) -> char {
    letter(seat).to_ascii_uppercase()
}

/// What each player holds; in a crowd, only those who hold most.
fn holdings(state: &State) -> Vec<(String, String)> {
    let mut seats: Vec<Seat> = Seat::all(state.seats()).collect();
    let few = seats.len() <= LISTED;
    if !few {
        seats.sort_by_key(|seat| std::cmp::Reverse(state.holdings(*seat).count()));
    }
    let line = |seat: &Seat| {
        let units: Vec<usize> = state.holdings(*seat).collect();
        let count = format!("{} of {}", units.len(), state.seats());
        let letters: String = units.iter().map(|unit| letter(*unit)).collect();
        let held = if few { format!("{letters}  {count}") } else { count };
        let name = if few {
            capital(seat.index()).to_string()
        } else {
            format!("player {}", seat.index() + 1)
        };
        (name, held)
    };
    seats.iter().take(LISTED).map(line).collect()
}

/// A ring with the units that a player holds.
fn ring(seat: u16, held: impl Iterator<Item = usize>, seats: usize) -> Mark {
    Mark::Ring { seat, held: held.map(|unit| unit as u16).collect(), of: seats as u16 }
}

/// How many players hold each unit.
fn spread(state: &State) -> Vec<Bar> {
    let holders = |unit: usize| {
        let all = Seat::all(state.seats());
        all.filter(|seat| state.holdings(*seat).any(|held| held == unit)).count()
    };
    let bars = (0..state.seats()).map(|unit| Bar {
        name: letter(unit).to_string(),
        paint: Paint::Head(unit as u16),
        value: holders(unit) as u32,
        of: state.seats() as u32,
    });
    bars.collect()
}

/// Marks the nine cells of a seat under its own ids: who is there, and whether the seat takes the
/// cell for one that is sure to bring news, the trail of a unit it lacks, or nothing new.
fn sight(rules: &Gather, state: &State, seat: Seat) -> Vec<Mark> {
    let seen = rules.observe(state, seat);
    let own = state.cell_of(seat);
    let mark = |(to, look): (Move, &Look)| {
        let other = look.players.iter().next();
        let (paint, sign) = if !look.players.is_within(&seen.holds) {
            (Paint::Good, ' ')
        } else if !look.trail.is_within(&seen.holds) {
            (Paint::Accent, '?')
        } else {
            (Paint::Floor, trail_sign(look.trail.iter()))
        };
        let glyph = match other {
            _ if to == Move::Stay => '@',
            Some(id) => capital(id),
            None => sign,
        };
        Mark::Cell { at: point(state.torus().after(own, to)), paint, glyph }
    };
    Move::ALL.into_iter().zip(&seen.around).map(mark).collect()
}

fn one_seat(rules: &Gather, state: &State, seat: Seat, scene: &mut Scene) {
    let seen = rules.observe(state, seat);
    // The seat stands in the middle, because it does not know where on the board it is.
    let torus = state.torus();
    let own = Cell { column: torus.width / 2, row: torus.height / 2 };
    let cell = |to: Move| point(state.torus().after(own, to));
    let looks = || Move::ALL.into_iter().zip(&seen.around);

    let trails = looks().map(|(to, look)| Mark::Cell {
        at: cell(to),
        paint: tint(&look.trail, state.seats()),
        glyph: trail_sign(look.trail.iter()),
    });
    let layer = scene.layer("trails", trails.collect());
    explain_trails(layer.means(Sign::Unseen, "out of sight"), state.seats(), false);

    let others = looks().flat_map(|(to, look)| {
        look.players.iter().map(move |id| Mark::Cell {
            at: cell(to),
            paint: Paint::Head(id as u16),
            glyph: capital(id),
        })
    });
    let me = Mark::Cell { at: cell(Move::Stay), paint: Paint::Head(seen.me), glyph: '@' };
    let held = (state.seats() <= TINTS).then(|| ring(seen.me, seen.holds.iter(), state.seats()));
    let layer = scene.layer("players", others.chain([me]).chain(held).collect());
    layer.means(Sign::Cell(Paint::Head(seen.me), '@'), "you");
    if let Some(other) = (0..state.seats()).find(|id| *id != usize::from(seen.me)) {
        let sign = Sign::Cell(Paint::Head(other as u16), capital(other));
        layer.means(sign, format!("player {}, by your own count", capital(other)));
    }

    // A cell's trail holds at least the own units of the players on it. Those that the seat lacks
    // are what a meeting there is sure to bring.
    let news = looks().filter(|(_, look)| !look.players.is_within(&seen.holds));
    let news = news.map(|(to, _)| Mark::Cell { at: cell(to), paint: Paint::Good, glyph: '!' });
    scene
        .overlay("new to you", news.collect())
        .means(Sign::Cell(Paint::Good, '!'), "somebody with units new to you");
    let paths = looks().filter(|(_, look)| !look.trail.is_within(&seen.holds));
    let paths = paths.map(|(to, _)| Mark::Cell { at: cell(to), paint: Paint::Accent, glyph: '?' });
    scene
        .overlay("trails you lack", paths.collect())
        .means(Sign::Cell(Paint::Accent, '?'), "trail of a unit that you lack");

    scene.caption =
        format!("round {}, {} of {} units held", seen.round, seen.holds.len(), seen.players);
}

#[cfg(test)]
mod tests {
    use quintain_core::{Entry, Rng};

    use super::*;
    use crate::environment::scenario;

    #[test]
    fn units_are_listed_beside_the_board_and_meetings_are_marked() {
        let text = "torus?width=5&height=5&players=2&masked=false";
        let rules = Entry::build(&crate::entry(), text).unwrap().0.rules().clone();
        let starts = [Cell { column: 1, row: 1 }, Cell { column: 3, row: 1 }];
        let mut state = scenario(rules.clone(), Some(starts.into())).start(&mut Rng::from_seed(1));
        let figures = |state: &State, title: &str| {
            let scene = draw(&rules, state, None);
            let panel = scene.panels.iter().find(|panel| panel.title == title).unwrap();
            let PanelBody::Figures(figures) = &panel.body else { panic!("figures") };
            figures.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>()
        };
        assert_eq!(figures(&state, "who holds which units"), ["A a  1 of 2", "B b  1 of 2"]);
        assert_eq!(figures(&state, "meeting now"), ["nobody "]);
        rules.step(&mut state, &[Move::E, Move::W]);
        assert_eq!(figures(&state, "who holds which units"), ["A ab  2 of 2", "B ab  2 of 2"]);
        assert_eq!(figures(&state, "meeting now"), ["A and B "]);
    }

    #[test]
    fn rings_and_bars_show_who_holds_what() {
        let text = "torus?width=5&height=5&players=2&masked=false";
        let rules = Entry::build(&crate::entry(), text).unwrap().0.rules().clone();
        let starts = [Cell { column: 1, row: 1 }, Cell { column: 3, row: 1 }];
        let mut state = scenario(rules.clone(), Some(starts.into())).start(&mut Rng::from_seed(1));
        let shown = |state: &State| {
            let scene = draw(&rules, state, None);
            let rings = scene.layers.iter().flat_map(|layer| &layer.marks).filter_map(|mark| {
                let Mark::Ring { seat, held, of: 2 } = mark else { return None };
                Some((*seat, held.clone()))
            });
            let rings: Vec<_> = rings.collect();
            let bars = scene.panels.iter().find_map(|panel| match &panel.body {
                PanelBody::Bars(bars) => Some(bars.iter().map(|bar| bar.value).collect::<Vec<_>>()),
                _ => None,
            });
            (rings, bars.unwrap())
        };
        assert_eq!(shown(&state), (vec![(0, vec![0]), (1, vec![1])], vec![1, 1]));
        rules.step(&mut state, &[Move::E, Move::W]);
        assert_eq!(shown(&state), (vec![(0, vec![0, 1]), (1, vec![0, 1])], vec![2, 2]));
    }

    #[test]
    fn an_overlay_shows_what_a_seat_sees_and_takes_for_news() {
        let text = "torus?width=5&height=5&players=2&masked=false";
        let rules = Entry::build(&crate::entry(), text).unwrap().0.rules().clone();
        let starts = [Cell { column: 1, row: 1 }, Cell { column: 3, row: 1 }];
        let mut state = scenario(rules.clone(), Some(starts.into())).start(&mut Rng::from_seed(1));
        rules.step(&mut state, &[Move::Stay, Move::SW]);
        let marks = sight(&rules, &state, Seat::new(0));
        let glyph_at = |column: i32, row: i32| {
            marks.iter().find_map(|mark| match mark {
                Mark::Cell { at, glyph, .. } if *at == Point::new(column, row) => Some(*glyph),
                _ => None,
            })
        };
        assert_eq!(glyph_at(1, 1), Some('@'));
        assert_eq!(glyph_at(2, 2), Some('B'));
        assert_eq!(glyph_at(0, 0), Some('.'));
        assert_eq!(glyph_at(3, 1), None, "out of sight");
        rules.step(&mut state, &[Move::Stay, Move::SE]);
        let trail = sight(&rules, &state, Seat::new(0));
        assert!(trail.iter().any(|mark| matches!(mark, Mark::Cell { glyph: '?', .. })));
    }

    #[test]
    fn the_legend_has_every_count_and_as_many_letters_as_the_course_has_players() {
        let legend = |players: usize, observer| {
            let text = format!("torus?width=12&height=12&players={players}");
            let (built, _) = Entry::build(&crate::entry(), &text).unwrap();
            let state = built.start(&mut Rng::from_seed(1));
            let scene = draw(built.rules(), &state, observer);
            let cell = |meaning: &quintain_core::ui::Meaning| match meaning.sign {
                Sign::Cell(_, glyph) => Some(glyph),
                _ => None,
            };
            scene.legend(&[]).filter_map(cell).collect::<String>()
        };
        assert_eq!(legend(2, None), "ab2A*");
        assert_eq!(legend(9, None), "abcdefghi23456789A*");
        assert_eq!(legend(12, None), "abcdefghi23456789++A*");
        assert_eq!(legend(9, Some(Seat::new(3))), "abcdefghi23456789@B");
        assert_eq!(legend(1, Some(Seat::new(0))), "a@");
    }
}
