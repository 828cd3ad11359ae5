//! Bandits and agents through the real binary.

use serde_json::Value;

use crate::command::{fails, json, ok, path};

/// A self-contained page: no address, no other file.
fn assert_page(path: &str, holds: &[&str]) {
    let html = std::fs::read_to_string(path).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains("<figure ") | html.contains("<pre "), "{path}");
    for word in holds {
        assert!(html.contains(word), "{path} lacks {word}");
    }
    for address in ["src=", "href=\"http", "url(", "@import"] {
        assert!(!html.contains(address), "{path} has {address}");
    }
}

#[test]
fn bandits_are_run_against_their_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let page = path(folder.path(), "out.html");
    let args = ["bandit", "run", "--arms", "0.1,0.5,0.6", "--policies", "ucb,thompson,exp3", "--rounds", "2000", "--runs", "20"];
    let v = json(&[&args[..], &["--report", &page]].concat());
    let policies = v["policies"].as_array().unwrap();
    assert_eq!(policies.iter().map(|p| p["name"].as_str().unwrap()).collect::<Vec<_>>(), ["ucb", "thompson", "exp3"]);
    for p in policies {
        let last = |key: &str| p[key].as_array().unwrap().last().unwrap().as_f64().unwrap();
        assert!(last("low") <= last("mean") && last("mean") <= last("high") + 1e-9, "{p}");
        if !p["bound"].is_null() {
            assert!(last("mean") <= last("bound"), "{p}");
        }
        let pulls: f64 = p["pulls"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).sum();
        assert!((pulls - 2000.0).abs() < 1e-6);
    }
    assert!(v["lai_robbins"].as_f64().unwrap() > 0.0);
    assert_page(&page, &["Lai and Robbins", "thompson", "fill-opacity"]);
    // The same seed gives the same regrets on any number of threads, another seed others.
    let again = json(&[&args[..], &["--threads", "1"]].concat());
    assert_eq!(v["policies"], again["policies"]);
    assert_ne!(v["policies"], json(&[&args[..], &["--seed", "1"]].concat())["policies"]);
    let text = ok(&args);
    assert!(text.contains("Regret after 2000 rounds") && text.lines().all(|l| l.chars().count() <= 80), "{text}");
}

#[test]
fn other_arms_delays_and_sets_are_run() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--rounds", "300", "--runs", "4"];
    for more in [
        &["--arms", "-1,0.5", "--kind", "gaussian", "--policies", "thompson-gaussian,epsilon-greedy"][..],
        &["--arms", "0.2,0.7", "--kind", "bounded", "--half-width", "0.1", "--policies", "ucb1,moss"],
        &["--arms", "0.5,0.5", "--kind", "drift", "--policies", "sliding-window-ucb,discounted-ucb"],
        &["--arms", "4", "--kind", "linear", "--context", "3", "--policies", "linucb,linear-thompson"],
        &["--arms", "0.9,0.5,0.1", "--policies", "cucb(m=2)"],
        &["--arms", "0.9,0.5", "--delay", "uniform:20", "--policies", "ucb1(c=0.5),kl-ucb"],
    ] {
        let v = json(&[&["bandit", "run"][..], more, &small].concat());
        assert!(!v["policies"].as_array().unwrap().is_empty(), "{more:?}");
    }
    let rewards = path(folder.path(), "rewards.csv");
    std::fs::write(&rewards, "a,b\n".to_owned() + &"0,1\n1,0\n1,0\n".repeat(30)).unwrap();
    let v =
        json(&[&["bandit", "run", "--kind", "adversarial", "--rewards", &rewards, "--policies", "exp3"][..], &small].concat());
    assert!(v["notes"][0].as_str().unwrap().contains("fixed arm"), "{v}");
    for (args, code, says) in [
        (&["bandit", "run", "--policies", "ucb"][..], 2, "--arms"),
        (&["bandit", "run", "--arms", "0.1,0.5", "--policies", "thomson"], 2, "thompson"),
        (&["bandit", "run", "--arms", "0.1,0.5", "--policies", "ucb1(c=-1)"], 2, "above 0"),
        (&["bandit", "run", "--arms", "0.1,1.5"], 1, "1.5 is not a probability"),
        (&["bandit", "run", "--arms", "0,1", "--kind", "gaussian", "--policies", "ucb1"], 1, "range"),
        (&["bandit", "run", "--arms", "0.1,0.5", "--policies", "linucb"], 1, "context"),
        (&["bandit", "run", "--arms", "0.1,0.5", "--delay", "soon"], 2, "--delay"),
        (&["bandit", "policies", "ucb9"], 2, "ucb1"),
    ] {
        let (found, message) = fails(args);
        assert_eq!(found, code, "{args:?}: {message}");
        assert!(message.contains(says), "{args:?}: {message}");
    }
}

