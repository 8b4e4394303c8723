//! The processes between an arena and a program, by themselves: tests and other
//! executables than `quintain` start programs through this one.

fn main() {
    #[cfg(target_os = "linux")]
    quintain_bots::take_over_if_asked();
    eprintln!("quintain-launch is started by programs that run bots, not by people");
    std::process::exit(2);
}
