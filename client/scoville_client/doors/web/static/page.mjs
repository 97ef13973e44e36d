// The page: connects the terminal, the row of keys and the notice with the door.

import { Connection } from "./connection.mjs";
import { Keys } from "./keys.mjs";
import { Screen } from "./screen.mjs";
import { permitStyles } from "./styles.mjs";

const READER = "scoville-reader";

const texts = document.body.dataset;
permitStyles(texts.nonce);

const touch = window.matchMedia("(pointer: coarse)").matches;
const screen = new Screen(document.getElementById("terminal"), texts);
const notice = document.getElementById("notice");
const sentence = document.getElementById("sentence");
const again = document.getElementById("again");

function showNotice(text, button = "") {
    if (sentence.textContent !== text) sentence.textContent = text;
    again.textContent = button;
    again.hidden = !button;
    notice.hidden = false;
    if (button && !touch && isFocusFree()) again.focus();
}

// Whether nothing that the user has chosen would lose the focus: output must not lead back into the terminal, which takes Tab.
function isFocusFree() {
    const focused = document.activeElement;
    return !focused || focused === document.body || notice.contains(focused) || screen.place.contains(focused);
}

function hideNotice() {
    if (notice.hidden) return;
    const free = isFocusFree();
    notice.hidden = true;
    if (!touch && free) screen.terminal.focus();
}

const connection = new Connection(
    () => ({ type: "hello", ...screen.size, touch, table: decodeURIComponent(location.hash.slice(1)).slice(0, 64) }),
    {
        open() {
            screen.terminal.reset();
            useTheme(false);
        },
        output(bytes) {
            hideNotice();
            screen.terminal.write(bytes);
        },
        message(message) {
            if (message.type === "keys") keys?.show(message.keys);
            else if (message.type === "theme") useTheme(message.light);
            else if (message.type === "file") download(message);
        },
        waiting(seconds, end) {
            showNotice(end?.text ?? texts.lost.replace("{seconds}", seconds), texts.again);
        },
        ended(end) {
            showNotice(end.text, end.button);
        },
    },
);

const keys = touch
    ? new Keys(
          document.getElementById("keys"),
          texts,
          (text) => connection.type(text),
          (shown) => screen.useKeyboard(shown),
      )
    : undefined;
if (touch) screen.terminal.textarea.inputMode = "none";

function useTheme(light) {
    document.documentElement.classList.toggle("light", light);
    document.querySelector("meta[name=theme-color]").content = light ? "#fbf6ec" : "#16100e";
    screen.light = light;
}

function download({ name, text }) {
    const address = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// --- size ---------------------------------------------------------------------------------------------------------

function fit() {
    const visible = window.visualViewport;
    if (visible) document.documentElement.style.setProperty("--visible-height", `${visible.height}px`);
    screen.fit();
}

let fitting;
const fitSoon = () => {
    window.cancelAnimationFrame(fitting);
    fitting = window.requestAnimationFrame(fit);
};
new ResizeObserver(fitSoon).observe(screen.place);
window.visualViewport?.addEventListener("resize", fitSoon);
screen.terminal.onResize(({ cols, rows }) => connection.tell({ type: "resize", columns: cols, rows }));

// --- the terminal -------------------------------------------------------------------------------------------------

screen.terminal.onData((text) => {
    // Asked after a key, as browsers want it, and only of a user who has missed a notice.
    if (missedNotice) window.Notification.requestPermission();
    missedNotice = false;
    connection.type(text);
});
screen.terminal.onTitleChange((title) => (document.title = title || "Scoville"));
screen.terminal.onBell(() => navigator.vibrate?.(60));
screen.terminal.parser.registerOscHandler(9, (text) => {
    callUser(text);
    return true;
});

screen.terminal.parser.registerOscHandler(52, (written) => {
    const bytes = Uint8Array.from(atob(written.slice(written.indexOf(";") + 1)), (sign) => sign.charCodeAt(0));
    // Browsers allow it shortly after a key; otherwise the text stands in the notice, to be selected.
    navigator.clipboard?.writeText(new TextDecoder().decode(bytes)).catch(() => undefined);
    return true;
});

// Day and night as terminals report them: asked by CSI ? 996 n, and at each change once mode 2031 is on.
const night = window.matchMedia("(prefers-color-scheme: dark)");
const reportScheme = () => connection.type(`\x1b[?997;${night.matches ? 1 : 2}n`);
let reportsChanges = false;
screen.terminal.parser.registerCsiHandler({ prefix: "?", final: "n" }, (params) => {
    if (params[0] !== 996) return false;
    reportScheme();
    return true;
});
screen.terminal.parser.registerCsiHandler({ prefix: "?", final: "h" }, (params) => {
    if (params.includes(2031)) reportsChanges = true;
    return false;
});
night.addEventListener("change", () => reportsChanges && reportScheme());

let missedNotice = false;

// Shows a notice on the desktop while another window is in front.
function callUser(text) {
    if (!window.Notification || document.hasFocus()) return;
    if (window.Notification.permission === "granted") {
        const shown = new window.Notification(text, { tag: "scoville" });
        shown.onclick = () => {
            window.focus();
            shown.close();
        };
    } else {
        missedNotice = window.Notification.permission === "default";
    }
}

again.addEventListener("click", () => {
    hideNotice();
    connection.open();
});

const reader = document.getElementById("reader");

// The terminal takes every key but F6, which leads out of it.
screen.terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== "F6") return true;
    event.preventDefault();
    if (event.type === "keydown") reader.focus();
    return false;
});

function readAloud(wanted) {
    screen.forReaders = wanted;
    reader.setAttribute("aria-pressed", String(wanted));
}

reader.addEventListener("click", () => {
    const wanted = reader.getAttribute("aria-pressed") !== "true";
    localStorage.setItem(READER, wanted ? "on" : "");
    readAloud(wanted);
    screen.terminal.focus();
});
readAloud(localStorage.getItem(READER) === "on");

// --- the beginning ------------------------------------------------------------------------------------------------

document.fonts.ready.then(() => {
    fit();
    showNotice(texts.connecting);
    connection.open();
});
