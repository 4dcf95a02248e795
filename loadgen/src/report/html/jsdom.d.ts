/**
 * Types of the part of jsdom that the plots use.
 *
 * jsdom's own types add the globals of a browser to every file of the project. An undeclared variable called `name` or
 * `event` would then compile.
 */
declare module 'jsdom' {
  class JSDOM {
    readonly window: { readonly document: object };
    constructor(html: string);
  }
}
