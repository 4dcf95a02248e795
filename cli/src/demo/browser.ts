/** Opens a page in the system's browser, if there is one. */
import { spawn } from 'node:child_process';

/** The opener of each platform, which uses the user's choice of program. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Resolves to whether a program opened it. */
export function openPage(url: string): Promise<boolean> {
  const isBlind =
    process.platform === 'linux' &&
    !process.env.DISPLAY &&
    !process.env.WAYLAND_DISPLAY &&
    !process.env.WSL_DISTRO_NAME;
  if (isBlind) return Promise.resolve(false);
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}
