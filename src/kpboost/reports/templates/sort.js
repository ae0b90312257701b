// A click on a heading sorts its table: numbers as numbers, empty cells last, second click reverses.
document.querySelectorAll("table.sortable th button").forEach((button) => {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const body = head.closest("table").tBodies[0];
    const column = head.cellIndex;
    const first = head.dataset.first === "descending" ? "descending" : "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? second : first;
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => row.cells[column].dataset.value;
    const compare = (a, b) => {
      if (a === "" || b === "") return (a === "") - (b === "");
      const gap = Number(a) - Number(b);
      return sign * (Number.isNaN(gap) ? a.localeCompare(b, undefined, { numeric: true }) : gap);
    };
    head.parentNode.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    [...body.rows].sort((a, b) => compare(key(a), key(b))).forEach((row) => body.append(row));
  });
});
// A table that is wider than its place says so until its end is reached.
document.querySelectorAll(".scroll").forEach((box) => {
  const look = () => box.classList.toggle("wide", box.scrollWidth - box.clientWidth - box.scrollLeft > 8);
  look();
  new ResizeObserver(look).observe(box);
  box.addEventListener("scroll", look, { passive: true });
});
// A link to a folded section unfolds it, and on paper nothing is folded.
const unfold = (part) => { if (part instanceof HTMLDetailsElement) part.open = true; };
const target = () => unfold(document.getElementById(decodeURIComponent(location.hash.slice(1))));
document.querySelectorAll('nav a[href^="#"]').forEach((link) => {
  link.addEventListener("click", () => unfold(document.getElementById(link.hash.slice(1))));
});
addEventListener("hashchange", target);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(unfold));
target();
