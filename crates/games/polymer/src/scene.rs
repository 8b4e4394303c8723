//! The drawing of a position: charges, the walk, and contacts that gain or lose. Overlays can be
//! switched on: the order of the monomers, and the visits and votes for the last step if its player
//! noted them.

mod course;
mod window;

use quintain_core::ui::{Keyboard, Mark, Paint, PanelBody, Scene, Sign, Span};
use quintain_core::{Note, Presentation, Seat};

use crate::notation::glyph;
use crate::rules::instance::{Instance, Interaction};
use crate::rules::step::Step;
use crate::rules::{Polymer, State};
use window::Window;

/// Notes named `visits R` and so on: how often each step was tried.
pub(crate) const VISITS: &str = "visits";
/// Notes named `votes R` and so on: how many trees voted for each step.
pub(crate) const VOTES: &str = "votes";

/// The presentation of polymer: its drawing, and its keyboard.
pub(crate) struct PolymerPresentation;

impl Presentation<Polymer> for PolymerPresentation {
    fn scene(&self, rules: &Polymer, state: &State, _eye: Option<Seat>) -> Scene {
        draw(rules.instance(), state)
    }

    fn annotate(
        &self,
        rules: &Polymer,
        state: &State,
        notes: &[Note],
        _observer: Option<Seat>,
        scene: &mut Scene,
    ) {
        annotate(rules.instance(), state, notes, scene);
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }

    fn tell(&self, rules: &Polymer, after: &State, _: Seat, action: &Step) -> Option<String> {
        course::tell(rules, after, *action)
    }

    fn figure_titles(&self) -> &'static [(&'static str, &'static str)] {
        course::FIGURES
    }

    fn decision(
        &self,
        rules: &Polymer,
        positions: &mut dyn Iterator<Item = State>,
    ) -> Option<String> {
        course::describe(rules, positions)
    }
}

/// The drawing of a position.
fn draw(instance: &Instance, state: &State) -> Scene {
    let window = Window::of(instance, state);
    let (width, height) = window.size();
    let mut scene = Scene::square(width, height);
    draw_board(instance, state, &window, &mut scene);
    let contacts = contacts(instance, state);
    draw_chain(instance, state, &window, &contacts, &mut scene);
    if instance.torus().depth() > 1 {
        scene
            .overlay("between layers", between_layers(instance, state, &window))
            .means(Sign::Line(Paint::Seat(0)), "chain or contact from one layer to another");
        scene.slices = Some(window.slices());
    }
    add_overlays(instance, state, &window, &mut scene);
    add_panels(instance, state, &contacts, &mut scene);
    scene
}

/// Draws the cells with the monomers that lie on them, and says what their signs mean.
fn draw_board(instance: &Instance, state: &State, window: &Window, scene: &mut Scene) {
    let torus = instance.torus();
    let board = (0..torus.cells()).filter_map(|cell| {
        let (paint, glyph) = match state.monomer(cell) {
            None => (Paint::Floor, ' '),
            Some(index) => {
                let paint = match instance.monomers()[index] {
                    0 => Paint::Thing(0),
                    1 => Paint::Thing(1),
                    _ => Paint::Thing(2),
                };
                (paint, glyph(instance, index))
            }
        };
        Some(Mark::Cell { at: window.point(cell)?, paint, glyph })
    });
    let layer = scene.layer("board", board.collect());
    let kinds: &[(u8, char, &str)] = match instance.interaction() {
        Interaction::Charge => {
            &[(0, 'o', "no charge"), (1, '+', "positive charge"), (2, '-', "negative charge")]
        }
        Interaction::Hp => &[(0, 'p', "polar"), (1, 'H', "hydrophobic")],
    };
    for (kind, sign, text) in kinds {
        layer.means(Sign::Cell(Paint::Thing(*kind), *sign), *text);
    }
    let (width, height) = window.size();
    if torus.depth() > 1 {
        layer.means(Sign::Unseen, "layers side by side, the next to the right");
    } else if width > torus.width() || height > torus.height() {
        layer.means(Sign::Unseen, "beyond the edge: the other side again");
    }
}

/// Two monomers side by side that are no neighbours in the chain and gain or lose by it.
struct Contact {
    /// Their cells.
    pair: (usize, usize),
    is_good: bool,
}

