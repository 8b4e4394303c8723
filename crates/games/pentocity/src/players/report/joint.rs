//! Places judged together with the road, pond and field that they would bring: the
//! report's attempt that did not pay.

use quintain_core::Rng;

use super::{Joint, Report, placement, roads};
use crate::forms::Form;
use crate::land::{Cells, Land};
use crate::rules::{Build, Ruleset};

/// The best building with all that is judged with it: the most edges taken around
/// everything that is laid, then the fewest vacant components, then the ties.
pub(super) fn best(
    report: &Report,
    land: &Land,
    request: Form,
    reading: Ruleset,
    rng: &mut Rng,
) -> Option<Build> {
    let places = placement::ranked(report, land, request, reading, report.candidates);
    let mut best: Option<((i32, i32), Build)> = None;
    for place in places {
        let Some(road) = roads::road(report.roads, land, reading, place.form, place.at) else {
            continue;
        };
        let building = Land::cells_of(place.form, place.at);
        let with_road = |road: &[quintain_grid::Cell]| {
            road.iter().fold(building, |mut cells, &cell| {
                cells.insert(cell);
                cells
            })
        };
        let (cells, build) = match report.joint {
            Joint::All => {
                let build = report.complete(land, place, road, rng);
                let mut cells = with_road(&build.road);
                build.water.iter().chain(&build.park).for_each(|&cell| cells.insert(cell));
                (cells, Some(build))
            }
            Joint::Roads | Joint::No => (with_road(&road), None),
        };
        let worth = (-contact(land, &cells), placement::components(land, &cells));
        // Places come in the order of their ties: only what is better replaces.
        if best.as_ref().is_none_or(|(least, _)| worth < *least) {
            let build = match build {
                Some(build) => build,
                None => {
                    let road = roads::road(report.roads, land, reading, place.form, place.at)?;
                    Build {
                        rotation: place.rotation,
                        at: place.at,
                        road,
                        water: vec![],
                        park: vec![],
                    }
                }
            };
            best = Some((worth, build));
        }
    }
    let (_, build) = best?;
    if report.joint == Joint::All {
        return Some(build);
    }
    let form = request.rotated(build.rotation);
    let place = crate::placements::Placement { rotation: build.rotation, form, at: build.at };
    Some(report.complete(land, place, build.road, rng))
}

/// How many edges of cells lie on what is taken or the border.
fn contact(land: &Land, cells: &Cells) -> i32 {
    let free = *land.empty() - *cells;
    let shifted = [cells.north(), cells.south(), cells.east(), cells.west()];
    let open: u32 = shifted.iter().map(|moved| (*moved & free).count()).sum();
    let within: u32 = shifted.iter().map(|moved| (*moved & *cells).count()).sum();
    (4 * cells.count() - within - open) as i32
}
