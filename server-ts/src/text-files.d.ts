/** Declares the files of `contract/` that are imported as text. */
declare module '*?text' {
  const text: string;
  export default text;
}