#[test]
fn the_best_arms_are_found_and_policies_are_listed() {
    let v = json(&["bandit", "top", "--arms", "0.9,0.8,0.3,0.1", "-m", "2", "--delta", "0.1", "--runs", "20"]);
    assert_eq!(v["arms"], serde_json::json!([0, 1]));
    assert!(v["errors"].as_f64().unwrap() <= 0.1 && v["total_samples"].as_f64().unwrap() < v["bound"].as_f64().unwrap());
    let v = json(&["bandit", "top", "--arms", "0.9,0.8,0.3,0.1", "-m", "2", "--budget", "400", "--runs", "20"]);
    assert!(v["total_samples"].as_f64().unwrap() <= 400.0 && v["errors"].as_f64().unwrap() <= 0.1);
    assert_eq!(fails(&["bandit", "top", "--arms", "0.9,0.8"]).0, 2);
    let all = json(&["bandit", "policies"]);
    assert!(all["policies"].as_array().unwrap().len() >= 17);
    let text = ok(&["bandit", "policies", "kl-ucb"]);
    assert!(text.contains("kl(mean, q)") && text.lines().all(|l| l.chars().count() <= 80), "{text}");
}

/// A log of uniform choices among three arms, of which the second pays most.
fn write_log(path: &str) {
    let mut text = String::from("item,click,p,hour\n");
    for i in 0u64..900 {
        let arm = ["a", "b", "c"][(i * 7919 / 3 % 3) as usize];
        let pays = (i * 104_729 % 100)
            < match arm {
                "a" => 20,
                "b" => 70,
                _ => 40,
            };
        text += &format!("{arm},{},{},{}\n", u8::from(pays), 1.0 / 3.0, i % 24);
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn logs_are_replayed_and_policies_go_on_from_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let (log, policy, page) = (path(folder.path(), "log.csv"), path(folder.path(), "p.ermine"), path(folder.path(), "r.html"));
    write_log(&log);
    let columns = ["--arm", "item", "--reward", "click", "--propensity", "p"];
    let replay = |more: &[&str]| json(&[&["bandit", "replay", &log][..], &columns, more].concat());
    let v = replay(&["--policies", "thompson,ucb1,linucb", "--context", "hour", "--like", &log, "--report", &page]);
    let estimates = v["estimates"].as_array().unwrap();
    assert_eq!(estimates.len(), 7, "three that learn, and four ways to look at the shares of a log");
    let mean = v["logged_mean"].as_f64().unwrap();
    for e in estimates.iter().filter(|e| e["policy"].as_str().unwrap().starts_with("as in")) {
        // The shares of the log itself: every estimate holds its own mean.
        assert!(e["low"].as_f64().unwrap() <= mean && mean <= e["high"].as_f64().unwrap(), "{e}");
    }
    assert_page(&page, &["doubly robust"]);
    let first = replay(&["--policies", "thompson", "-o", &policy]);
    assert_eq!(first["arms"], serde_json::json!(["a", "b", "c"]));
    let second = json(&[&["bandit", "replay", &log][..], &columns, &["--resume", &policy]].concat());
    let value = |v: &Value| v["estimates"][0]["value"].as_f64().unwrap();
    assert!(value(&second) > value(&first) - 0.1 && value(&second) > 0.5, "what was learned is not forgotten: {second}");
    let (code, message) = fails(&["predict", &policy, "example:iris"]);
    assert!(code == 1 && message.contains("thompson policy"), "{message}");
    // A log without propensities: replay works, the others say what is missing.
    let (code, message) = fails(&["bandit", "replay", &log, "--arm", "item", "--reward", "click", "--like", &log]);
    assert!(code == 2 && message.contains("--propensity"), "{message}");
    std::fs::write(&log, "item,click,p\na,1,0.5\nb,0,\na,0,0.5\n").unwrap();
    let (code, message) = fails(&[&["bandit", "replay", &log][..], &columns, &["--like", &log]].concat());
    assert!(code == 1 && message.contains("row 2") && message.contains("missing"), "{message}");
    assert!(fails(&["bandit", "replay", &log, "--arm", "itme"]).1.contains("item"));
}

#[test]
fn agents_are_trained_played_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (agent, page) = (path(folder.path(), "taxi.ermine"), path(folder.path(), "taxi.html"));
    let v = json(&[
        "rl",
        "train",
        "taxi",
        "--agent",
        "q-learning",
        "--steps",
        "200000",
        "--seeds",
        "2",
        "-o",
        &agent,
        "--report",
        &page,
    ]);
    assert!(v["evaluation"]["mean"].as_f64().unwrap() > 6.5, "{}", v["evaluation"]);
    assert_eq!(v["runs"].as_array().unwrap().len(), 2);
    assert_eq!(v["curve"]["mean"].as_array().unwrap().len(), v["curve"]["at"].as_array().unwrap().len());
    assert_page(&page, &["fill-opacity", "class=\"frames\"", "Returns while learning"]);
    let played = json(&["rl", "play", &agent, "--episodes", "3", "--seed", "5"]);
    assert_eq!(played["episodes"].as_array().unwrap().len(), 3);
    assert!(
        played["episodes"].as_array().unwrap().iter().all(|e| e["terminated"] == true && e["return"].as_f64().unwrap() > 0.0)
    );
    let film = ok(&["rl", "play", &agent, "--render"]);
    assert!(film.contains("|R: | : :G|") || film.contains("| : | : : |"), "{film}");
    assert!(film.contains("(Dropoff)") && film.contains("taxi"));
    let more = json(&["rl", "train", "taxi", "--resume", &agent, "--steps", "1000"]);
    assert_eq!(more["runs"][0]["steps"], 201_000);
    let (code, message) = fails(&["explain", &agent]);
    assert!(code == 1 && message.contains("q-learning agent"), "{message}");
    let text = ok(&["rl", "train", "cliff-walking", "--agent", "sarsa", "--episodes", "300"]);
    assert!(text.contains("sarsa on cliff-walking") && text.lines().all(|l| l.chars().count() <= 80), "{text}");
    for (args, code, says) in [
        (&["rl", "train", "taxy"][..], 2, "taxi"),
        (&["rl", "train", "taxi", "--agent", "q-lerning"], 2, "q-learning"),
        (&["rl", "train", "taxi", "--set", "alpha=2"], 2, "alpha"),
        (&["rl", "train", "taxi", "--set", "alpha"], 2, "KEY=VALUE"),
        (&["rl", "train", "frozen-lake(is_slipery=false)"], 2, "is_slippery"),
        (&["rl", "train", "cartpole", "--agent", "q-learning", "--steps", "10"], 1, "table of states"),
        (&["rl", "play", "nowhere.ermine"], 1, "nowhere.ermine"),
    ] {
        let (found, message) = fails(args);
        assert_eq!(found, code, "{args:?}: {message}");
        assert!(message.contains(says), "{args:?}: {message}");
    }
}

