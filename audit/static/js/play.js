// Plays a hand step by step, at a chosen speed or in the hand's own time, and pauses at findings.
//
// Attaches to [data-play] inside [data-stepper]; without this file the button stays hidden. It never
// starts by itself. Steps are asked for by pressing the same link as the reader would.

const root = document.querySelector("[data-stepper]");
const region = root.querySelector("[data-region]");
const OWN_MAX = 10_000;
const OWN_MIN = 100;
let timer = 0;
let isPlaying = false;
let speed = "1";

function wait() {
  if (speed !== "own") {
    return 1000 / Number(speed);
  }
  const own = Number(region.querySelector("[data-wait]")?.dataset.wait ?? 1000);
  return Math.min(Math.max(own, OWN_MIN), OWN_MAX);
}

function next() {
  return region.querySelector('[data-goal="next"]');
}

function draw() {
  const group = region.querySelector("[data-play-group]");
  const speeds = region.querySelector("[data-speed-group]");
  group.hidden = false;
  speeds.hidden = false;
  const select = speeds.querySelector("select");
  if ([...select.options].some((option) => option.value === speed)) {
    select.value = speed;
  }
  group.querySelector("[data-play]").setAttribute("aria-pressed", String(isPlaying));
  const word = group.querySelector("[data-play-word]");
  word.textContent = isPlaying ? word.dataset.pauseText : word.dataset.playText;
}

function pause() {
  isPlaying = false;
  clearTimeout(timer);
  draw();
}

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const link = next();
    if (link) {
      link.click();
    } else {
      pause();
    }
  }, wait());
}

function toggle() {
  if (isPlaying) {
    pause();
    return;
  }
  if (next()) {
    isPlaying = true;
    draw();
    schedule();
  }
}

// A step that one chose oneself ends the play; the play's own steps go on to the next.
root.addEventListener("stepped", () => {
  if (isPlaying && (region.querySelector(".finding") || !next())) {
    pause();
    return;
  }
  draw();
  if (isPlaying) {
    schedule();
  }
});

root.addEventListener("toggleplay", toggle);

root.addEventListener("click", (event) => {
  if (event.target.closest("[data-play]")) {
    toggle();
  } else if (isPlaying && event.isTrusted && event.target.closest("a")) {
    pause();
  }
});

root.addEventListener("change", (event) => {
  const select = event.target.closest("[data-speed]");
  if (select) {
    speed = select.value;
    if (isPlaying) {
      schedule();
    }
  }
});

document.addEventListener("keydown", (event) => {
  if (isPlaying && event.key !== " ") {
    pause();
  }
});

draw();