/// The contacts of the monomers laid.
fn contacts(instance: &Instance, state: &State) -> Vec<Contact> {
    let mut contacts = Vec::new();
    for (index, cell) in state.walk().iter().enumerate() {
        let cell = usize::from(*cell);
        for &next in instance.torus().around(cell) {
            let next = usize::from(next);
            let Some(other) = state.monomer(next) else { continue };
            let both = instance.monomers()[index] * instance.monomers()[other];
            if other > index + 1 && both != 0 {
                let is_good = i32::from(both) * instance.sign() > 0;
                contacts.push(Contact { pair: (cell, next), is_good });
            }
        }
    }
    contacts
}

/// Draws the bonds of the chain, the contacts, and the head.
fn draw_chain(
    instance: &Instance,
    state: &State,
    window: &Window,
    contacts: &[Contact],
    scene: &mut Scene,
) {
    let walk = state.walk();
    let ways = |from: usize| instance.torus().next(from);
    let ties = |(from, to): (usize, usize), paint: Paint| {
        let lines = window.ties(ways(from), from, to);
        lines.into_iter().map(move |(from, to)| Mark::Line { from, to, paint })
    };
    // A line that goes around the torus ends at a copy outside the frame, on either side.
    let copies_of = |(from, to): (usize, usize)| {
        let copies = match window.ties(ways(from), from, to)[..] {
            [first, second] => vec![(first.1, to), (second.1, from)],
            _ => Vec::new(),
        };
        copies.into_iter().map(|(at, cell)| {
            let glyph = state.monomer(cell).map_or(' ', |index| glyph(instance, index));
            Mark::Cell { at, paint: Paint::Floor, glyph }
        })
    };
    let bonds = walk.windows(2).map(|bond| (usize::from(bond[0]), usize::from(bond[1])));
    let pairs = bonds.clone().chain(contacts.iter().map(|contact| contact.pair));
    scene.layer("copies", pairs.flat_map(copies_of).collect());
    let bonds = bonds.flat_map(|bond| ties(bond, Paint::Seat(0)));
    scene.layer("walk", bonds.collect()).means(Sign::Line(Paint::Seat(0)), "chain");
    let contacts = contacts.iter().flat_map(|contact| {
        ties(contact.pair, if contact.is_good { Paint::Good } else { Paint::Bad })
    });
    scene
        .layer("contacts", contacts.collect())
        .means(Sign::Line(Paint::Good), "contact for the better")
        .means(Sign::Line(Paint::Bad), "contact for the worse");
    let head = window.point(state.head()).map(|at| Mark::Cell {
        at,
        paint: Paint::Accent,
        glyph: glyph(instance, walk.len() - 1),
    });
    scene
        .layer("head", head.into_iter().collect())
        .means(Sign::Cell(Paint::Accent, '+'), "head of the chain");
}

/// Adds the order of the monomers, and what [`annotate`] fills from a player's notes.
fn add_overlays(instance: &Instance, state: &State, window: &Window, scene: &mut Scene) {
    let order = state.walk().iter().enumerate().filter_map(|(index, cell)| {
        let heat = (255 * index / instance.len().max(2)) as u8;
        let at = window.point(usize::from(*cell))?;
        Some(Mark::Cell { at, paint: Paint::Heat(heat), glyph: glyph(instance, index) })
    });
    scene
        .overlay("order", order.collect())
        .means(Sign::Cell(Paint::Heat(0), ' '), "laid first")
        .means(Sign::Cell(Paint::Heat(255), ' '), "laid last");
    scene
        .overlay(VISITS, Vec::new())
        .means(Sign::Cell(Paint::Heat(200), '7'), "tenths of the visits of the last decision");
    scene
        .overlay(VOTES, Vec::new())
        .means(Sign::Cell(Paint::Heat(200), '7'), "trees that voted for this step");
}

/// Adds what comes next, what each step earns, and what the contacts gain and lose.
fn add_panels(instance: &Instance, state: &State, contacts: &[Contact], scene: &mut Scene) {
    let earned = earned(instance, state);
    scene.panel("next", PanelBody::Text(to_come(instance, state)));
    let figures = earned.iter().map(|(step, gain)| (word(*step).to_owned(), format!("{gain:+}")));
    scene.panel("a step earns", PanelBody::Figures(figures.collect()));
    let better = contacts.iter().filter(|contact| contact.is_good).count();
    let mut figures = vec![("for the better".to_owned(), better.to_string())];
    if instance.interaction() == Interaction::Charge {
        let worse = contacts.len() - better;
        figures.push(("for the worse".to_owned(), worse.to_string()));
        // They count for the score, whatever the fold is.
        let bonds = instance.sign() * course::bonds(instance, state.walk().len());
        figures.push(("neighbours in the chain".to_owned(), format!("{bonds:+}")));
    }
    scene.panel("contacts", PanelBody::Figures(figures));
    scene.caption = caption(instance, state, earned.is_empty());
}

