/**
 * Types of the parts of jsdom that the plots use.
 *
 * jsdom's own types add the globals of a browser to every file of the project. An undeclared variable called `name` or
 * `event` would then compile.
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
