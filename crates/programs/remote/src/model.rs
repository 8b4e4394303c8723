//! A model behind an endpoint: it is asked, patiently and within its budget, and never twice the
//! same.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quintain_bots::{ChatBudget, ChatEntry, ChatPrice, ChatReply};
use quintain_core::{Fault, FaultKind, digest, read_text};
use serde_json::{Map, Value, json};
use ureq::http::{StatusCode, Uri};

use crate::answer::{HttpAnswer, is_overload};
use crate::ask::{Hope, Unanswered, out_of_time, post, quote};
use crate::completion::{self, Completion, Message};
use crate::journal::{Journal, Spent};
use crate::slips::{explain_body, explain_refusal, is_out_of_credit};
use crate::target::{Target, check_address, read_variable};
use crate::template::{Template, USUAL};
use crate::totals::ChatTotals;

/// How often an endpoint that fails is asked for one answer.
const TRIES: u32 = 8;
/// The first wait before it is asked again, where it does not say how long, and the longest.
const WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How soon a wait ends when a match is abandoned.
const SLICE: Duration = Duration::from_millis(50);
/// Fields of a request that no option may replace, and why.
const OWN_FIELDS: [(&str, &str); 3] = [
    ("model", "is a key of its own: model = \"…\""),
    ("messages", "are made of the prompt: prompt = \"FILE\" names other words"),
    ("stream", "is not for answers that are read as a whole: leave it out"),
];

/// A model that can be asked.
pub(crate) struct Model {
    name: String,
    model: String,
    target: Target,
    options: Map<String, Value>,
    budget: ChatBudget,
    price: ChatPrice,
    /// Whether the same question has the same answer in every match.
    is_settled: bool,
    pub(crate) reply: ChatReply,
    pub(crate) retries: u32,
    pub(crate) turns: usize,
    pub(crate) template: Template,
    /// The time for an answer where the match sets no limit.
    pub(crate) answer: Duration,
    /// Changes with whatever may change its answers.
    pub(crate) version: u32,
    asked: Mutex<Asked>,
    answered: Condvar,
}

/// What was asked and answered.
struct Asked {
    journal: Journal,
    /// The questions that wait for their answers.
    under_way: HashSet<String>,
    /// The requests that wait for their answers: one for each question at most.
    sent: u64,
    totals: ChatTotals,
    /// Whether the endpoint has answered in this process.
    has_answered: bool,
    /// Why it is of no use to ask anything else, or to ask the same again.
    given_up: Option<GivenUp>,
}

/// A refusal for good.
#[derive(Clone)]
struct GivenUp {
    fault: Fault,
    /// Whether all questions are refused, not only that one.
    is_for_all: bool,
}

/// What limits the wait for an answer.
pub(crate) struct Patience<'a> {
    begun: Instant,
    time: Duration,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Patience<'a> {
    pub(crate) fn new(time: Duration, stop: Option<&'a AtomicBool>) -> Patience<'a> {
        Patience { begun: Instant::now(), time, stop }
    }

    /// The time that is left.
    ///
    /// # Errors
    /// If there is none, or nobody waits any more.
    fn left(&self) -> Result<Duration, Fault> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Fault::new(FaultKind::Arena, "the match was abandoned"));
        }
        let left = self.time.saturating_sub(self.begun.elapsed());
        if left.is_zero() {
            return Err(out_of_time(self.time));
        }
        Ok(left)
    }

    fn pause(&self, wait: Duration) -> Result<(), Fault> {
        let until = Instant::now() + wait;
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Ok(());
            }
            std::thread::sleep(rest.min(self.left()?).min(SLICE));
        }
    }
}

