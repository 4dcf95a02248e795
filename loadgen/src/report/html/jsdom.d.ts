/**
 * What the plots use of jsdom, and nothing else.
 *
 * Its own types bring those of a browser into every file of the project, where a global `name` or `event`
 * would then pass for a variable.
 */
declare module 'jsdom' {
  interface Element {
    textContent: string | null;
    readonly outerHTML: string;
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
    querySelector(selector: string): Element | null;
    querySelectorAll(selector: string): Iterable<Element>;
    prepend(element: Element): void;
    remove(): void;
  }
  interface Document {
    createElementNS(namespace: string, name: string): Element;
  }
  class JSDOM {
    readonly window: { readonly document: Document };
    constructor(html: string);
  }
}
