//! How a position looks: trails tinted by unit, players, meetings; over them, when
//! asked for, each unit's trail alone, or what one seat sees and makes of it. Through a
//! seat's eye only its nine cells are shown, under its own ids.

use quintain_core::{Presentation, Rules, Seat};
use quintain_ui::{Keyboard, Mark, Paint, Point, Scene};

use crate::notation::{letter, trail_sign};
use crate::rules::Gather;
use crate::rules::observation::Look;
use crate::rules::state::State;
use crate::rules::torus::{Cell, Move};
use crate::rules::units::Units;

/// Units with an overlay of their own; of more nobody could tell the tints apart.
const TINTS: usize = 16;

/// How gather is shown and played by hand.
pub(crate) struct GatherPresentation;

impl Presentation<Gather> for GatherPresentation {
    fn scene(&self, rules: &Gather, state: &State, eye: Option<Seat>) -> Scene {
        draw(rules, state, eye)
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }
}

/// The drawing of a position, to the referee or to one seat.
fn draw(rules: &Gather, state: &State, eye: Option<Seat>) -> Scene {
    let mut scene =
        Scene::square(usize::from(state.torus().width), usize::from(state.torus().height));
    match eye {
        None => referee(rules, state, &mut scene),
        Some(seat) => one_seat(rules, state, seat, &mut scene),
    }
    scene
}

fn point(cell: Cell) -> Point {
    Point::new(cell.column.into(), cell.row.into())
}

/// How a trail is painted: one unit in its tint, several by their share of all.
fn tint(units: &Units, of: usize) -> Paint {
    let mut some = units.iter();
    match (some.next(), some.next()) {
        (None, _) => Paint::Floor,
        (Some(unit), None) => Paint::Claim(unit as u16),
        _ => Paint::Heat((units.len() * 255 / of.max(1)) as u8),
    }
}

fn referee(rules: &Gather, state: &State, scene: &mut Scene) {
    let torus = state.torus();
    let at = |cell: usize| point(torus.cell(cell));
    let trails = (0..torus.area()).map(|cell| {
        let units = Units::from_words(state.trail_words(cell));
        let paint = tint(&units, state.seats());
        Mark::Cell { at: at(cell), paint, glyph: trail_sign(units.iter()) }
    });
    scene.layer("trails", trails.collect());

    let players = Seat::all(state.seats()).map(|seat| Mark::Cell {
        at: point(state.cell_of(seat)),
        paint: Paint::Head(seat.index() as u16),
        glyph: letter(seat.index()).to_ascii_uppercase(),
    });
    scene.layer("players", players.collect());

    let met = Seat::all(state.seats()).map(|seat| torus.index(state.cell_of(seat)));
    let met = met.filter(|cell| state.players_on(*cell).nth(1).is_some());
    let meetings = met.map(|cell| Mark::Cell { at: at(cell), paint: Paint::Accent, glyph: '*' });
    scene.layer("meetings", meetings.collect());

    for unit in 0..state.seats().min(TINTS) {
        let carried = (0..torus.area()).filter(|cell| state.trail(*cell).any(|u| u == unit));
        let marks = carried.map(|cell| Mark::Cell {
            at: at(cell),
            paint: Paint::Claim(unit as u16),
            glyph: letter(unit),
        });
        scene.overlay(&format!("unit {}", letter(unit)), marks.collect());
    }

    for seat in Seat::all(state.seats().min(TINTS)) {
        let name = format!("seat {}", letter(seat.index()).to_ascii_uppercase());
        scene.overlay(&name, sight(rules, state, seat));
    }

    let most = Seat::all(state.seats()).map(|seat| state.holdings(seat).count()).max().unwrap_or(0);
    scene.caption = format!("round {}, {most} of {} units gathered", state.round(), state.seats());
}

/// The nine cells of a seat under its own ids: who is there, and what it takes a cell
/// for, one that is sure to bring news, the trail of a unit it lacks, or nothing new.
fn sight(rules: &Gather, state: &State, seat: Seat) -> Vec<Mark> {
    let seen = rules.observe(state, seat);
    let own = state.cell_of(seat);
    let mark = |(to, look): (Move, &Look)| {
        let other = look.players.iter().next();
        let (paint, sign) = if !look.players.is_within(&seen.holds) {
            (Paint::Good, '!')
        } else if !look.trail.is_within(&seen.holds) {
            (Paint::Accent, '?')
        } else {
            (Paint::Floor, trail_sign(look.trail.iter()))
        };
        let glyph = match other {
            _ if to == Move::Stay => '@',
            Some(id) => letter(id).to_ascii_uppercase(),
            None => sign,
        };
        Mark::Cell { at: point(state.torus().after(own, to)), paint, glyph }
    };
    Move::ALL.into_iter().zip(&seen.around).map(mark).collect()
}

fn one_seat(rules: &Gather, state: &State, seat: Seat, scene: &mut Scene) {
    let seen = rules.observe(state, seat);
    let own = state.cell_of(seat);
    let cell = |to: Move| point(state.torus().after(own, to));
    let looks = || Move::ALL.into_iter().zip(&seen.around);

    let trails = looks().map(|(to, look)| Mark::Cell {
        at: cell(to),
        paint: tint(&look.trail, state.seats()),
        glyph: trail_sign(look.trail.iter()),
    });
    scene.layer("trails", trails.collect());

    let others = looks().flat_map(|(to, look)| {
        look.players.iter().map(move |id| Mark::Cell {
            at: cell(to),
            paint: Paint::Head(id as u16),
            glyph: letter(id).to_ascii_uppercase(),
        })
    });
    let me = Mark::Cell { at: cell(Move::Stay), paint: Paint::Head(seen.me), glyph: '@' };
    scene.layer("players", others.chain([me]).collect());

    // A cell's trail holds at least the own units of those on it; what of it the seat
    // lacks is what a meeting there is sure to bring.
    let news = looks().filter(|(_, look)| !look.players.is_within(&seen.holds));
    let news = news.map(|(to, _)| Mark::Cell { at: cell(to), paint: Paint::Good, glyph: '!' });
    scene.overlay("new to it", news.collect());
    let paths = looks().filter(|(_, look)| !look.trail.is_within(&seen.holds));
    let paths = paths.map(|(to, _)| Mark::Cell { at: cell(to), paint: Paint::Accent, glyph: '?' });
    scene.overlay("trails of units it lacks", paths.collect());

    scene.caption =
        format!("round {}, seat {seat} holds {} of {}", seen.round, seen.holds.len(), seen.players);
}

#[cfg(test)]
mod tests {
    use quintain_core::{Entry, Rng};

    use super::*;
    use crate::environment::scenario;

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
}
