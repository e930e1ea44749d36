// Copies the address of a link instead of following it.
//
// Attaches to a[data-copy]; where the clipboard is not to be had the link is followed as ever.

const announcer = document.querySelector("[data-announce]");
const SHOWN = 2000;

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-copy]");
  if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) {
    return;
  }
  event.preventDefault();
  try {
    await navigator.clipboard.writeText(link.href);
  } catch {
    location.assign(link.href);
    return;
  }
  const word = link.querySelector("[data-copy-word]");
  const before = word.textContent;
  word.textContent = word.dataset.copiedText;
  announcer.textContent = word.dataset.copiedSaid;
  setTimeout(() => {
    word.textContent = before;
  }, SHOWN);
});
