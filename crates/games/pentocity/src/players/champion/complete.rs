//! A placement with all that comes along: the road it needs, and a pond and a field
//! where they pay. Each is laid for a trial, so that the next is weighed with it.

use quintain_grid::Cell;

use super::patches;
use super::rank::Ranked;
use super::view::{Kind, SCALE, View};
use super::weights::Weights;
use crate::forms::Form;
use crate::land::{Cells, Land};
use crate::paths::Prefer;
use crate::placements::shortest_road;
use crate::rules::{BONUS, Build, Ruleset};

/// What does not change within one decision.
pub(super) struct Terms {
    scoring: Ruleset,
    /// What a bonus counts.
    bonus: i32,
    /// What a cell of road, and of a pond or field, costs.
    road: i32,
    pond: i32,
    by_pond: Cells,
    by_field: Cells,
    road_ends: Cells,
    /// What an empty cell cut off counts, and one that comes near to a road.
    lost: f32,
    reach: f32,
    open: i32,
    near: i32,
    /// What the logarithm of the places left for what is asked for counts.
    room: f32,
    /// Forms that have few places left: in each position, how often they are asked for,
    /// and the logarithm of their places.
    tight: Vec<(Form, f32, f32)>,
}

/// Places below which a form's room is tight.
const TIGHT: u32 = 150;
/// The part of the land that is taken before room is looked at.
const FILLING: f32 = 0.4;

/// How many places a form has, in all of its positions.
fn places(land: &Land, form: Form) -> u32 {
    (0..form.rotations()).map(|turns| land.room_for(form.rotated(turns)).count()).sum()
}

fn logarithm(places: u32) -> f32 {
    (1.0 + places as f32).ln()
}

impl Terms {
    pub(super) fn new(
        land: &Land,
        scoring: Ruleset,
        weights: &Weights,
        is_factory: bool,
        seen: &[u16; Form::COUNT],
    ) -> Terms {
        let side = land.side() as f32;
        let full = 1.0 - land.empty().count() as f32 / (side * side);
        let scaled = |value: f32| (value * SCALE).round() as i32;
        let cell = |kind: usize| scaled(weights.on(kind, 0) + weights.on(kind, 1) * full);
        let bonus = weights.rest(if is_factory { "factory-bonus" } else { "residence-bonus" });
        let earns = scoring == Ruleset::Simulator || !is_factory;
        let room = weights.rest("room") * SCALE;
        let mut tight = Vec::new();
        if room != 0.0 && full > FILLING {
            let requests: f32 = seen.iter().map(|count| f32::from(*count)).sum();
            for form in Form::all() {
                // Once for all positions of a form.
                let turns: Vec<Form> = (0..form.rotations()).map(|n| form.rotated(n)).collect();
                if turns.iter().min() != Some(&form) {
                    continue;
                }
                let asked: u16 = turns.iter().map(|turn| seen[turn.index()]).sum();
                if asked > 0 {
                    let left = places(land, form);
                    if left < TIGHT {
                        tight.push((form, f32::from(asked) / requests, logarithm(left)));
                    }
                }
            }
        }
        Terms {
            room,
            tight,
            scoring,
            bonus: if earns { scaled(bonus * BONUS as f32) } else { 0 },
            road: cell(2),
            pond: cell(3),
            by_pond: land.ponds().neighbours() & *land.empty(),
            by_field: land.fields().neighbours() & *land.empty(),
            road_ends: land.road_ends(),
            lost: weights.rest("lost") * SCALE,
            reach: weights.rest("reach") * SCALE,
            open: land.open().count() as i32,
            near: near(land, scoring).count() as i32,
        }
    }

    /// What the move does to the ways: empty cells that no road comes to any more, and
    /// those near to a road.
    fn access(&self, land: &Land, form: Form, build: &Build) -> i32 {
        let mut after = *land;
        after.build(form, build.at);
        build.road.iter().for_each(|&cell| after.lay_road(cell));
        after.lay_water(&build.water);
        after.lay_park(&build.park);
        let laid = form.size() as usize + build.road.len() + build.water.len() + build.park.len();
        let lost = self.open - laid as i32 - after.open().count() as i32;
        let near = near(&after, self.scoring).count() as i32 - self.near;
        let mut worth = self.lost * lost as f32 + self.reach * near as f32;
        for &(form, share, before) in &self.tight {
            worth += self.room * share * (logarithm(places(&after, form)) - before);
        }
        worth.round() as i32
    }
}

/// The empty cells within three steps of a road.
fn near(land: &Land, scoring: Ruleset) -> Cells {
    let rings = land.rings(scoring.rings_without_road());
    let mut near = (rings | land.roads().neighbours()) & *land.empty();
    for _ in 1..3 {
        near = near | (near.neighbours() & *land.empty());
    }
    near
}

/// The building with the best of what could come along, and what that is worth; nothing
/// if no road can be laid.
pub(super) fn complete(view: &mut View, terms: &Terms, ranked: &Ranked) -> Option<(i32, Build)> {
    let placement = ranked.placement;
    let (form, at) = (placement.form, placement.at);
    let own = Land::cells_of(form, at);
    let cells: Vec<Cell> = own.cells().collect();
    let kind = if form.is_factory() { Kind::Factory } else { Kind::Residence };
    let land = *view.land();
    let mut worth = ranked.worth;
    let mut build =
        Build { rotation: placement.rotation, at, road: vec![], water: vec![], park: vec![] };
    view.lay(kind, &cells);
    let mut served = (own.neighbours() - own) & *land.empty();
    let mut can_build = true;
    if !ranked.has_road {
        let found =
            patches::best(view, Kind::Road, at, &served, &terms.road_ends, false, terms.road);
        let road = found.or_else(|| {
            let (none, prefer) = (Cells::EMPTY, Prefer::Least);
            let road = shortest_road(&land, terms.scoring, form, at, &none, prefer)?;
            Some((patches::worth(view, Kind::Road, &road, terms.road), road))
        });
        match road {
            Some((cost, road)) => {
                worth += cost;
                view.lay(Kind::Road, &road);
                road.iter().for_each(|&cell| served.remove(cell));
                build.road = road;
            }
            None => can_build = false,
        }
    }
    if can_build && terms.bonus > 0 {
        worth += terms.bonus * (i32::from(ranked.has_pond) + i32::from(ranked.has_field));
        let mut missing: Vec<Kind> = Vec::with_capacity(2);
        if !ranked.has_pond {
            missing.push(Kind::Water);
        }
        if !ranked.has_field {
            missing.push(Kind::Park);
        }
        // The better one first; the other is then weighed again.
        while !missing.is_empty() {
            let find = |&kind: &Kind| {
                let joined = if kind == Kind::Water { &terms.by_pond } else { &terms.by_field };
                let found = patches::best(view, kind, at, &served, joined, true, terms.pond)?;
                (found.0 + terms.bonus > 0).then_some((kind, found))
            };
            let found: Vec<_> = missing.iter().filter_map(find).collect();
            let Some((kind, (cost, patch))) = found.into_iter().max_by_key(|found| found.1.0)
            else {
                break;
            };
            worth += cost + terms.bonus;
            view.lay(kind, &patch);
            patch.iter().for_each(|&cell| served.remove(cell));
            if kind == Kind::Water {
                build.water = patch
            } else {
                build.park = patch
            }
            missing.retain(|other| *other != kind);
        }
    }
    view.clear(&cells);
    if can_build {
        worth += terms.access(&land, form, &build);
    }
    view.clear(&build.road);
    view.clear(&build.water);
    view.clear(&build.park);
    can_build.then_some((worth, build))
}