impl Model {
    /// The model that an entry describes. `base` is the folder of the file that describes it, and
    /// `kept` the file of its answers.
    ///
    /// # Errors
    /// What is wrong with the entry.
    pub(crate) fn of(
        name: &str,
        entry: &ChatEntry,
        base: &Path,
        kept: &Path,
    ) -> Result<Model, String> {
        let model = one_of("model", &entry.model, &entry.model_from_env)?;
        let url = one_of("url", &entry.url, &entry.url_from_env)?;
        check_entry(entry, &model)?;
        // An address from the environment may contain a secret.
        let hide = |error: String| match &entry.url_from_env {
            Some(variable) if error.contains(&url) => {
                format!(
                    "{variable} holds no address; expected one such as http://127.0.0.1:8080/v1"
                )
            }
            _ => error,
        };
        check_address(&url).map_err(hide)?;
        let mut target =
            Target::new(&complete_address(&url), &entry.header_from_env).map_err(hide)?;
        if let Some(variable) = &entry.key_from_env {
            let key = read_variable(variable, "the key")?;
            target.add_header("Authorization", format!("Bearer {}", key.trim()), variable)?;
        }
        let words = match &entry.prompt {
            None => USUAL.to_owned(),
            Some(file) => {
                read_text(&base.join(file)).map_err(|error| format!("prompt: {error}"))?
            }
        };
        let template = Template::parse(&words).map_err(|problem| {
            format!(
                "{}: {problem}",
                entry.prompt.as_deref().unwrap_or(Path::new("prompt")).display()
            )
        })?;
        let ChatEntry { options, reply, retries, turns, .. } = entry;
        let behaviour = json!([model, options, format!("{reply:?}"), retries, turns, words]);
        let behaviour = digest(format!("{behaviour} {}", entry.version).as_bytes());
        let asked = Asked {
            journal: Journal::open(kept)?,
            under_way: HashSet::new(),
            sent: 0,
            totals: ChatTotals::default(),
            has_answered: false,
            given_up: None,
        };
        Ok(Model {
            name: name.to_owned(),
            target,
            is_settled: options.get("temperature").and_then(Value::as_f64) == Some(0.0),
            options: options.clone(),
            budget: entry.budget,
            price: entry.price,
            reply: *reply,
            retries: *retries,
            turns: *turns as usize,
            template,
            answer: entry.answer.0,
            version: u32::from_str_radix(&behaviour[..8], 16).expect("digests are hexadecimal"),
            model,
            asked: Mutex::new(asked),
            answered: Condvar::new(),
        })
    }

    /// Checks that something listens at an address of this machine.
    ///
    /// # Errors
    /// If nothing does.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.target.check()
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was asked since the last call.
    pub(crate) fn take_totals(&self) -> ChatTotals {
        std::mem::take(&mut self.lock().totals)
    }

    /// What was asked since then.
    pub(crate) fn totals(&self) -> ChatTotals {
        self.lock().totals
    }

    /// Why it refused a question for good, if it did.
    pub(crate) fn given_up(&self) -> Option<String> {
        self.lock().given_up.as_ref().map(|given_up| given_up.fault.detail.clone())
    }

    /// Counts something.
    pub(crate) fn count(&self, count: impl FnOnce(&mut ChatTotals)) {
        count(&mut self.lock().totals);
    }

    /// The answer to a chat. `sample` tells matches apart in which the model may answer the same
    /// question differently.
    ///
    /// # Errors
    /// A timeout if there is no answer in time; an [outage](FaultKind::Outage), which voids the
    /// match, if the endpoint refuses the question or fails, or the budget is used up.
    pub(crate) fn complete(
        &self,
        messages: &[Message],
        sample: &str,
        patience: &Patience<'_>,
    ) -> Result<Completion, Fault> {
        let body = completion::request(&self.model, messages, self.reply, &self.options);
        let sample = if self.is_settled { "" } else { sample };
        let key = digest(json!([body, sample, self.version]).to_string().as_bytes());
        if let Some(kept) = self.begin(&key, patience)? {
            return Ok(kept);
        }
        let answer = self.ask(&Value::Object(body), patience);
        let mut asked = self.lock();
        asked.under_way.remove(&key);
        self.answered.notify_all();
        let completion = answer?;
        asked.sent -= 1;
        let Completion { input, output, .. } = completion;
        asked.totals.answers += 1;
        asked.totals.input += input;
        asked.totals.output += output;
        asked.totals.money += self.money(Spent { calls: 1, input, output });
        asked.has_answered = true;
        asked.journal.keep(key, completion.clone()).map_err(|error| unkept(&error))?;
        Ok(completion)
    }

