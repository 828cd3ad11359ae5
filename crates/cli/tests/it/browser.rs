//! Reports in a browser: interaction, layout and script errors.
//!
//! These tests need Chromium, in ERMINE_CHROMIUM; `cargo xtask test browser` finds or installs it. They speak the DevTools protocol through the
//! pipes of `--remote-debugging-pipe`: JSON messages that end in a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use ermine::learn::{metrics, model_selection::hold_out};
use ermine::prelude::*;
use serde_json::{Value, json};

use crate::command::ok;

/// How long an answer may take on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(60);

struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    next: u64,
    /// Errors of scripts and of the page, and its network requests.
    errors: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    fn start() -> Self {
        let program = std::env::var("ERMINE_CHROMIUM").expect("ERMINE_CHROMIUM names the browser");
        let profile = tempfile::tempdir().unwrap();
        let data = format!("--user-data-dir={}", profile.path().display());
        // The browser reads messages from file 3 and writes them to file 4, which only a shell can give it.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", &program])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe", &data, "about:blank"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while lines.read_until(0, &mut bytes).is_ok_and(|n| n > 0) {
                bytes.pop();
                let message: Value = serde_json::from_slice(&bytes).unwrap_or_default();
                if send.send(message).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut out = Self { child, to, from, session: None, next: 0, errors: Vec::new(), _profile: profile };
        let target = out.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = out.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        out.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            out.call(&format!("{domain}.enable"), json!({}));
        }
        out
    }

    /// Records events; returns whether the page has loaded.
    fn note(&mut self, message: &Value) -> bool {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.errors.push(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if params["type"] == "error" || params["type"] == "warning" => {
                self.errors.push(params.to_string())
            }
            "Log.entryAdded" if params["entry"]["level"] != "info" => self.errors.push(params["entry"].to_string()),
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                if !url.starts_with("file:") && !url.starts_with("data:") && !url.starts_with("about:") {
                    self.errors.push(format!("the network was asked for {url}"));
                }
            }
            "Page.loadEventFired" => return true,
            _ => {}
        }
        false
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        self.to.flush().unwrap();
        loop {
            let answer =
                self.from.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{method}: the browser does not answer: {e}"));
            if answer["id"] == self.next {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    /// Opens a page in a window of this width.
    fn open(&mut self, page: &Path, width: u32) {
        let mobile = width < 600;
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": mobile}),
        );
        self.call("Page.navigate", json!({"url": format!("file://{}", page.display())}));
        let started = Instant::now();
        while self.run("document.readyState") != "complete" {
            assert!(started.elapsed() < PATIENCE, "the page does not load");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Evaluates an expression in the page.
    fn run(&mut self, expression: &str) -> Value {
        let answer =
            self.call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true, "awaitPromise": true}));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    fn number(&mut self, expression: &str) -> f64 {
        let v = self.run(expression);
        v.as_f64().unwrap_or_else(|| panic!("{expression} is {v}"))
    }

    fn assert_no_errors(&mut self) {
        self.run("1"); // what was said before this has arrived by now
        assert!(self.errors.is_empty(), "{:#?}", self.errors);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Moves the threshold, as a person does.
fn move_to(browser: &mut Browser, step: usize) {
    browser.run(&format!(
        "(() => {{ const s = document.querySelector('.explorer [name=threshold]'); s.value = {step}; \
         s.dispatchEvent(new Event('input', {{bubbles: true}})); return 1; }})()"
    ));
}

fn shown(browser: &mut Browser, what: &str) -> f64 {
    browser.number(&format!("Number(document.querySelector('.explorer [data-out={what}]').dataset.value)"))
}

#[test]
#[ignore = "needs a browser; cargo xtask test browser"]
fn the_threshold_shows_the_confusion_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (model, page) = (folder.path().join("sex.ermine"), folder.path().join("sex.html"));
    let (m, p) = (model.to_str().unwrap(), page.to_str().unwrap());
    ok(&["fit", "example:penguins", "--target", "sex", "--model", "logistic", "--split", "0.4", "--seed", "3", "-o", m]);
    ok(&["report", m, "example:penguins", "-o", p, "--cost", "fp=2,fn=3"]);

    // The model's own confusion matrix on the held-out rows, computed independently of the page.
    let fitted = Fitted::load(&model).unwrap();
    let roles = Roles { classes: Some(fitted.target.classes.clone()), ..Roles::with_target("sex") };
    let problem = Problem::from_table(ermine::data::read_table("example:penguins").unwrap(), &roles).unwrap();
    let (_, held) = hold_out(&problem.y.view(), problem.x.rows(), 0.4, 3).unwrap();
    let rows = problem.take_rows(&held);
    let OwnedTarget::Class { codes, names } = &rows.y else { panic!("classes") };
    let aligned = fitted.align(&rows.x).unwrap();
    let proba = fitted.model.as_classifier().unwrap().proba(&Features::Table(aligned.view())).unwrap();
    assert_eq!((codes.len(), names.len()), (133, 2));

    let mut browser = Browser::start();
    browser.open(&page, 1200);
    let mut seen = Vec::new();
    for step in [0, 137, 500, 731, 1000] {
        move_to(&mut browser, step);
        let threshold = step as f64 / 1000.0;
        let predicted: Vec<u32> = (0..codes.len()).map(|i| u32::from(proba[(i, 1)] >= threshold)).collect();
        let table = metrics::confusion(codes, &predicted, 2, None);
        for (what, t, f) in [("tp", 1, 1), ("fn", 1, 0), ("fp", 0, 1), ("tn", 0, 0)] {
            assert_eq!(shown(&mut browser, what), table.counts[(t, f)], "{what} at {threshold}");
        }
        let cost = 2.0 * table.counts[(0, 1)] + 3.0 * table.counts[(1, 0)];
        assert_eq!(shown(&mut browser, "cost"), cost, "the cost at {threshold}");
        seen.push(table.counts.clone());
    }
    assert!(seen.windows(2).all(|w| w[0] != w[1]), "every move changes the decisions");

    // The keyboard moves it too, by one step.
    move_to(&mut browser, 500);
    browser.run("document.querySelector('.explorer [name=threshold]').focus()");
    for kind in ["keyDown", "keyUp"] {
        browser.call(
            "Input.dispatchKeyEvent",
            json!({"type": kind, "key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39}),
        );
    }
    assert_eq!(browser.number("Number(document.querySelector('.explorer [name=threshold]').value)"), 501.0);
    // Other costs are other consequences, and the least cost is found.
    browser.run(
        "(() => { const f = document.querySelector('.explorer form'); f.elements.fp.value = 10; \
         f.dispatchEvent(new Event('input', {bubbles: true})); f.querySelector('[data-go=best]').click(); return 1; })()",
    );
    let at = |step: usize| -> f64 {
        let wrong = |c: u32, above: bool| {
            (0..codes.len()).filter(|&i| codes[i] == c && (proba[(i, 1)] >= step as f64 / 1000.0) == above).count() as f64
        };
        10.0 * wrong(0, true) + 3.0 * wrong(1, false)
    };
    let least = (0..=1000).map(at).fold(f64::INFINITY, f64::min);
    assert_eq!(shown(&mut browser, "cost"), least);
    // Rows may stay undecided; what is decided and what is not are all rows.
    browser.run(
        "(() => { const f = document.querySelector('.explorer form'); f.elements.fp.value = 1; f.elements.fn.value = 1; f.elements.abstain.value = 0.2; \
         f.dispatchEvent(new Event('input', {bubbles: true})); return 1; })()",
    );
    let all: f64 = ["tp", "fp", "fn", "tn", "dp", "dn"].map(|w| shown(&mut browser, w)).iter().sum();
    assert_eq!(all, 133.0);
    assert!(shown(&mut browser, "dp") + shown(&mut browser, "dn") > 0.0);
    assert!(
        browser.run("document.querySelector('#figure-roc .now') !== null").as_bool().unwrap(),
        "the curve shows the threshold"
    );
    browser.assert_no_errors();
}

#[test]
#[ignore = "needs a browser; cargo xtask test browser"]
fn pages_fit_a_phone_follow_the_dark_and_have_no_errors() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str| folder.path().join(name);
    let pages = ["compare.html", "regression.html", "groups.html", "bandits.html", "agent.html"].map(of);
    let text = |p: &Path| p.to_str().unwrap().to_owned();
    ok(&[
        "compare",
        "example:penguins",
        "--target",
        "species",
        "--models",
        "logistic,tree,baseline",
        "--report",
        &text(&pages[0]),
    ]);
    let model = text(&of("m.ermine"));
    ok(&["fit", "example:diabetes", "--target", "progression", "--model", "tree", "--set", "max_depth=3", "-o", &model]);
    ok(&["report", &model, "example:diabetes", "-o", &text(&pages[1])]);
    ok(&["fit", "example:iris", "--model", "kmeans", "--drop", "species", "-o", &model]);
    ok(&["report", &model, "example:iris", "-o", &text(&pages[2])]);
    let arms = ["--arms", "0.1,0.5,0.6", "--policies", "ucb,thompson,exp3", "--rounds", "1000", "--runs", "10"];
    ok(&[&["bandit", "run"][..], &arms, &["--report", &text(&pages[3])]].concat());
    ok(&["rl", "train", "cliff-walking", "--steps", "5000", "--report", &text(&pages[4])]);
    let mut browser = Browser::start();
    for page in &pages {
        for width in [360, 1280] {
            browser.open(page, width);
            let wide = browser.number("document.documentElement.scrollWidth");
            assert!(wide <= f64::from(width), "{}: {wide} in a window of {width}", page.display());
            // Letters of figures stay readable.
            let smallest = browser.number(
                "Math.min(...[...document.querySelectorAll('figure svg[viewBox]')].filter(s => s.getBoundingClientRect().width > 0 && s.viewBox.baseVal.width <= 480)\
                 .map(s => 12 * s.getBoundingClientRect().width / s.viewBox.baseVal.width), 99)",
            );
            assert!(smallest >= 8.0, "{}: letters of {smallest} pixels at {width}", page.display());
        }
        let alts =
            browser.number("document.querySelectorAll('svg[role=img]:not([aria-label]), svg[role=img][aria-label=\"\"]').length");
        assert_eq!(alts, 0.0, "every figure is told to those who do not see it");
        for scheme in ["light", "dark"] {
            browser.call("Emulation.setEmulatedMedia", json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}));
            // Contrast as WCAG 2 computes it, of text, of quiet text and of links.
            let contrast = browser.number(
                "(() => { const of = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); \
                 return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; }; \
                 const paper = of(getComputedStyle(document.body).backgroundColor); \
                 const ratio = (e) => { const l = of(getComputedStyle(e).color); return (Math.max(l, paper) + 0.05) / (Math.min(l, paper) + 0.05); }; \
                 return Math.min(...[...document.querySelectorAll('p, td, th, dt, dd, figcaption, nav a, h1, h2')].map(ratio)); })()",
            );
            assert!(contrast >= 4.5, "{}: contrast {contrast} in the {scheme}", page.display());
        }
        let dark = browser.run("getComputedStyle(document.body).backgroundColor");
        browser.run("document.querySelector('.theme').click()");
        assert_ne!(browser.run("getComputedStyle(document.body).backgroundColor"), dark, "a reader may choose the other");
        browser.call("Emulation.setEmulatedMedia", json!({"features": []}));
    }
    browser.assert_no_errors();
}

