// The line mode in a page: a log to which lines are added, and a field for what the user types.

import { Connection } from "./connection.mjs";

const MOST_LINES = 1000; // older ones are removed: screen readers slow down

const texts = document.body.dataset;
const log = document.getElementById("log");
const entry = document.getElementById("entry");
const line = document.getElementById("line");
const again = document.getElementById("again");
const decoder = new TextDecoder();
const typed = []; // newest last, for the arrow keys
let place = 0;
let rest = "";

// Add a line; nothing that is there changes, so that screen readers read each line once.
function add(text, kind = "") {
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    if (kind) paragraph.className = kind;
    log.append(paragraph);
    while (log.childElementCount > MOST_LINES) log.firstElementChild.remove();
    if (isAtEnd) log.scrollTop = log.scrollHeight;
}

function hide(wanted) {
    line.type = wanted ? "password" : "text";
}

let isLost = false;
const connection = new Connection(
    () => ({
        type: "hello",
        columns: 80,
        rows: 24,
        lines: true,
        table: decodeURIComponent(location.hash.slice(1)).slice(0, 64),
    }),
    {
        open() {
            rest = "";
            isLost = false;
            hide(false);
            again.hidden = true;
        },
        output(bytes) {
            const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
            rest = lines.pop();
            for (const text of lines) if (text) add(text);
        },
        message(message) {
            if (message.type === "secret") hide(message.wanted);
        },
        waiting(seconds, end) {
            if (isLost) return; // the countdown would be read aloud twice a second
            isLost = true;
            add(end?.text ?? texts.lost.replace("{seconds}", seconds), "notice");
        },
        ended(end) {
            add(end.text, "notice");
            again.textContent = end.button || texts.again;
            again.hidden = false;
        },
    },
);

entry.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = line.value;
    line.value = "";
    if (connection.stopped) return again.click();
    if (line.type === "text") {
        add(`> ${text}`, "typed");
        if (text) typed.push(text);
        place = typed.length;
    }
    hide(false);
    connection.type(`${text}\n`);
});

line.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || line.type !== "text" || !typed.length) return;
    event.preventDefault();
    place = Math.max(0, Math.min(typed.length, place + step));
    line.value = typed[place] ?? "";
});

again.addEventListener("click", () => {
    again.hidden = true;
    line.focus();
    connection.open();
});

line.focus();
add(texts.connecting, "notice");
connection.open();