#[test]
fn worlds_are_solved_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let (map, page) = (path(folder.path(), "gridworld.txt"), path(folder.path(), "grid.html"));
    std::fs::write(&map, "...G\n.#.X\nS...\n").unwrap();
    // The 4x3 world of Russell and Norvig, figure 17.3: 0.705 at the start, without a discount. There every state that is
    // left costs 0.04; here the step onto the goal pays what the goal pays, and all values are 0.04 higher.
    let v = json(&["rl", "solve", &map, "--gamma", "1", "--report", &page]);
    assert!((v["start_value"].as_f64().unwrap() - 0.745).abs() < 5e-4, "{}", v["start_value"]);
    assert_page(&page, &["→", "Values"]);
    let text = ok(&["rl", "solve", &map, "--gamma", "1"]);
    assert!(text.contains("→ → → G") && text.contains("↑ # ↑ X") && text.contains("↑ ← ← ←"), "{text}");
    for (world, gamma, value) in
        [("frozen-lake", "0.99", 0.54202593), ("cliff-walking", "1", -13.0), ("taxi", "1", 7.93), ("blackjack", "1", -0.0431131)]
    {
        for method in ["value-iteration", "policy-iteration"] {
            let v = json(&["rl", "solve", world, "--gamma", gamma, "--method", method]);
            assert!((v["start_value"].as_f64().unwrap() - value).abs() < 1e-7, "{world} by {method}: {}", v["start_value"]);
        }
    }
    // A world as data, with names: stay and earn 1, or leave for 5 and the end.
    let table = path(folder.path(), "mdp.csv");
    std::fs::write(&table, "state,action,next,probability,reward,terminated\nhome,stay,home,1,1,0\nhome,leave,away,1,5,1\n")
        .unwrap();
    let v = json(&["rl", "solve", &table, "--gamma", "0.9"]);
    assert_eq!(v["states"], serde_json::json!(["away", "home"]));
    assert!((v["values"][1].as_f64().unwrap() - 10.0).abs() < 1e-9);
    assert_eq!(v["actions"][v["policy"][1].as_u64().unwrap() as usize], "stay");
    let (code, message) = fails(&["rl", "solve", &table, "--gamma", "1"]);
    assert!(code == 1 && message.contains("infinite"), "{message}");
    std::fs::write(&table, "state,action,next,probability,reward\na,go,a,0.5,1\na,go,b,0.4,0\nb,go,a,1,0\n").unwrap();
    let (code, message) = fails(&["rl", "solve", &table]);
    assert!(code == 1 && message.contains("0.9"), "{message}");
    assert!(fails(&["rl", "solve", "cartpole"]).1.contains("rl train"));
}
