//! How a position looks.

use quintain_core::scene::Scene;

use crate::rules::State;

/// The drawing of a position.
pub(crate) fn draw(state: &State) -> Scene {
    let side = state.land().side();
    Scene::square(side, side)
}
