/** Returns a text as one quoted word of a shell command. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