#[test]
#[ignore = "needs a browser; cargo xtask test browser"]
fn an_episode_is_stepped_through_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("agent.html");
    ok(&["rl", "train", "cliff-walking", "--steps", "20000", "--report", page.to_str().unwrap()]);
    let mut browser = Browser::start();
    browser.open(&page, 1200);
    let frames = browser.number("document.querySelectorAll('.frames pre').length");
    assert!(frames > 10.0, "{frames} frames");
    let shown = "[...document.querySelectorAll('.frames pre')].map((f, k) => f.hidden ? -1 : k).filter(k => k >= 0).join()";
    assert_eq!(browser.run(shown), "0");
    browser.run(
        "(() => { const bar = document.querySelector('.player input'); bar.value = 3; \
         bar.dispatchEvent(new Event('input', {bubbles: true})); return 1; })()",
    );
    assert_eq!(
        (browser.run(shown), browser.run("document.querySelector('.player output').textContent")),
        (json!("3"), json!(format!("3 of {}", frames - 1.0)))
    );
    // It plays to the end, stops there, and begins again when asked.
    browser.run("document.querySelector('.player button').click()");
    let started = Instant::now();
    while browser.run("document.querySelector('.player button').textContent") != "Play" {
        assert!(started.elapsed() < PATIENCE, "it never ends");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(browser.run(shown), (frames - 1.0).to_string().as_str());
    browser.run("document.querySelector('.player button').click()");
    assert_ne!(browser.run(shown), (frames - 1.0).to_string().as_str());
    browser.assert_no_errors();
}
