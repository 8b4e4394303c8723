//! The parts of WebDriver (W3C, 2018) that the tests need: JSON over HTTP to a driver that this
//! module starts and ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Keys by their WebDriver names.
pub mod key {
    pub const END: &str = "\u{e010}";
    pub const HOME: &str = "\u{e011}";
    pub const UP: &str = "\u{e013}";
    pub const RIGHT: &str = "\u{e014}";
}

/// How long a page may take to fulfil a condition, on a machine with other work: a guard against
/// waiting for ever.
const PAGE_TIMEOUT: Duration = Duration::from_secs(100);

/// Scrolls to an element; whether a click would reach it: it stands where it stood a frame before,
/// and nothing covers it.
const IS_CLICKABLE: &str = "
    const [element] = arguments;
    element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const place = () => JSON.stringify(element.getBoundingClientRect());
    return (async () => {
      await frame();
      const before = place();
      await frame();
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return before === place() && element.contains(top);
    })()";

/// A browser without a window.
pub struct Browser {
    driver: Child,
    /// Kept open: a driver that can no longer write might end.
    _said: BufReader<ChildStdout>,
    port: u16,
    session: String,
}

impl Browser {
    /// Opens a browser; none if it is not installed.
    pub fn open() -> Option<Browser> {
        let chromium = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
            let version = Command::new(name).arg("--version").stderr(Stdio::null()).output();
            version.is_ok_and(|output| output.status.success())
        });
        let mut start = Command::new("chromedriver");
        start.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        let (Some(chromium), Ok(mut driver)) = (chromium, start.spawn()) else {
            eprintln!("skipped: chromium and chromedriver are not installed");
            return None;
        };
        let mut said = BufReader::new(driver.stdout.take().unwrap());
        // It first names the port that it was asked for, 0, and then the one it has.
        let port = said.by_ref().lines().map_while(Result::ok).find_map(|line| {
            let port: u16 = line.split("on port ").nth(1)?.trim_end_matches('.').parse().ok()?;
            (port > 0).then_some(port)
        });
        let mut browser = Browser { driver, _said: said, port: port?, session: String::new() };
        let which = Command::new("which").arg(chromium).output().unwrap().stdout;
        let binary = String::from_utf8(which).unwrap().trim().to_owned();
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "WARNING" },
            "goog:chromeOptions": { "binary": binary, "args": arguments },
        } } });
        let session = browser.ask("POST", "/session", &wanted);
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        browser.resize(1200, 900);
        Some(browser)
    }

    /// Brings a browser that was used back to the state of one that was just opened.
    pub fn reset(&mut self) {
        self.go("about:blank");
        let command = json!({ "cmd": "Emulation.clearDeviceMetricsOverride", "params": {} });
        self.post("goog/cdp/execute", &command);
        self.touch(false);
        self.resize(1200, 900);
        self.complaints();
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.try_ask(method, path, body);
        answer.unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    /// Asks the driver for something that a page may refuse.
    fn try_ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(2 * PAGE_TIMEOUT)).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
        }
        let mut text = vec![0; length];
        answer.read_exact(&mut text).unwrap();
        let answer = serde_json::from_slice::<Value>(&text).unwrap()["value"].take();
        if answer.get("error").is_some() { Err(answer) } else { Ok(answer) }
    }

    fn post(&self, command: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{command}", self.session), body)
    }

    pub fn go(&mut self, address: &str) {
        self.post("url", &json!({ "url": address }));
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        self.post("window/rect", &json!({ "width": width, "height": height }));
    }

    /// Gives the page this size in pixels, whatever the window's own frame takes.
    pub fn view(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        let command = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": size });
        self.post("goog/cdp/execute", &command);
    }

    /// Whether the page is used with a finger.
    pub fn touch(&mut self, on: bool) {
        let params = json!({ "enabled": on, "maxTouchPoints": 2 });
        let command = json!({ "cmd": "Emulation.setTouchEmulationEnabled", "params": params });
        self.post("goog/cdp/execute", &command);
    }

    /// Taps a point of the window.
    pub fn tap(&mut self, x: f64, y: f64) {
        for (kind, points) in [("touchStart", json!([{ "x": x, "y": y }])), ("touchEnd", json!([]))]
        {
            let params = json!({ "type": kind, "touchPoints": points });
            let command = json!({ "cmd": "Input.dispatchTouchEvent", "params": params });
            self.post("goog/cdp/execute", &command);
        }
    }

    /// Returns the processor time in milliseconds that the page's process has taken, with all its
    /// threads: other work on the machine does not change it.
    pub fn processor_time(&mut self) -> f64 {
        let ask =
            |command: &str| self.post("goog/cdp/execute", &json!({ "cmd": command, "params": {} }));
        ask("Performance.enable");
        let answer = ask("Performance.getMetrics");
        let mut metrics = answer["metrics"].as_array().unwrap().iter();
        let found = metrics.find(|metric| metric["name"] == "ProcessTime").unwrap();
        1e3 * found["value"].as_f64().unwrap()
    }

    /// Returns the bytes that scripts hold and the nodes of pages, without what nobody uses any
    /// more.
    pub fn memory(&mut self) -> (u64, u64) {
        let ask =
            |command: &str| self.post("goog/cdp/execute", &json!({ "cmd": command, "params": {} }));
        // What is freed may free more.
        ask("HeapProfiler.collectGarbage");
        ask("HeapProfiler.collectGarbage");
        let heap = ask("Runtime.getHeapUsage")["usedSize"].as_f64().unwrap();
        let nodes = ask("Memory.getDOMCounters")["nodes"].as_u64().unwrap();
        (heap as u64, nodes)
    }

    /// Takes a picture of the whole page down to this many pixels: a PNG in Base64.
    pub fn screenshot(&mut self, tall: u32) -> String {
        let size = self.script(
            "return [document.documentElement.clientWidth, document.documentElement.scrollHeight]",
        );
        let (width, height) = (&size[0], size[1].as_u64().unwrap().min(tall.into()));
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let params = json!({ "clip": clip, "captureBeyondViewport": true });
        let command = json!({ "cmd": "Page.captureScreenshot", "params": params });
        self.post("goog/cdp/execute", &command)["data"].as_str().unwrap().to_owned()
    }

    /// Runs a script in the page; returns its result, or that of its promise.
    pub fn script(&mut self, script: &str) -> Value {
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Returns a script's result as text.
    pub fn text(&mut self, script: &str) -> String {
        let value = self.script(script);
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    /// Waits until a script returns true.
    pub fn until(&mut self, script: &str) {
        let begun = Instant::now();
        while self.script(script) != Value::Bool(true) {
            if begun.elapsed() > PAGE_TIMEOUT {
                self.give_up(script);
            }
        }
    }

    fn give_up(&mut self, wanted: &str) -> ! {
        let page = self.text("return document.body.innerText.slice(0, 3000)");
        panic!("not in {PAGE_TIMEOUT:?}: {wanted}\n{page}\n{}", self.complaints());
    }

    /// Clicks an element once it stays where it is: a page that is still being built may replace
    /// it, or push it away from under the pointer.
    pub fn click(&mut self, selector: &str) {
        let begun = Instant::now();
        while let Err(why) = self.try_click(selector) {
            if begun.elapsed() > PAGE_TIMEOUT {
                self.give_up(&format!("a click on {selector}: {why}"));
            }
        }
    }

    fn try_click(&self, selector: &str) -> Result<(), Value> {
        let ask = |command: &str, body: &Value| {
            self.try_ask("POST", &format!("/session/{}/{command}", self.session), body)
        };
        let element = ask("element", &json!({ "using": "css selector", "value": selector }))?;
        let check = json!({ "script": IS_CLICKABLE, "args": [element] });
        if ask("execute/sync", &check)? != Value::Bool(true) {
            return Err(json!("it moves, or something covers it"));
        }
        ask(&format!("element/{}/click", id_of(&element)), &json!({})).map(drop)
    }

    /// Chooses a file in a form.
    pub fn choose(&mut self, selector: &str, file: &std::path::Path) {
        let element = self.post("element", &json!({ "using": "css selector", "value": selector }));
        self.post(&format!("element/{}/value", id_of(&element)), &json!({ "text": file }));
    }

    pub fn press(&mut self, keys: &[&str]) {
        let strokes = keys
            .iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })));
        let actions = strokes.collect::<Vec<_>>();
        let board = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("actions", &json!({ "actions": [board] }));
    }

    /// Returns what the page has complained about: script errors, refused resources.
    pub fn complaints(&mut self) -> String {
        let log = self.post("se/log", &json!({ "type": "browser" }));
        let lines = log.as_array().unwrap().iter();
        lines.filter_map(|line| line["message"].as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// The id of an element that the driver has found.
fn id_of(element: &Value) -> &str {
    element.as_object().and_then(|names| names.values().next()?.as_str()).unwrap()
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
