// @ts-check
// Times of a page in the visitor's own time zone, with how long it is until then. Without script they
// stay in that of the site.

const DAY = 86400;

/** @param {number} seconds */
function until(seconds) {
  const [count, unit] =
    seconds >= 2 * DAY ? [Math.floor(seconds / DAY), "days"]
    : seconds >= 7200 ? [Math.floor(seconds / 3600), "hours"]
    : [Math.max(1, Math.floor(seconds / 60)), "minutes"];
  return `in ${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}

function show() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(at.getTime())) continue;
    const own = at.toLocaleString([], {
      year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
    });
    const left = (at.getTime() - Date.now()) / 1000;
    if (!time.hasAttribute("title")) time.setAttribute("title", time.textContent ?? "");
    time.textContent = left > 0 ? `${own} (${until(left)})` : own;
  }
}

show();
// How long it is until then changes, and so may the page.
setInterval(show, 10_000);
document.addEventListener("renewed", show);
