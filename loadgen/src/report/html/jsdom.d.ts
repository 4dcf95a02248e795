/**
 * The part of jsdom that the plots use. jsdom's own types add the globals of a browser to every file of the project, so
 * an undeclared variable called `name` or `event` would compile.
 */
declare module 'jsdom' {
  class JSDOM {
    readonly window: { readonly document: object };
    constructor(html: string);
  }
}
