// The row of keys for touch screens: keys that a telephone's keyboard lacks, and those of the client's own key bar.

const FIXED = [
    ["Esc", "\x1b", "Esc"],
    ["⇥", "\t", "Tab"],
    ["←", "\x1b[D", "←"],
    ["↑", "\x1b[A", "↑"],
    ["↓", "\x1b[B", "↓"],
    ["→", "\x1b[C", "→"],
    ["⏎", "\r", "Enter"],
];
const REPEATED = new Set(["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"]);
const REPEAT_AFTER = 400;
const REPEAT_EVERY = 120;

export class Keys {
    // `type` sends what a key stands for; `keyboard` shows or hides the keyboard of the telephone.
    constructor(row, texts, type, keyboard) {
        this.own = row.querySelector("#page-keys");
        this.type = type;
        const fixed = row.querySelector("#fixed-keys");
        fixed.append(...FIXED.map(([sign, send, name]) => this.button(sign, send, name)));
        const toggle = document.createElement("button");
        toggle.type = "button";
        toggle.textContent = "⌨";
        toggle.setAttribute("aria-label", texts.keyboard);
        toggle.setAttribute("aria-pressed", "false");
        toggle.addEventListener("click", () => {
            const shown = toggle.getAttribute("aria-pressed") !== "true";
            toggle.setAttribute("aria-pressed", String(shown));
            keyboard(shown);
        });
        fixed.append(toggle);
        row.hidden = false;
    }

    // Show the keys of the client's key bar: [{key, word, send}].
    show(keys) {
        this.own.replaceChildren(
            ...keys.map(({ key, word, send }) => {
                const button = this.button("", send, word ? `${key}: ${word}` : key);
                const sign = document.createElement("kbd");
                sign.textContent = key;
                button.append(sign);
                if (word) {
                    const text = document.createElement("span");
                    text.textContent = word;
                    button.append(text);
                }
                return button;
            }),
        );
        this.own.scrollLeft = 0; // where the row of another screen was scrolled to says nothing about this one
    }

    button(sign, send, name) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = sign;
        button.setAttribute("aria-label", name);
        if (REPEATED.has(send)) this.repeat(button, send);
        button.addEventListener("click", () => this.type(send));
        return button;
    }

    repeat(button, send) {
        let timer;
        const stop = () => window.clearTimeout(timer);
        const again = () => {
            this.type(send);
            timer = window.setTimeout(again, REPEAT_EVERY);
        };
        button.addEventListener("pointerdown", () => (timer = window.setTimeout(again, REPEAT_AFTER)));
        for (const end of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(end, stop);
        button.addEventListener("contextmenu", (event) => event.preventDefault());
    }
}