    /// Returns the kept answer, or takes it upon the caller to get one. Waits while another match
    /// asks the same.
    fn begin(&self, key: &str, patience: &Patience<'_>) -> Result<Option<Completion>, Fault> {
        let mut asked = self.lock();
        loop {
            if let Some(kept) = asked.journal.find(key).cloned() {
                asked.totals.answers += 1;
                asked.totals.kept += 1;
                asked.totals.input += kept.input;
                asked.totals.output += kept.output;
                return Ok(Some(kept));
            }
            patience.left()?;
            if !asked.under_way.contains(key) {
                asked.under_way.insert(key.to_owned());
                return Ok(None);
            }
            let waited = self.answered.wait_timeout(asked, SLICE);
            asked = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn money(&self, spent: Spent) -> f64 {
        let price = |tokens: u64, million: f64| tokens as f64 * million / 1e6;
        price(spent.input, self.price.input) + price(spent.output, self.price.output)
    }

    /// Counts a request, and refuses it once the budget is used up.
    fn begin_request(&self) -> Result<(), Fault> {
        let mut asked = self.lock();
        if let Some(GivenUp { fault, is_for_all: true }) = &asked.given_up {
            return Err(fault.clone());
        }
        if let Err(fault) = self.check_budget(&asked) {
            asked.given_up = Some(GivenUp { fault: fault.clone(), is_for_all: true });
            return Err(fault);
        }
        asked.sent += 1;
        Ok(())
    }

    /// Ends a request that brought no answer. It counts as a call all the same.
    fn end_request(&self, refusal: &Refusal) -> Result<(), Fault> {
        let mut asked = self.lock();
        asked.sent -= 1;
        let Refusal { fault, is_final, is_for_all, .. } = refusal;
        if *is_final {
            // What has answered before may do so again.
            let is_for_all = *is_for_all && !asked.has_answered;
            asked.given_up = Some(GivenUp { fault: fault.clone(), is_for_all });
        }
        asked.journal.note_unanswered(&fault.detail).map_err(|error| unkept(&error))
    }

    /// Refuses to ask once the budget is used up.
    fn check_budget(&self, asked: &Asked) -> Result<(), Fault> {
        let spent = asked.journal.spent();
        let calls = spent.calls + asked.sent;
        let tokens = spent.input + spent.output;
        let ChatBudget { calls: most_calls, tokens: most_tokens, money: most_money } = self.budget;
        let used_up = if most_calls.is_some_and(|most| calls >= most) {
            format!("calls = {calls}")
        } else if most_tokens.is_some_and(|most| tokens >= most) {
            format!("tokens = {tokens}")
        } else if most_money.is_some_and(|most| self.money(spent) >= most) {
            format!("money = {:.4}", self.money(spent))
        } else {
            return Ok(());
        };
        let name = &self.name;
        let problem = format!(
            "the budget of {name} is used up ({used_up}); raise it in bots.toml, and play on"
        );
        Err(Fault::new(FaultKind::Outage, problem))
    }

    /// Asks until there is an answer, or no hope of one. An answer is still a request under way
    /// when this returns.
    fn ask(&self, body: &Value, patience: &Patience<'_>) -> Result<Completion, Fault> {
        let body = body.to_string();
        let mut tries = 0;
        loop {
            let left = patience.left()?;
            self.begin_request()?;
            let refusal = match post(&self.target, &self.target.uri, body.as_bytes(), left) {
                Ok(answer) => match self.read(&answer) {
                    Ok(completion) => return Ok(completion),
                    Err(refusal) => refusal,
                },
                Err(unanswered) => self.judge(unanswered, patience),
            };
            self.end_request(&refusal)?;
            tries += 1;
            let wait = refusal.retry_after.unwrap_or_else(|| backoff(tries));
            if refusal.is_final || !refusal.may_pass || tries >= TRIES || wait > patience.left()? {
                return Err(refusal.fault);
            }
            self.count(|totals| totals.waits += 1);
            patience.pause(wait)?;
        }
    }

    /// What it means that there was no answer, or half of one.
    fn judge(&self, unanswered: Unanswered, patience: &Patience<'_>) -> Refusal {
        let Unanswered { fault, retry_after, hope } = unanswered;
        let fault = match fault.kind {
            // Nothing is known about the model, so it loses nothing.
            FaultKind::Protocol => Fault::new(FaultKind::Outage, fault.detail),
            FaultKind::Timeout => out_of_time(patience.time),
            _ => fault,
        };
        let may_pass = match hope {
            Hope::No => false,
            Hope::IfAnsweredBefore => self.lock().has_answered,
            Hope::Yes => true,
        };
        Refusal { fault, retry_after, may_pass, is_final: false, is_for_all: false }
    }

    fn read(&self, answer: &HttpAnswer) -> Result<Completion, Refusal> {
        let HttpAnswer { status, text, retry_after, .. } = answer;
        let said = quote(text);
        let refuse = |problem: String, may_pass: bool| Refusal {
            fault: Fault::new(FaultKind::Outage, problem),
            retry_after: *retry_after,
            may_pass,
            is_final: !may_pass,
            is_for_all: false,
        };
        if *status == StatusCode::OK {
            return completion::read(text).ok_or_else(|| {
                let hint = explain_body(text);
                let problem = format!("expected a chat completion, got {said}{hint}");
                // Half an answer may be whole the next time.
                let is_half = hint.is_empty() && serde_json::from_str::<Value>(text).is_err();
                refuse(problem, is_half)
            });
        }
        let hint = explain_refusal(&self.target.uri, answer, &self.model);
        let may_pass = is_overload(*status) || *status == StatusCode::INTERNAL_SERVER_ERROR;
        let problem = format!("it answered {status}: {said}{hint}");
        let refusal = refuse(problem, may_pass && hint.is_empty());
        let is_for_all = is_out_of_credit(answer)
            || status.is_redirection()
            || matches!(
                *status,
                StatusCode::UNAUTHORIZED
                    | StatusCode::FORBIDDEN
                    | StatusCode::NOT_FOUND
                    | StatusCode::METHOD_NOT_ALLOWED
            );
        Err(Refusal { is_for_all, ..refusal })
    }
}

/// Why there is no completion.
struct Refusal {
    fault: Fault,
    /// How long to wait before asking again, if the endpoint says so.
    retry_after: Option<Duration>,
    /// Whether the same question may be answered later.
    may_pass: bool,
    /// Whether the endpoint has refused the question for good.
    is_final: bool,
    /// Whether it refuses all others too.
    is_for_all: bool,
}

fn unkept(error: &std::io::Error) -> Fault {
    Fault::new(FaultKind::Outage, format!("its answer cannot be kept: {error}"))
}

/// Checks that what an entry limits or sets has an effect.
fn check_entry(entry: &ChatEntry, model: &str) -> Result<(), String> {
    if model.trim().is_empty() {
        return Err("model is empty: write the name by which the endpoint knows it".to_owned());
    }
    let ChatPrice { input, output } = entry.price;
    for (name, price) in [("input", input), ("output", output)] {
        if !(price.is_finite() && price >= 0.0) {
            return Err(format!("price: {name} = {price}, expected a number from 0"));
        }
    }
    if let Some(money) = entry.budget.money {
        if !(money.is_finite() && money >= 0.0) {
            return Err(format!("budget: money = {money}, expected a number from 0"));
        }
        if input + output == 0.0 {
            let example = "price = { input = 0.15, output = 0.6 }";
            return Err(format!(
                "budget: money limits nothing without a price of a million tokens; write for \
                 example {example}"
            ));
        }
    }
    let set = |name: &str| entry.options.get(name).is_some_and(|value| *value != json!(false));
    match OWN_FIELDS.iter().find(|(name, _)| set(name)) {
        Some((name, why)) => Err(format!("options: {name} {why}")),
        None => Ok(()),
    }
}

/// How long to wait after so many failures.
fn backoff(failures: u32) -> Duration {
    WAIT.saturating_mul(1 << (failures - 1).min(16)).min(LONGEST_WAIT)
}

/// The value of a key, or of the environment variable that is named instead.
fn one_of(key: &str, value: &Option<String>, variable: &Option<String>) -> Result<String, String> {
    match (value, variable) {
        (Some(value), None) => Ok(value.clone()),
        (None, Some(variable)) => {
            Ok(read_variable(variable, &format!("the {key}"))?.trim().to_owned())
        }
        (None, None) => {
            Err(format!("{key} is missing: write {key} = \"…\" or {key}_from_env = \"VARIABLE\""))
        }
        (Some(_), Some(_)) => Err(format!("{key} and {key}_from_env exclude each other")),
    }
}

/// The address of an endpoint's chats: people name its base, as for other programs.
fn complete_address(url: &str) -> String {
    const PATH: &str = "/chat/completions";
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    let address = address.trim_end_matches('/');
    let path = address.parse::<Uri>().map(|uri| uri.path().to_owned()).unwrap_or_default();
    match path.as_str() {
        _ if address.ends_with(PATH) => url.to_owned(),
        "" | "/" => format!("{address}/v1{PATH}{query}"),
        _ => format!("{address}{PATH}{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_an_endpoint_is_completed() {
        for (given, asked) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/chat/completions"),
            ("https://a.example/v1/", "https://a.example/v1/chat/completions"),
            ("https://a.example/v1/chat/completions", "https://a.example/v1/chat/completions"),
            ("https://a.example/b?api=2", "https://a.example/b/chat/completions?api=2"),
        ] {
            assert_eq!(complete_address(given), asked);
        }
    }

    #[test]
    fn waits_double_up_to_a_limit() {
        let waits = [1, 2, 3, 8, 60].map(|failures| backoff(failures).as_millis());
        assert_eq!(waits, [500, 1000, 2000, 30_000, 30_000]);
    }

    #[test]
    fn an_abandoned_match_waits_no_longer() {
        let stop = AtomicBool::new(true);
        let patience = Patience::new(Duration::from_secs(100), Some(&stop));
        assert_eq!(patience.pause(LONGEST_WAIT).unwrap_err().kind, FaultKind::Arena);
    }
}
