// Styles of the terminal under a strict Content-Security-Policy.
//
// xterm.js makes <style> elements and writes style attributes, both of which the policy forbids. The elements get the
// nonce of this page, and attributes are set through the CSSOM, which is no inline style.

export function permitStyles(nonce) {
    const create = Document.prototype.createElement;
    Document.prototype.createElement = function createElement(name, ...options) {
        const element = create.call(this, name, ...options);
        if (element instanceof HTMLStyleElement) element.nonce = nonce;
        return element;
    };

    const set = Element.prototype.setAttribute;
    Element.prototype.setAttribute = function setAttribute(name, value) {
        if (name === "style" && this instanceof HTMLElement) this.style.cssText = value;
        else set.call(this, name, value);
    };
}
