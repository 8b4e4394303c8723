//! Foreign protocols by which programs written for other referees play hextris.

pub(crate) mod icfp2015;
