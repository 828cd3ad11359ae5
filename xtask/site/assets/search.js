// Search over titles, names and summaries: every word that is typed has to begin a word of the entry.
const field = document.getElementById("search"), list = document.getElementById("found");
const root = document.documentElement.dataset.root;
const words = text => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const index = entries.map(entry => ({ entry, title: words(entry.title), all: words(entry.title + " " + entry.words) }));

function rank(typed, { title, all }) {
  const begins = (list, word) => list.some(w => w.startsWith(word));
  if (!typed.every(word => begins(all, word))) return 0;
  return typed.every(word => begins(title, word)) ? 2 : 1;
}

function show() {
  const typed = words(field.value);
  const hits = typed.length ? index.map(item => [rank(typed, item), item.entry]).filter(hit => hit[0]) : [];
  hits.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...hits.slice(0, 8).map(([, entry]) => {
    const item = document.createElement("li"), link = document.createElement("a"), path = document.createElement("span");
    link.href = root + entry.path;
    link.textContent = entry.title;
    path.textContent = entry.path.replace(/\.html$/, "");
    link.append(path);
    item.append(link);
    return item;
  }));
  list.hidden = hits.length === 0;
}

field.addEventListener("input", show);
field.addEventListener("keydown", event => {
  if (event.key === "Enter") list.querySelector("a")?.click();
  if (event.key === "Escape") { field.value = ""; show(); }
});
