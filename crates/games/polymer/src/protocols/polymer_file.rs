//! The course's format as a protocol: a program is given the instance on standard input
//! (`Lx Ly n1 n2 … nn`, or the letters H and P, after the word `cubic` for the cubic lattice) and
//! writes the walk, as steps `RDLU…` or as coordinates. The text forms themselves are in
//! [`crate::notation`].

use std::path::Path;
use std::time::Duration;

use quintain_core::{ForeignProtocol, Launch, Lifecycle, ProtocolError, ServerCodec};
use serde::Deserialize;
use serde_json::Value;

use crate::notation::{CUBIC, one, read_instance, read_walk, steps_of, write_instance};
use crate::rules::instance::{Instance, Interaction};
use crate::rules::torus::Torus;

pub(crate) const PROTOCOL: ForeignProtocol = ForeignProtocol {
    name: "polymer-file",
    summary: "the instance on standard input, answered by the walk",
    source: "slides “CS5330 Randomized Algorithm Project”",
    lifecycle: Lifecycle::Plan,
    has_events: false,
    referee: || Box::new(Referee { instance: None }),
    program: None,
};

struct Referee {
    instance: Option<Instance>,
}

impl ServerCodec for Referee {
    fn answer(&mut self, _line: &str) -> Result<Option<Value>, ProtocolError> {
        Err("expected a walk before the first step".into())
    }

    fn launch(
        &mut self,
        setting: &Value,
        _time: Duration,
        _folder: &Path,
    ) -> Result<Launch, ProtocolError> {
        let instance = instance(setting)?;
        let input = match instance.interaction() {
            Interaction::Charge => write_instance(&instance),
            // Letters stand for a chain in the plane or in space, whose torus is large enough.
            Interaction::Hp => {
                let letter = |monomer: &i8| if *monomer == 1 { 'H' } else { 'P' };
                let chain: String = instance.monomers().iter().map(letter).collect();
                match instance.torus().depth() {
                    1 => format!("{chain}\n"),
                    _ => format!("{CUBIC} {chain}\n"),
                }
            }
        };
        // A text that means another torus would have a program solve another problem.
        if read_instance(&input).ok().as_ref() != Some(&instance) {
            return Err(format!(
                "the course's format has no word for {} on a torus of {}; it has tori of charges \
                 with one layer, and HP chains on the plane and in space (leave out width, height \
                 and side)",
                match instance.interaction() {
                    Interaction::Charge => "charges",
                    Interaction::Hp => "an HP chain",
                },
                instance.torus().size()
            )
            .into());
        }
        self.instance = Some(instance);
        Ok(Launch { input, ..Launch::default() })
    }

    fn plan(&mut self, output: &str) -> Result<Vec<Value>, ProtocolError> {
        let instance = self.instance.as_ref().ok_or("there is no instance")?;
        let walk =
            read_walk(instance, output).map_err(|wrong| format!("expected a walk: {wrong}"))?;
        let steps = steps_of(instance.torus(), &walk);
        Ok(steps.chars().map(|step| step.to_string().into()).collect())
    }
}

/// The instance that a game's setting describes.
fn instance(setting: &Value) -> Result<Instance, ProtocolError> {
    #[derive(Deserialize)]
    struct Setting {
        width: usize,
        height: usize,
        #[serde(default = "one")]
        depth: usize,
        interaction: String,
        monomers: Vec<i8>,
    }
    let setting: Setting =
        serde_json::from_value(setting.clone()).map_err(|error| error.to_string())?;
    let interaction = match setting.interaction.as_str() {
        "hp" => Interaction::Hp,
        _ => Interaction::Charge,
    };
    let torus = Torus::with_layers(setting.width, setting.height, setting.depth)?;
    Ok(Instance::new(torus, interaction, setting.monomers)?)
}

#[cfg(test)]
mod tests {
    use quintain_core::Rules;

    use super::*;
    use crate::Polymer;

    #[test]
    fn a_program_reads_the_instance_and_its_walk_becomes_steps() {
        let mut side = (PROTOCOL.referee)();
        let (torus, monomers) = (Torus::new(3, 3).unwrap(), vec![1, -1, 1, -1]);
        let instance = Instance::new(torus, Interaction::Charge, monomers).unwrap();
        let setting = Rules::setting(&Polymer::new(instance, false));
        let launch = side.launch(&setting, Duration::from_secs(1), Path::new("/nowhere")).unwrap();
        assert_eq!(launch.input, "3 3 1 -1 1 -1\n");
        assert_eq!(side.plan("RDL\n").unwrap(), ["R", "D", "L"]);
        assert_eq!(side.plan("0 0\n1 0\n1 1\n0 1\n").unwrap(), ["R", "D", "L"]);
        assert!(side.plan("RDLLLL").unwrap_err().to_string().starts_with("expected a walk: "));
        assert!(side.plan("").unwrap_err().to_string().starts_with("expected a walk: "));
    }
}
