// The WebSocket to the door: reconnects with back-off, and asks whether the other end is still there.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const PULSE = 20_000;
const PATIENCE = 10_000;
const FRAME = 3_000; // bytes of input that are sent at once

export class Connection {
    // `hello` returns the first message; `handlers` are open(), output(bytes), message(object), waiting(seconds), ended(end).
    constructor(hello, handlers) {
        this.hello = hello;
        this.handlers = handlers;
        this.encoder = new TextEncoder();
        this.failures = 0;
        this.stopped = false;
        window.addEventListener("online", () => this.retryNow());
        document.addEventListener("visibilitychange", () => document.hidden || this.retryNow());
        window.setInterval(() => this.pulse(), PULSE);
    }

    open() {
        window.clearInterval(this.countdown);
        this.countdown = undefined;
        this.stopped = false;
        this.end = undefined;
        const address = new URL("socket", location.href); // relative: a proxy may have put the page under a prefix
        address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
        address.hash = "";
        const socket = new WebSocket(address);
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.heard = Date.now();
            this.handlers.open();
            this.tell(this.hello());
        };
        socket.onmessage = ({ data }) => this.receive(data);
        socket.onclose = () => this.lost(socket);
        this.socket = socket;
    }

    receive(data) {
        this.heard = Date.now();
        if (typeof data !== "string") {
            this.failures = 0;
            this.handlers.output(new Uint8Array(data));
            return;
        }
        const message = JSON.parse(data);
        if (message.type === "end") this.end = message;
        else this.handlers.message(message);
    }

    lost(socket) {
        if (socket !== this.socket) return;
        this.socket = undefined;
        if (this.end && !this.end.retry) {
            this.stopped = true;
            this.handlers.ended(this.end);
            return;
        }
        const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.failures) * (0.75 + Math.random() / 2);
        this.failures = Math.min(this.failures + 1, 16);
        this.wait(Date.now() + wait);
    }

    wait(until) {
        const show = () => {
            const left = Math.ceil((until - Date.now()) / 1000);
            if (left > 0) this.handlers.waiting(left, this.end);
            else this.open();
        };
        this.countdown = window.setInterval(show, 500);
        show();
    }

    retryNow() {
        if (this.countdown !== undefined) this.open();
    }

    pulse() {
        if (this.socket?.readyState !== WebSocket.OPEN) return;
        if (Date.now() - this.heard > PULSE + PATIENCE) {
            const socket = this.socket; // nothing has come since the last question: do not wait for its close
            socket.onclose = null;
            socket.close();
            this.lost(socket);
            return;
        }
        this.tell({ type: "ping" });
    }

    tell(message) {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    }

    type(text) {
        if (this.socket?.readyState !== WebSocket.OPEN) return;
        const bytes = this.encoder.encode(text);
        for (let start = 0; start < bytes.length; start += FRAME) this.socket.send(bytes.slice(start, start + FRAME));
    }
}
