//! Places judged together with the road, pond and field that would be laid with them: an attempt of
//! the report that did not pay off.

use quintain_core::Rng;

use super::parameters::{Joint, Report};
use super::{placement, roads};
use crate::rules::board::{Board, Cells};
use crate::rules::pieces::Piece;
use crate::rules::state::{Build, Ruleset};

/// The best building together with what is judged with it: first by the most edges taken around
/// everything that is laid, then by the fewest vacant components, then by the ties.
pub(super) fn best(
    report: &Report,
    board: &Board,
    request: Piece,
    reading: Ruleset,
    rng: &mut Rng,
) -> Option<Build> {
    let places = placement::rank(report, board, request, reading, report.candidates);
    let mut best: Option<((i32, i32), Build)> = None;
    for place in places {
        let Some(road) = roads::find_road(report.roads, board, reading, place.piece, place.at)
        else {
            continue;
        };
        let building = Board::cells_of(place.piece, place.at);
        let with_road = |road: &[quintain_grid::Cell]| {
            road.iter().fold(building, |mut cells, &cell| {
                cells.insert(cell);
                cells
            })
        };
        let (cells, build) = match report.joint {
            Joint::All => {
                let build = report.complete(board, place, road, rng);
                let mut cells = with_road(&build.road);
                build.water.iter().chain(&build.park).for_each(|&cell| cells.insert(cell));
                (cells, Some(build))
            }
            Joint::Roads | Joint::No => (with_road(&road), None),
        };
        let worth = (-contact(board, &cells), placement::components(board, &cells));
        // Places come in the order of their ties, so only a better one replaces the best.
        if best.as_ref().is_none_or(|(least, _)| worth < *least) {
            let build = match build {
                Some(build) => build,
                None => {
                    let road =
                        roads::find_road(report.roads, board, reading, place.piece, place.at)?;
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
    let piece = request.rotated(build.rotation);
    let place =
        crate::rules::placements::Placement { rotation: build.rotation, piece, at: build.at };
    Some(report.complete(board, place, build.road, rng))
}

/// How many edges of the cells border on taken cells or on the border of the board.
fn contact(board: &Board, cells: &Cells) -> i32 {
    let free = *board.empty() - *cells;
    let shifted = [cells.north(), cells.south(), cells.east(), cells.west()];
    let open: u32 = shifted.iter().map(|moved| (*moved & free).count()).sum();
    let within: u32 = shifted.iter().map(|moved| (*moved & *cells).count()).sum();
    (4 * cells.count() - within - open) as i32
}
