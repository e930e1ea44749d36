// Marks the figure whose way stands open, and opens one without leaving the step's address.
//
// The ways themselves open by :target, so that they work without script.

function mark() {
  const name = decodeURIComponent(location.hash.slice(1));
  for (const link of document.querySelectorAll("a[data-way]")) {
    const isOpen = name !== "" && link.hash === `#${name}`;
    link.closest("td").classList.toggle("open", isOpen);
    if (isOpen) {
      link.setAttribute("aria-current", "true");
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

addEventListener("hashchange", mark);
addEventListener("popstate", mark);
mark();
