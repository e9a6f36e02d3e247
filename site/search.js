// The search: every word that is typed has to be there; headings count most, and what is
// said first. The index is loaded when somebody begins to search.
(() => {
	"use strict";
	const root = document.currentScript.dataset.root;
	const box = document.querySelector(".search");
	const input = document.getElementById("search");
	const list = document.getElementById("results");
	let index = null;
	box.hidden = false;

	const load = () => {
		if (index) return;
		index = [];
		const script = document.createElement("script");
		script.src = root + "search-index.js";
		script.onload = () => {
			index = window.searchIndex.map((e) => ({...e, head: e.h.toLowerCase(), text: e.t.toLowerCase(), page: e.p.toLowerCase()}));
			show();
		};
		document.head.append(script);
	};

	const score = (entry, words) => {
		let sum = 0;
		for (const word of words) {
			const at = entry.text.indexOf(word);
			if (entry.head === word) sum += 60;
			else if (entry.head.startsWith(word)) sum += 30;
			else if (entry.head.includes(word)) sum += 20;
			else if (entry.page.includes(word)) sum += 8;
			else if (at >= 0) sum += at < 120 ? 5 : 2;
			else return 0;
		}
		return sum - Math.min(entry.head.length, 60) / 20;
	};

	const show = () => {
		const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		list.replaceChildren();
		list.hidden = words.length === 0;
		if (list.hidden) return;
		const found = index.map((e) => [score(e, words), e]).filter(([s]) => s > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
		for (const [, e] of found) {
			const link = document.createElement("a");
			link.href = root + e.a;
			link.textContent = e.h === e.p ? e.h : e.p + ": " + e.h;
			const text = document.createElement("small");
			text.textContent = e.t.slice(0, 140);
			link.append(text);
			const item = document.createElement("li");
			item.append(link);
			list.append(item);
		}
		if (!found.length) {
			const none = document.createElement("li");
			none.className = "none";
			none.textContent = "Nothing has all of these words.";
			list.append(none);
		}
	};

	input.addEventListener("focus", load);
	input.addEventListener("input", () => { load(); show(); });
	document.addEventListener("keydown", (event) => {
		const links = [...list.querySelectorAll("a")];
		const at = links.indexOf(document.activeElement);
		if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
			event.preventDefault();
			input.focus();
		} else if (event.key === "Escape") {
			list.hidden = true;
		} else if (event.key === "ArrowDown" && !list.hidden && links.length) {
			event.preventDefault();
			links[Math.min(at + 1, links.length - 1)].focus();
		} else if (event.key === "ArrowUp" && at >= 0) {
			event.preventDefault();
			(links[at - 1] || input).focus();
		} else if (event.key === "Enter" && document.activeElement === input && links.length) {
			links[0].click();
		}
	});
	document.addEventListener("click", (event) => {
		if (!box.contains(event.target)) list.hidden = true;
		else if (event.target.closest("#results a")) list.hidden = true;
	});

	// A search can be linked to: index.html?q=volumes.
	const asked = new URLSearchParams(location.search).get("q");
	if (asked) {
		input.value = asked;
		load();
	}

	// On a narrow screen the list of pages is closed at first.
	if (window.matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
})();
