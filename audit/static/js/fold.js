// Folds the filters to one line on a phone once one is applied: [data-fold].

if (matchMedia("(max-width: 48rem)").matches) {
  for (const details of document.querySelectorAll("details[data-fold]")) {
    details.open = false;
  }
}
