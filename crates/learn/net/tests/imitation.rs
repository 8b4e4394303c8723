//! Positions of recorded matches: one for each decision of the imitated player, with the action it
//! played and the outcome; records that do not go together are reported in one line.

use std::fs;
use std::path::Path;

use quintain_core::{Catalog, Record, Setup};
use quintain_net::imitation::PositionWriter;

fn catalog() -> Catalog {
    Catalog::new().with(quintain_net::add_to(quintain_tron::entry()))
}

fn record(scenario: &str, seed: u64) -> Record {
    let catalog = catalog();
    let game = catalog.game("tron", scenario).expect("a scenario");
    let players = ["space", "wall-hugger"].map(|name| catalog.player("tron", name).unwrap());
    let seats: Vec<_> = players.iter().collect();
    game.play(&Setup::new(seed), &seats, None).expect("it plays")
}

/// Writes the decisions of a player in these records; returns the result, or why there is none.
fn write(records: &[Record], player: Option<&str>, folder: &Path) -> Result<[u64; 3], String> {
    let catalog = catalog();
    let mut writer = PositionWriter::new(&catalog, folder, player, None).map_err(to_text)?;
    for record in records {
        writer.add(record).map_err(to_text)?;
    }
    let done = writer.finish().map_err(to_text)?;
    Ok([done.matches, done.positions, done.without])
}

fn to_text(error: impl ToString) -> String {
    error.to_string()
}

/// The policy, the value and the seat of each position.
fn read(folder: &Path, cells: usize) -> Vec<([f32; 4], f32, u16)> {
    let bytes = fs::read(folder.join("positions-000000.npy")).expect("a shard");
    let header = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize + 12;
    // Match, turn and seat; the board; a feature; legal actions and policy; both values and the
    // estimate.
    let (seat, policy) = (12, 14 + cells + 4 + 4);
    let float = |at: &[u8]| f32::from_le_bytes(at[..4].try_into().unwrap());
    bytes[header..]
        .chunks_exact(policy + 16 + 12)
        .map(|position| {
            let shares = std::array::from_fn(|n| float(&position[policy + 4 * n..]));
            let seat = u16::from_le_bytes([position[seat], position[seat + 1]]);
            (shares, float(&position[policy + 20..]), seat)
        })
        .collect()
}

#[test]
fn every_decision_of_the_imitated_player_becomes_a_position() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = record("empty?width=7&height=6", 3);
    let turns = record.outcome.metrics["turns"] as u64;
    let done = write(std::slice::from_ref(&record), Some("wall-hugger"), folder.path());
    assert_eq!(done, Ok([1, turns, 0]));
    let about = fs::read_to_string(folder.path().join("self-play.json")).expect("a description");
    let about: serde_json::Value = serde_json::from_str(&about).expect("JSON");
    let cells = about["board"][0].as_u64().unwrap() * about["board"][1].as_u64().unwrap();
    let positions = read(folder.path(), cells as usize);
    let played: Vec<&str> = record.actions.split(' ').skip(1).step_by(2).collect();
    let value = (record.outcome.scores[1] - record.outcome.scores[0]) as f32;
    assert!(value != 0.0, "a match with a winner says more");
    assert_eq!(positions.len(), played.len());
    for ((policy, ended, seat), action) in positions.iter().zip(played) {
        let number = ["U", "R", "D", "L"].iter().position(|name| *name == action).unwrap();
        let wanted: [f32; 4] = std::array::from_fn(|n| f32::from(u8::from(n == number)));
        assert_eq!((*policy, *ended, *seat), (wanted, value, 1));
    }
}

#[test]
fn without_a_player_all_seats_are_imitated() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = record("empty?width=7&height=6", 3);
    let turns = record.outcome.metrics["turns"] as u64;
    assert_eq!(write(&[record], None, folder.path()), Ok([1, 2 * turns, 0]));
}

#[test]
fn mixed_records_and_used_folders_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    let (small, large) = (record("empty?width=7&height=6", 1), record("empty?width=9&height=9", 1));
    assert_eq!(
        write(&[small.clone(), large], None, &place("a")),
        Err("empty?width=9&height=9 has another board or other actions than \
             empty?width=7&height=6; a network is for one shape: choose matches by --tournament"
            .to_owned())
    );
    assert_eq!(write(&[], None, &place("b")), Err("there is no such match".to_owned()));
    assert_eq!(
        write(std::slice::from_ref(&small), Some("space-filler"), &place("c")),
        Err("there is no position: none of the matches has a decision of space-filler".to_owned())
    );
    assert!(!place("c").exists());
    write(std::slice::from_ref(&small), None, &place("d")).expect("it is new");
    assert_eq!(
        write(std::slice::from_ref(&small), None, &place("d")),
        Err(format!(
            "{} holds positions already; name another folder by --out",
            place("d").display()
        ))
    );
    let cheated = Record { actions: small.actions.replacen(' ', " X ", 1), ..small };
    let written = write(&[cheated], None, &place("e"));
    assert!(written.is_err_and(|message| message.contains("turn")));
}
