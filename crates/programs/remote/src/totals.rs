//! What the matches of one run asked of a model.

use std::fmt;

/// What was asked of a model and answered, in all matches of this run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct ChatTotals {
    /// Turns on which it was asked.
    pub turns: u64,
    /// Its answers, retries included.
    pub answers: u64,
    /// Those of them that were kept from an earlier question.
    pub kept: u64,
    /// Answers that named no action.
    pub unreadable: u64,
    /// Answers that named an action that was not possible.
    pub illegal: u64,
    /// Tokens of questions.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// What the answers that were not kept cost.
    pub money: f64,
    /// How often the endpoint asked for patience, or failed and was asked again.
    pub waits: u64,
}

impl ChatTotals {
    /// What a player who waits wants to know.
    pub fn progress(&self) -> String {
        let ChatTotals { turns, answers, unreadable, illegal, waits, input, output, .. } = self;
        let bad = match unreadable + illegal {
            0 => String::new(),
            bad => format!(", {bad} of them no possible action"),
        };
        let waits = match waits {
            0 => String::new(),
            waits => format!(", {waits} waits for the endpoint"),
        };
        let asked = format!("asked on {turns} turns so far, {answers} answers");
        format!("{asked}{bad}{waits}, {} tokens", input + output)
    }
}

impl fmt::Display for ChatTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChatTotals { turns, answers, kept, unreadable, illegal, input, output, .. } = self;
        let bad = 100.0 * (unreadable + illegal) as f64 / (*answers).max(1) as f64;
        write!(f, "{answers} answers on {turns} turns")?;
        if *kept > 0 {
            write!(f, " ({kept} kept from before)")?;
        }
        write!(f, ", {illegal} illegal and {unreadable} unreadable ({bad:.1} %)")?;
        write!(f, ", {input} + {output} tokens")?;
        if self.money > 0.0 {
            write!(f, ", {:.4} spent", self.money)?;
        }
        if self.waits > 0 {
            write!(f, ", {} waits for the endpoint", self.waits)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_say_what_happened_and_leave_out_what_did_not() {
        let plain = ChatTotals { turns: 3, answers: 4, illegal: 1, ..ChatTotals::default() };
        let said = "4 answers on 3 turns, 1 illegal and 0 unreadable (25.0 %), 0 + 0 tokens";
        assert_eq!(plain.to_string(), said);
        let more = ChatTotals { kept: 2, money: 0.5, waits: 1, ..plain };
        let said = more.to_string();
        assert!(said.contains("(2 kept from before)") && said.contains("0.5000 spent"), "{said}");
        assert_eq!(
            more.progress(),
            "asked on 3 turns so far, 4 answers, 1 of them no possible action, \
             1 waits for the endpoint, 0 tokens"
        );
        assert!(said.ends_with("1 waits for the endpoint"), "{said}");
    }
}
