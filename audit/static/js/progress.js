// Asks about once a second how far an upload is, until it has ended.
//
// Attaches to [data-progress]; its first child says with data-url where to ask and with data-ended
// that there is nothing more to come. Without this file a link refreshes the page.

const place = document.querySelector("[data-progress]");
const announcer = document.querySelector("[data-announce]");
const EVERY = 1000;
const SPOKEN_EVERY = 10;
let asked = 0;

function body() {
  return place.firstElementChild;
}

function tidy() {
  place.querySelector(".no-script")?.remove();
}

function isBusyReading() {
  const selection = getSelection();
  return !selection.isCollapsed && place.contains(selection.anchorNode);
}

async function ask() {
  let wait = EVERY;
  if (!document.hidden && !isBusyReading()) {
    try {
      const answer = await fetch(body().dataset.url, { redirect: "error" });
      if (!answer.ok) {
        throw new Error(String(answer.status));
      }
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceChildren(...fresh.body.childNodes);
      tidy();
      asked += 1;
      const ended = "ended" in body().dataset;
      if (ended || asked % SPOKEN_EVERY === 1) {
        announcer.textContent = place.querySelector("[data-words], [role=alert]")?.textContent ?? "";
      }
    } catch {
      wait = 5 * EVERY;
    }
  }
  if (!("ended" in body().dataset)) {
    setTimeout(ask, wait);
  }
}

tidy();
if (!("ended" in body().dataset)) {
  setTimeout(ask, EVERY);
}
