//! Foreign protocols, by which programs written for other referees can play polymer.

pub(crate) mod polymer_file;
