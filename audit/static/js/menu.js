// Folds an open group of the main navigation away: by Escape, a press beside it, or going on.

const groups = [...document.querySelectorAll(".mainnav details")];

document.addEventListener("keydown", (event) => {
  const open = groups.find((group) => group.open);
  if (event.key !== "Escape" || !open) return;
  if (open.contains(document.activeElement)) open.querySelector("summary").focus();
  open.open = false;
});

document.addEventListener("pointerdown", (event) => {
  for (const group of groups) if (!group.contains(event.target)) group.open = false;
});

for (const group of groups) {
  group.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !group.contains(event.relatedTarget)) group.open = false;
  });
}
