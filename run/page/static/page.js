// What is marked data-live is fetched anew when something changes, and put in place of what was
// there. Everything works without this, by loading the page again.
"use strict";

const lost = document.getElementById("lost");
let running = false, again = false;

async function refresh() {
	if (running) { again = true; return; }
	running = true;
	try {
		const answer = await fetch(location.href, {headers: {Accept: "text/html"}});
		lost.hidden = true;
		if (answer.redirected) { location.reload(); return; }
		if (answer.ok || answer.status === 404) replace(new DOMParser().parseFromString(await answer.text(), "text/html"), answer.ok);
	} catch { lost.hidden = false; }
	running = false;
	if (again) { again = false; setTimeout(refresh, 300); }
}

function replace(now, found) {
	if (!found) { document.getElementById("main").replaceWith(now.getElementById("main")); return; }
	for (const old of document.querySelectorAll("[data-live]")) {
		const fresh = now.getElementById(old.id);
		if (!fresh || fresh.innerHTML === old.innerHTML) continue;
		const focused = old.contains(document.activeElement) ? [...old.querySelectorAll("a,button,input,summary")].indexOf(document.activeElement) : -1;
		old.replaceChildren(...fresh.childNodes);
		if (focused >= 0) old.querySelectorAll("a,button,input,summary")[focused]?.focus();
	}
}

// A change is what it was made with: forms say the revision that is on the page, so one that
// was made of an older state is refused, and this leaves them alone.
const watched = document.body.dataset.watch;
if (watched) {
	const events = new EventSource("/ui/watch/" + watched);
	let timer = 0;
	const soon = () => { clearTimeout(timer); timer = setTimeout(refresh, 150); };
	events.addEventListener("put", soon);
	events.addEventListener("delete", soon);
	events.addEventListener("begin", soon); // what has changed since the page was made
	events.onerror = () => { lost.hidden = events.readyState !== EventSource.CONNECTING; };
	addEventListener("pagehide", () => events.close());
}
if ("poll" in document.body.dataset) setInterval(() => { if (!document.hidden) refresh(); }, 5000);

for (const form of document.querySelectorAll('form[method="post"]')) {
	form.addEventListener("submit", () => setTimeout(() => { for (const b of form.querySelectorAll("button")) b.disabled = true; }));
}
addEventListener("pageshow", () => { for (const b of document.querySelectorAll("button:disabled")) b.disabled = false; });
