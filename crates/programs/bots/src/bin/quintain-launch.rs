//! The processes between an arena and a program, as an executable of their own: tests and
//! executables other than `quintain` start programs through this one.

fn main() {
    quintain_bots::take_over_if_asked();
    eprintln!("quintain-launch is started by programs that run bots, not by people");
    std::process::exit(2);
}
