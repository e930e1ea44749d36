// Steps through a hand without loading the page again.
//
// Attaches to [data-stepper]: links with data-step lead to other steps, [data-region] is what is
// replaced, [data-announce] is the live region. Without this file every link still works.

const root = document.querySelector("[data-stepper]");
const region = root.querySelector("[data-region]");
const announcer = root.querySelector("[data-announce]");
const help = document.querySelector("#keys");
const helpButton = document.querySelector("[data-open-keys]");

const KEYS = new Map([
  ["ArrowLeft", "previous"],
  ["ArrowRight", "next"],
  ["[", "previous-part"],
  ["]", "next-part"],
  ["Home", "first"],
  ["End", "last"],
  ["f", "next-finding"],
  ["F", "previous-finding"],
  ["1", "decision-1"],
  ["2", "decision-2"],
  ["3", "decision-3"],
  ["4", "decision-4"],
]);
const PAGES_KEPT = 80;
const WAITING_MAX = 8;
const IDLE = 250;
const STEP = /^\/(hands\/\d+|shared\/[\w-]+)\/(steps\/\d+\/)?$/;

const pages = new Map();
let queue = Promise.resolve();
let waiting = 0;
let later = 0;
let shown = location.href.split("#")[0];

function load(url) {
  const known = pages.get(url);
  if (known) {
    return known;
  }
  const page = fetch(url, { headers: { "X-Tilecourt-Region": "1" } }).then(async (answer) => {
    // A place ahead leads on to its step; anything else, as the log-in, is no step.
    if (!answer.ok || !STEP.test(new URL(answer.url).pathname)) {
      throw new Error(`${url}: ${answer.status}`);
    }
    return { url: answer.url, html: await answer.text() };
  });
  pages.set(url, page);
  page.catch(() => pages.delete(url));
  if (pages.size > PAGES_KEPT) {
    pages.delete(pages.keys().next().value);
  }
  return page;
}

function goal(name) {
  return region.querySelector(`[data-goal="${name}"]`);
}

function fetchAhead(names) {
  for (const name of names) {
    const link = goal(name);
    if (link) {
      load(link.href).catch(() => {});
    }
  }
}

// The next step at once; the other goals when one has stopped to look. What a viewer has not seen
// yet is not fetched before it is asked for.
function prefetch() {
  const isAhead = region.querySelector("[data-ahead]") !== null;
  if (isAhead) {
    fetchAhead(["next"]);
  }
  clearTimeout(later);
  later = setTimeout(() => {
    fetchAhead(["previous", "previous-part", "previous-finding"]);
    if (isAhead) {
      fetchAhead(["next-finding", "next-part"]);
    }
  }, IDLE);
}

// The list of events is the same at each step but for its marks; drawing its tiles anew would take
// longer than all the rest.
function swap(fresh) {
  const kept = region.querySelector("[data-events]");
  const events = fresh.querySelector("[data-events]");
  if (!kept || !events) {
    region.replaceChildren(...fresh.body.childNodes);
    return;
  }
  const groups = events.querySelectorAll("details");
  kept.querySelectorAll("details").forEach((group, place) => {
    group.open = groups[place].open;
  });
  kept.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const current = events.querySelector("[aria-current]");
  if (current) {
    kept.querySelector(`[data-key="${current.dataset.key}"]`).setAttribute("aria-current", "step");
  }
  const side = kept.parentElement;
  for (const child of [...side.children]) {
    if (child !== kept) {
      child.remove();
    }
  }
  for (const child of [...events.parentElement.children]) {
    if (child !== events) {
      kept.before(child);
    }
  }
  for (const name of [".view-bar", ".stage"]) {
    region.querySelector(name).replaceWith(fresh.querySelector(name));
  }
  const viewer = region.querySelector(".viewer");
  for (const { name, value } of fresh.querySelector(".viewer").attributes) {
    viewer.setAttribute(name, value);
  }
}

function show(html) {
  const key = document.activeElement?.closest("[data-key]")?.dataset.key;
  const hadFocus = region.contains(document.activeElement);
  const fresh = new DOMParser().parseFromString(html, "text/html");
  swap(fresh);
  tidy();
  if (hadFocus) {
    const same = key && region.querySelector(`[data-key="${CSS.escape(key)}"]`);
    (same || region.querySelector("[aria-current=step]"))?.focus({ preventScroll: true });
  }
  const viewer = region.querySelector("[data-number]");
  document.title = viewer.dataset.title;
  announcer.textContent = viewer.dataset.sentence;
  root.dispatchEvent(new Event("stepped"));
}

// What only makes sense without script, or only with it.
function tidy() {
  region.querySelector("[data-go]")?.setAttribute("hidden", "");
}

function enqueue(job) {
  if (waiting >= WAITING_MAX) {
    return;
  }
  waiting += 1;
  queue = queue.then(job).finally(() => {
    waiting -= 1;
  });
}

async function go(url) {
  let page;
  try {
    page = await load(url);
    show(page.html);
  } catch {
    // The log-in ended, or the server is away: the page itself says it best.
    location.assign(url);
    return;
  }
  shown = page.url;
  history.pushState(null, "", page.url + location.hash);
  prefetch();
}

function follow(name) {
  enqueue(async () => {
    const link = goal(name);
    if (link) {
      await go(link.href);
    }
  });
}

function isField(element) {
  return element instanceof Element && element.matches("input, select, textarea, [contenteditable]");
}

root.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
    return;
  }
  event.preventDefault();
  enqueue(() => go(link.href));
});

root.addEventListener("change", (event) => {
  const slider = event.target.closest("[data-scrub] input");
  if (slider) {
    enqueue(() => go(new URL(`${slider.value}/${slider.form.dataset.query}`, slider.form.action).href));
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target) || help.open) {
    return;
  }
  if (event.key === "?") {
    event.preventDefault();
    help.showModal();
    return;
  }
  if (event.key === " ") {
    // On a button or a link space keeps its own meaning.
    if (!(event.target instanceof Element && event.target.closest("button, a, summary"))) {
      event.preventDefault();
      root.dispatchEvent(new Event("toggleplay"));
    }
    return;
  }
  const press = { c: "[data-copy]", w: '[data-goal="what-if"]' }[event.key];
  if (press) {
    region.querySelector(press)?.click();
    return;
  }
  // With Shift a digit's key says another sign in each country.
  const digit = event.shiftKey ? /^Digit([1-4])$/.exec(event.code) : null;
  const name = digit
    ? `previous-decision-${digit[1]}`
    : KEYS.get(event.shiftKey ? event.key : event.key.replace(/^F$/, "f"));
  if (name) {
    event.preventDefault();
    follow(name);
  }
});

// Back leads to where one was, also from a place inside of a step.
addEventListener("popstate", () => {
  const url = location.href.split("#")[0];
  if (url === shown) {
    return;
  }
  enqueue(async () => {
    try {
      show((await load(url)).html);
      shown = url;
      prefetch();
    } catch {
      location.reload();
    }
  });
});

helpButton.hidden = false;
helpButton.addEventListener("click", () => help.showModal());
tidy();
prefetch();
root.dataset.ready = "";