/// The bonds and contacts between monomers of different layers.
fn between_layers(instance: &Instance, state: &State, window: &Window) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (index, cell) in state.walk().iter().enumerate() {
        let cell = usize::from(*cell);
        for &next in instance.torus().around(cell) {
            let Some(other) = state.monomer(usize::from(next)) else { continue };
            let both = instance.monomers()[index] * instance.monomers()[other];
            let paint = match i32::from(both) * instance.sign() {
                _ if other == index + 1 => Paint::Seat(0),
                _ if other < index + 1 => continue,
                0 => continue,
                1.. => Paint::Good,
                _ => Paint::Bad,
            };
            let ends = window.point(cell).zip(window.point(usize::from(next)));
            if let Some((from, to)) = ends.filter(|(from, to)| window.is_apart(*from, *to)) {
                marks.push(Mark::Line { from, to, paint });
            }
        }
    }
    marks
}

/// The number of monomers after the next one that are shown.
const AHEAD: usize = 16;

fn word(step: Step) -> &'static str {
    match step {
        Step::Right => "right",
        Step::Down => "down",
        Step::Left => "left",
        Step::Up => "up",
        Step::Forward => "forward",
        Step::Back => "back",
    }
}

/// The next monomer, highlighted, and some after it.
fn to_come(instance: &Instance, state: &State) -> Vec<Span> {
    let laid = state.walk().len();
    if laid == instance.len() {
        return vec![Span { text: "nothing".to_owned(), lit: false }];
    }
    let end = instance.len().min(laid + 1 + AHEAD);
    let dots = if end < instance.len() { "…" } else { "" };
    let then: String = (laid + 1..end).map(|index| glyph(instance, index)).collect();
    let spans = [(glyph(instance, laid).to_string(), true), (format!(" {then}{dots}"), false)];
    spans.into_iter().map(|(text, lit)| Span { text, lit }).collect()
}

/// The number of monomers laid and their worth.
fn caption(instance: &Instance, state: &State, is_stuck: bool) -> String {
    let laid = state.walk().len();
    let worth = course::worth(instance, state);
    let end = if is_stuck && laid < instance.len() { "; dead end" } else { "" };
    format!("{laid} of {} monomers, {worth}{end}", instance.len())
}

/// The gain of each step to a free cell.
fn earned(instance: &Instance, state: &State) -> Vec<(Step, i32)> {
    let (monomers, laid) = (instance.monomers(), state.walk().len());
    let Some(charge) = monomers.get(laid) else { return Vec::new() };
    let next = instance.torus().next(state.head());
    let earned = Step::ALL.into_iter().zip(next).filter_map(|(step, &cell)| {
        if !state.is_free(cell) {
            return None;
        }
        let around = instance.torus().around(usize::from(cell));
        // The entry that is no cell is always free.
        let touched = around.iter().filter_map(|next| state.monomer(usize::from(*next)));
        let field: i32 = touched.map(|other| i32::from(monomers[other])).sum();
        let gain = instance.sign() * i32::from(*charge) * field;
        let own = match instance.interaction() {
            Interaction::Charge => gain,
            Interaction::Hp => {
                course::bonds(instance, laid + 1) - course::bonds(instance, laid) - gain
            }
        };
        Some((step, own))
    });
    earned.collect()
}

