# The usual commands of the project. `just` lists them.

default:
    @just --list

# Build everything in release mode.
build:
    cargo build --release --workspace

# Check everything that CI checks.
check:
    ./check

# A quick check while working: formatting, lints and unit tests, in under two minutes once things are built.
quick:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --features quintain-cli/full -- -D warnings
    cargo test --workspace --lib --bins --features quintain-cli/full --quiet

# Test one crate: `just test quintain-core`.
test crate:
    cargo test -p {{crate}} {{ if crate == "quintain-cli" { "--features fleet,host,wasm" } else { "" } }}

# Format, then lint as CI does.
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets --features quintain-cli/full -- -D warnings

# Accept changed golden files after looking at the difference.
golden crate:
    INSTA_UPDATE=always TRYCMD=overwrite UPDATE_GOLDEN=1 just test {{crate}}
    git diff --stat

# Run the benches: `just bench` for all, `just bench quintain-tron` for one crate.
bench *crate:
    cargo bench {{ if crate == "" { "--workspace" } else { "-p " + crate } }}

# Measure the figures of a game's champion again: `just champion polymer`.
champion game *args:
    cargo run --release -p quintain-{{game}} --example champion -- {{args}}

# Measure how often the sequential tests err and their intervals hold: the table of docs/research/error-rates.md.
error-rates runs="2000":
    cargo run --release -p quintain-arena --example error_rates -- {{runs}}
    cargo run --release -p quintain-standings --example table_error_rates -- {{runs}}

# Fuzz one parser for a minute: `just fuzz specs_read_back` (needs cargo-fuzz).
fuzz target seconds="60":
    cd fuzz && ASAN_OPTIONS=detect_odr_violation=0 RUSTC_BOOTSTRAP=1 cargo fuzz run {{target}} -- -max_total_time={{seconds}}

# Fuzz every parser for a minute each, from the seeds in fuzz/corpus-seeds (needs cargo-fuzz).
fuzz-all seconds="60":
    #!/usr/bin/env bash
    set -euo pipefail
    cd fuzz
    export RUSTC_BOOTSTRAP=1
    # SQLite has two constants of the same name.
    export ASAN_OPTIONS=detect_odr_violation=0
    for target in fuzz_targets/*.rs; do
        name=$(basename "$target" .rs)
        printf '\n== %s\n' "$name"
        mkdir -p "corpus/$name"
        seeds=()
        if [ -d "corpus-seeds/$name" ]; then seeds=("corpus-seeds/$name"); fi
        cargo fuzz run "$name" "corpus/$name" "${seeds[@]}" -- -max_total_time={{seconds}}
    done

# The main job.
tournament:
    cargo run --release -- tournament tournaments/tron.toml

# Measure what each learner reaches in so many minutes (needs `pip install jax optax sb3-contrib`).
learners minutes="10":
    QUINTAIN_LEARN_MINUTES={{minutes}} python3 -m pytest -s crates/app/py/tests/test_levels.py

# Run the long tests of parts that die, freeze and come back, at over a hundred random points.
chaos:
    cargo test --release -p quintain-cli --features full --test fleet -- --ignored --nocapture --test-threads 1

# So many matches are played, or as many as fit into so many minutes.
# A class of sixty hands in four hundred programs to a host that is killed thirty times; four more take what all share.
class matches="100000" minutes="120":
    QUINTAIN_CLASS_MATCHES={{matches}} QUINTAIN_CLASS_MINUTES={{minutes}} cargo test --release -p quintain-host --features fleet,wasm --test contest -- --ignored --nocapture a_whole_class_loses

# The same with two workers that play the matches; either worker, the NATS server and the host are killed.
class-on-workers matches="100000" minutes="120":
    QUINTAIN_CLASS_MATCHES={{matches}} QUINTAIN_CLASS_MINUTES={{minutes}} cargo test --release -p quintain-host --features fleet,wasm --test contest -- --ignored --nocapture a_whole_class_on_workers

# Measure matches a second and the times of pages, by the number of participants and how long programs think.
class-capacity:
    QUINTAIN_CLASS_CAPACITY=yes cargo test --release -p quintain-host --features fleet,wasm --test contest -- --ignored --nocapture a_machines_capacity

# Needs `rustup target add wasm32-unknown-unknown`; `just static-page play.html` names the file.
# Make one page with tron and connect four, to be played from disk: `just static-page`.
static-page page="target/static-page.html":
    scripts/static-page {{page}}

# Begin a new game from the template: `just new-game reversi`.
new-game name:
    cargo run -- new game {{name}}

# Needs cargo-semver-checks; `just semver v0.1.0` compares with that release.
# Check whether the libraries' interfaces are those of the last release, as its version promises.
semver since=`git describe --tags --abbrev=0 2>/dev/null || true`:
    {{ if since == "" { "echo 'nothing is released yet: there is no tag to compare with'" } else { "cargo semver-checks --workspace --baseline-rev " + since } }}

# Check the licences, sources, duplicates and advisories of dependencies (needs cargo-deny and the network).
deny:
    cargo deny --locked check

# Make what a registry would be given; nothing is uploaded.
publish-dry-run:
    scripts/publish-dry-run

# Serve the documentation as a book at http://localhost:3000, rebuilt at every change (needs mdbook).
book:
    mdbook serve
