"use strict";
(function () {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const button = document.querySelector(".theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; label(); });
  dark.addEventListener("change", label);
  label();

  // On a narrow screen the contents are one tap away and not in the way.
  const contents = document.querySelector("nav details");
  const wide = window.matchMedia("(min-width: 62.01rem)");
  const unfold = () => { contents.open = wide.matches; };
  wide.addEventListener("change", unfold);
  unfold();
  // Paper has no folds.
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));

  const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.hash.slice(1), a]));
  if ("IntersectionObserver" in window) {
    const seen = new IntersectionObserver((entries) => {
      for (const e of entries) {
        if (!e.isIntersecting) continue;
        links.forEach((a) => a.removeAttribute("aria-current"));
        const a = links.get(e.target.id);
        if (a) a.setAttribute("aria-current", "true");
      }
    }, { rootMargin: "0px 0px -70% 0px" });
    document.querySelectorAll("h2[id]").forEach((h) => seen.observe(h));
  }

  // Frames of an episode, one at a time; without scripts they stand below each other.
  document.querySelectorAll(".frames").forEach((box) => {
    const frames = [...box.querySelectorAll("pre")], last = frames.length - 1;
    const [bar, button, says] = ["input", "button", "output"].map((name) => box.querySelector(name));
    let timer = 0;
    const show = (i) => {
      frames.forEach((frame, k) => { frame.hidden = k !== i; });
      bar.value = i;
      says.textContent = i + " of " + last;
    };
    const stop = () => { clearInterval(timer); timer = 0; button.textContent = "Play"; };
    bar.addEventListener("input", () => { stop(); show(Number(bar.value)); });
    button.addEventListener("click", () => {
      if (timer) return stop();
      button.textContent = "Stop";
      if (Number(bar.value) >= last) show(0);
      timer = setInterval(() => (Number(bar.value) < last ? show(Number(bar.value) + 1) : stop()), 80);
    });
    box.querySelector(".player").hidden = false;
    show(0);
  });

  const NS = "http://www.w3.org/2000/svg";
  const element = (name, attributes, text) => {
    const e = document.createElementNS(NS, name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const count = (v) => v.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const share = (part, of) => (of > 0 ? (100 * part / of).toFixed(1) + "%" : "–");
  const round = (v) => (v === 0 || (Math.abs(v) >= 1e-3 && Math.abs(v) < 1e7) ? count(Number(v.toPrecision(5))) : v.toPrecision(3));

  document.querySelectorAll(".explorer").forEach((box) => {
    const data = JSON.parse(box.querySelector("script").textContent);
    const form = box.querySelector("form");
    const field = (name) => form.elements.namedItem(name);
    const out = (name) => box.querySelector("[data-out='" + name + "']");
    const steps = data.steps;
    const at = () => Number(field("threshold").value);
    const cost = (name, otherwise) => {
      const v = parseFloat(field(name).value);
      return Number.isFinite(v) && v >= 0 ? v : otherwise;
    };
    const of = () => data.classes[field("class") ? Number(field("class").value) : 0];

    // With a cost of not deciding, rows stay undecided where either decision is expected to cost more: between low and high.
    const band = (fp, fn, abstain) => {
      const low = Math.ceil(steps * Math.min(1, abstain / fn) - 1e-9);
      const high = Math.ceil(steps * Math.max(0, 1 - abstain / fp) - 1e-9);
      return low < high ? [low, high] : null;
    };
    const consequences = (c, k, fp, fn, abstain) => {
      const free = abstain === null ? null : band(fp, fn, abstain);
      const [low, high] = free || [k, k];
      const r = { low, high, tp: c.tp[high], fp: c.fp[high], fn: c.positives - c.tp[low], tn: c.negatives - c.fp[low] };
      r.dp = c.tp[low] - c.tp[high];
      r.dn = c.fp[low] - c.fp[high];
      r.cost = fp * r.fp + fn * r.fn + (abstain === null ? 0 : abstain * (r.dp + r.dn));
      r.declines = free !== null;
      return r;
    };
    const least = (c, fp, fn) => {
      let best = 0;
      for (let k = 0; k <= steps; k++) {
        const d = consequences(c, k, fp, fn, null).cost - consequences(c, best, fp, fn, null).cost;
        if (d < 0 || (d === 0 && Math.abs(2 * k - steps) < Math.abs(2 * best - steps))) best = k;
      }
      return best;
    };

    const curve = (c, k, fp, fn) => {
      const svg = box.querySelector("svg.cost");
      svg.replaceChildren();
      const [left, top, width, height] = [58, 14, 326, 166];
      const costs = c.tp.map((_, i) => consequences(c, i, fp, fn, null).cost);
      const most = Math.max(...costs) || 1;
      const x = (i) => left + width * i / steps;
      const y = (v) => top + height * (1 - v / most / 1.05);
      const raw = most / 4, unit = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= raw);
      for (let v = 0; v <= most * 1.05; v += step) {
        svg.append(element("line", { class: "grid", x1: left, x2: left + width, y1: y(v), y2: y(v) }));
        svg.append(element("text", { class: "soft", x: left - 7, y: y(v) + 4, "text-anchor": "end" }, round(v)));
      }
      for (let t = 0; t <= 1.001; t += 0.25) {
        svg.append(element("text", { class: "soft", x: x(t * steps), y: top + height + 17, "text-anchor": "middle" }, String(t)));
      }
      svg.append(element("text", { x: left + width / 2, y: 214, "text-anchor": "middle" }, "threshold"));
      const every = Math.max(1, Math.floor(steps / 500));
      const points = costs.map((v, i) => (i % every ? null : x(i).toFixed(1) + " " + y(v).toFixed(1))).filter((p) => p);
      svg.append(element("path", { class: "line c0", d: "M" + points.join("L") }));
      svg.append(element("line", { class: "guide", x1: x(k), x2: x(k), y1: top, y2: top + height }));
      svg.append(element("circle", { class: "now", cx: x(k), cy: y(costs[k]), r: 5 }));
    };

    // The present threshold on the curves of the page.
    const mark = (name, px, py) => {
      const svg = document.querySelector("#figure-" + name + " svg[data-area]");
      if (!svg) return;
      const old = svg.querySelector(".now");
      if (old) old.remove();
      if (!Number.isFinite(px + py)) return;
      const [left, top, width, height] = svg.dataset.area.split(" ").map(Number);
      const [x0, x1] = svg.dataset.x.split(" ").map(Number), [y0, y1] = svg.dataset.y.split(" ").map(Number);
      const cx = left + width * (px - x0) / (x1 - x0), cy = top + height * (1 - (py - y0) / (y1 - y0));
      svg.append(element("circle", { class: "now", cx, cy, r: 5 }));
    };

    const show = () => {
      const c = of(), k = at(), fp = cost("fp", 1), fn = cost("fn", 1), abstain = cost("abstain", null);
      const r = consequences(c, k, fp, fn, abstain);
      const number = (name, v) => { out(name).textContent = count(v); out(name).dataset.value = v; };
      const text = (name, v) => { out(name).textContent = v; };
      ["tp", "fp", "fn", "tn", "dp", "dn"].forEach((name) => number(name, r[name]));
      box.querySelectorAll(".decline").forEach((e) => { e.hidden = !r.declines; });
      const t = r.declines ? (r.low / steps).toFixed(3) + " to " + (r.high / steps).toFixed(3) : (k / steps).toFixed(3);
      field("shown").value = t;
      field("threshold").disabled = r.declines;
      field("threshold").setAttribute("aria-valuetext", t);
      text("head-yes", "decided for " + c.name);
      text("row-yes", "is " + c.name);
      text("precision", share(r.tp, r.tp + r.fp));
      text("recall", share(r.tp, c.positives));
      text("fpr", share(r.fp, c.negatives));
      text("accuracy", share(r.tp + r.tn, r.tp + r.tn + r.fp + r.fn));
      const all = c.positives + c.negatives;
      text("cost", round(r.cost));
      out("cost").dataset.value = r.cost;
      text("cost-row", round(r.cost / all) + " a row");
      const what = r.declines
        ? "Rows with a probability of " + c.name + " between " + (r.low / steps).toFixed(3) + " and " + (r.high / steps).toFixed(3) + " stay undecided: " + share(r.dp + r.dn, all) + " of all."
        : "Decides for " + c.name + " from a probability of " + t + " on: " + share(r.tp + r.fp, all) + " of all rows.";
      const best = least(c, fp, fn), lowest = consequences(c, best, fp, fn, null).cost;
      const gain = r.cost - lowest;
      const more = Math.abs(gain) < 1e-9 * Math.max(1, lowest)
        ? " No threshold costs less here."
        : gain > 0 ? " That is " + round(gain) + " more than at " + (best / steps).toFixed(3) + ", where it would be least."
          : " That saves " + round(-gain) + " against the best single threshold, " + (best / steps).toFixed(3) + ".";
      text("says", what + " Of 1,000 such rows about " + count(Math.round(1000 * r.fp / all)) + " are false alarms and " + count(Math.round(1000 * r.fn / all)) + " are missed." + more);
      curve(c, r.declines ? Math.round((r.low + r.high) / 2) : k, fp, fn);
      mark("roc", r.fp / c.negatives, r.tp / c.positives);
      mark("precision-recall", r.tp / c.positives, r.tp / (r.tp + r.fp));
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", (e) => e.preventDefault());
    form.addEventListener("click", (e) => {
      const go = e.target.dataset ? e.target.dataset.go : undefined;
      if (!go) return;
      const fp = cost("fp", 1), fn = cost("fn", 1);
      const k = go === "best" ? least(of(), fp, fn) : go === "half" ? steps / 2 : Math.ceil(steps * (fp + fn > 0 ? fp / (fp + fn) : 0.5) - 1e-9);
      field("abstain").value = "";
      field("threshold").value = k;
      show();
    });
    show();
  });
})();
