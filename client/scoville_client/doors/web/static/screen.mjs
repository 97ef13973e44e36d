// The terminal: its colours, and a font with which the client fits into the window.

import { FitAddon } from "./vendor/addon-fit.mjs";
import { Terminal } from "./vendor/xterm.mjs";

const LEAST = { cols: 46, rows: 19 }; // what the client needs
const MOST = { cols: 300, rows: 100 }; // what the door draws
const USUAL_FONT = 16;
const SMALLEST_FONT = 6;
const STEP = 0.5;
const PASTE = 2000; // characters: more than any field of the client takes

const DARK = {
    background: "#16100e",
    foreground: "#f3e9dc",
    cursor: "#f6b83c",
    cursorAccent: "#16100e",
    selectionBackground: "#17333d",
    black: "#16100e",
    red: "#ff6b57",
    green: "#8cc152",
    yellow: "#f6b83c",
    blue: "#7cc4dd",
    magenta: "#c58df0",
    cyan: "#7cc4dd",
    white: "#f3e9dc",
    brightBlack: "#9b8a7e",
};

// What the client does not paint: the cells before its first picture, and the edges.
const LIGHT = {
    ...DARK,
    background: "#fbf6ec",
    foreground: "#2d1f18",
    cursor: "#724a00",
    cursorAccent: "#fbf6ec",
    selectionBackground: "#cfe6ee",
};

export class Screen {
    constructor(place, texts) {
        this.place = place;
        this.terminal = new Terminal({
            allowProposedApi: false,
            cursorBlink: false,
            cursorInactiveStyle: "none", // an outline in the corner while a notice has the focus
            fontFamily: "'DejaVu Sans Mono', 'Cascadia Mono', Menlo, Consolas, 'Noto Sans Mono', 'Liberation Mono', monospace",
            fontSize: USUAL_FONT,
            linkHandler: { activate() {} }, // no text of a stranger becomes a link
            macOptionIsMeta: true,
            scrollback: 0,
            theme: DARK,
        });
        this.fitting = new FitAddon();
        this.terminal.loadAddon(this.fitting);
        this.terminal.open(place);
        this.terminal.textarea.setAttribute("aria-label", texts.input);
        place.addEventListener("paste", (event) => this.boundPaste(event), { capture: true });
    }

    get size() {
        return { columns: this.terminal.cols, rows: this.terminal.rows };
    }

    // Choose the largest font up to the usual one with which the client has the cells it needs.
    fit() {
        let size;
        for (let font = USUAL_FONT; font >= SMALLEST_FONT; font -= STEP) {
            this.terminal.options.fontSize = font;
            size = this.fitting.proposeDimensions();
            if (!size || (size.cols >= LEAST.cols && size.rows >= LEAST.rows)) break;
        }
        if (size && Number.isFinite(size.cols) && Number.isFinite(size.rows))
            this.terminal.resize(Math.min(size.cols, MOST.cols), Math.min(size.rows, MOST.rows));
    }

    boundPaste(event) {
        const text = event.clipboardData?.getData("text/plain") ?? "";
        if (text.length <= PASTE) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        this.terminal.paste(text.slice(0, PASTE));
    }

    // Whether the textarea behind the terminal opens the keyboard of a touch screen.
    useKeyboard(wanted) {
        this.terminal.textarea.inputMode = wanted ? "text" : "none";
        this.terminal.textarea.blur();
        this.terminal.focus();
    }

    set light(wanted) {
        this.terminal.options.theme = wanted ? LIGHT : DARK;
    }

    set forReaders(wanted) {
        this.terminal.options.screenReaderMode = wanted;
    }
}
