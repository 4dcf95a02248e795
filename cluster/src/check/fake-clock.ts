/** Clocks of members that the checker moves, by the library of `faketime`. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['/usr/lib', '/usr/lib64', '/usr/local/lib'];
const LIBRARY = 'faketime/libfaketimeMT.so.1';

/** Returns the path of the library, if the machine has it. */
export function faketimeLibrary(): string | undefined {
  const folders = FOLDERS.filter((folder) => existsSync(folder));
  const all = folders.flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))]);
  return all.map((folder) => join(folder, LIBRARY)).find((path) => existsSync(path));
}

/** The clocks of members by their names. */
export class FakeClock {
  private readonly library: string;
  private readonly folder: string;

  constructor(library: string, folder: string) {
    this.library = library;
    this.folder = folder;
  }

  /** Returns the environment of a member with this clock. */
  envOf(name: string): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.fileOf(name),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Moves a clock to so many seconds after the true one, or before it. Its member sees that within a second. */
  set(name: string, seconds: number): void {
    writeFileSync(this.fileOf(name), `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  }

  private fileOf(name: string): string {
    return join(this.folder, `clock-of-${name}`);
  }
}
