//! Foreign protocols by which programs written for other referees play polymer.

pub(crate) mod polymer_file;