/// Draws the visits and votes of the last decision on the cells that were on offer beside the
/// previous head. A cell shows its tenths of all visits, or the number of trees that voted for it.
fn annotate(instance: &Instance, state: &State, noted: &[Note], scene: &mut Scene) {
    let [.., before, _] = state.walk() else { return };
    let window = Window::of(instance, state);
    let ways = instance.torus().next(usize::from(*before));
    for name in [VISITS, VOTES] {
        let mut steps = Vec::new();
        for note in noted {
            let step =
                note.name.strip_prefix(name).map(str::trim).and_then(|s| s.parse::<Step>().ok());
            // Programs can note anything.
            let cell = step.and_then(|step| ways.get(step as usize));
            if let Some(cell) = cell.filter(|_| note.value >= 0.0) {
                steps.push((usize::from(*cell), note.value));
            }
        }
        let all: f64 = steps.iter().map(|(_, value)| value).sum();
        let marks = steps.into_iter().filter_map(|(cell, value)| {
            let share = if all > 0.0 { value / all } else { 0.0 };
            let figure = if name == VISITS { (10.0 * share).floor() } else { value };
            let glyph = char::from(b'0' + figure.min(9.0) as u8);
            let at = window.point(cell)?;
            Some(Mark::Cell { at, paint: Paint::Heat((255.0 * share) as u8), glyph })
        });
        if let Some(layer) = scene.layers.iter_mut().find(|layer| layer.name == name) {
            layer.marks = marks.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contacts_of_a_chain_in_space_are_its_energy() {
        let catalog = quintain_core::Catalog::new().with(crate::entry());
        let game = catalog.game("polymer", "hp3d?sequence=HHHHHHHHHHHH&side=6").unwrap();
        let mut state = game.begin(1);
        for action in ["F", "R", "B", "U", "F", "L", "B"] {
            state.play(&[action]).unwrap();
            let scene = state.scene(None);
            let panel = scene.panels.iter().find(|panel| panel.title == "contacts").unwrap();
            let PanelBody::Figures(figures) = &panel.body else { panic!("figures") };
            let [(_, better)] = figures.as_slice() else { panic!("{figures:?}") };
            let energy = format!("energy -{better}").replace("-0", "0");
            assert!(scene.caption.contains(&energy), "{}: {figures:?}", scene.caption);
        }
    }

    #[test]
    fn what_contacts_and_neighbours_earn_adds_up_to_the_worth() {
        let (built, _) = crate::roster::roster().build("L08_s01?seed=3").unwrap();
        let rules = built.rules();
        let mut state = built.start(&mut quintain_core::Rng::from_seed(0));
        let mut seen = std::collections::BTreeSet::new();
        for turn in 0.. {
            if state.walk().len() == rules.instance().len() {
                break;
            }
            let mut steps = Vec::new();
            quintain_core::Rules::actions(rules, &state, Seat::new(0), &mut steps);
            let Some(step) = steps.get(turn % steps.len().max(1)) else { break };
            quintain_core::Rules::step(rules, &mut state, &[*step]);
            let scene = draw(rules.instance(), &state);
            let panel = scene.panels.iter().find(|panel| panel.title == "contacts").unwrap();
            let PanelBody::Figures(figures) = &panel.body else { panic!("figures") };
            let [better, worse, bonds] =
                [0, 1, 2].map(|row| figures[row].1.parse::<i32>().unwrap());
            assert_eq!(better - worse + bonds, rules.instance().worth(state.walk()), "{figures:?}");
            seen.extend([better, -worse, bonds]);
        }
        assert!(seen.len() > 2, "{seen:?}");
    }

    #[test]
    fn the_slices_of_a_chain_in_space_put_together_give_bonds_of_length_one() {
        let catalog = quintain_core::Catalog::new().with(crate::entry());
        let game = catalog.game("polymer", "hp3d?sequence=HHPPHPPHPHPP&side=6").unwrap();
        let mut state = game.begin(1);
        // Forward, as far as it goes, and back beside it.
        for action in ["F", "F", "R", "B", "B", "D", "F"] {
            state.play(&[action]).unwrap();
        }
        let scene = state.scene(None);
        let slices = scene.slices.expect("a chain in space has slices");
        let place = |at: &quintain_core::ui::Point| {
            let column = at.column - slices.first.column;
            let (wide, row) = (slices.columns + 1, at.row - slices.first.row);
            [column % wide, row, column / wide]
        };
        let mut lengths = Vec::new();
        for layer in ["walk", "between layers"] {
            let layer = scene.layers.iter().find(|own| own.name == layer).unwrap();
            for mark in &layer.marks {
                let Mark::Line { from, to, paint: Paint::Seat(0) } = mark else { continue };
                let steps = place(from).into_iter().zip(place(to)).map(|(a, b)| (a - b).abs());
                lengths.push(steps.sum::<i32>());
            }
        }
        assert_eq!(lengths, [1; 7], "seven bonds");
    }
}
