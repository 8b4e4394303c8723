// @ts-check
// A final that its visitor verifies: the page has the records and the rules inside, and asks for nothing.

import { element, recallTheme, themeButton } from "./parts.js";
import { Rules } from "./rules.js";

/** Records that are replayed between two looks at how far it is. */
const AT_ONCE = 20;

/** @param {string} id */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const rules = new Rules();
const button = /** @type {HTMLButtonElement} */ (find("verify"));
const progress = /** @type {HTMLProgressElement} */ (find("progress"));
const verdict = find("verdict");

/** @param {string} address @param {object} [body] */
async function ask(address, body) {
  const { status, said } = await rules.ask(address, body);
  if (status !== 200) throw new Error(said?.error ?? `the rules answer ${status}`);
  return said;
}

async function verify() {
  const records = (find("records").textContent ?? "").split("\n").filter((line) => line !== "");
  const { planned } = await ask("/begin", JSON.parse(find("final").textContent ?? ""));
  progress.max = planned;
  for (let place = 0; place < records.length; place += AT_ONCE) {
    await ask("/check", { place, records: records.slice(place, place + AT_ONCE) });
    progress.value = Math.min(place + AT_ONCE, planned);
  }
  const { matches, ranks } = await ask("/finish");
  return `You have verified ${matches} matches: all seeds follow from the secret, every match ends by the rules as recorded, and the ${ranks} ranks follow from the results.`;
}

button.addEventListener("click", async () => {
  button.disabled = true;
  progress.hidden = false;
  verdict.className = "note";
  verdict.textContent = "Replaying …";
  const begun = performance.now();
  try {
    const text = await verify();
    verdict.className = "verified";
    verdict.replaceChildren(element("strong", {}, text), ` It took ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  } catch (error) {
    verdict.className = "fault";
    const why = error instanceof Error ? error.message : String(error);
    verdict.replaceChildren(element("strong", {}, "This final is not what it says. "), `${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
  }
  progress.hidden = true;
  button.disabled = false;
});
button.disabled = false;
recallTheme();
document.querySelector(".site")?.append(themeButton());
