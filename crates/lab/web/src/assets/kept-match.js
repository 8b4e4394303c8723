// @ts-check
// Which match a page of play shows, kept in the address and in the tab, so that it is there again
// after the page was reloaded.

/** The match that this page shows. */
const KEPT = "match";
/** Under which name its record is kept once it has ended. */
const ENDED = "ended match";

/** The match that an address names. @param {URLSearchParams} place @returns {string | null} */
export const matchIn = (place) => place.get(KEPT);

/**
 * Keeps which match this page shows, and what was asked for. The seed is the server's secret:
 * it would tell what is hidden.
 * @param {import("./session.js").NewMatchRequest} request @param {import("./session.js").View} view
 */
export function keep(request, view) {
  history.replaceState(null, "", `#${KEPT}=${view.id}`);
  const { seed: _, actions: __, ...again } = request;
  try {
    sessionStorage.setItem(KEPT, view.id);
    if (view.record && view.is_kept) sessionStorage.setItem(ENDED, JSON.stringify({ id: view.id, record: view.record }));
    localStorage.setItem(KEPT, JSON.stringify({ id: view.id, request: again }));
  } catch {
    // Where nothing can be kept, the address alone must do.
  }
}

/** The match that this tab began last, as far as that was kept. @returns {string | null} */
export function findLast() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** Forgets which match this tab shows: it is not on the server any more. */
export function forget() {
  history.replaceState(null, "", location.pathname);
  try {
    sessionStorage.removeItem(KEPT);
  } catch {
    // As above.
  }
}

/** The request of the match that was played here before. @param {string} id @returns {import("./session.js").NewMatchRequest | null} */
export function findRequest(id) {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    return found?.id === id ? found.request : null;
  } catch {
    return null;
  }
}

/** The record of a match that was played to its end here. @param {string} id @returns {string | null} */
export function recordOf(id) {
  try {
    const found = JSON.parse(sessionStorage.getItem(ENDED) ?? "null");
    return found?.id === id ? found.record : null;
  } catch {
    return null;
  }
}
