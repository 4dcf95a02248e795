/** The main process: one window with the dashboard, and a server that starts and ends with the app. */
import { join } from 'node:path';
import { startSidecar } from './sidecar.mjs';

/**
 * Returns the server's program in the installed app, where `extraResources` puts it.
 *
 * @param {string} resourcesPath
 * @param {NodeJS.Platform} platform
 */
export function bundledProgram(resourcesPath, platform) {
  return join(resourcesPath, 'bin', platform === 'win32' ? 'ingest-server.exe' : 'ingest-server');
}

/**
 * Runs the app. The modules of Electron are arguments, so that a test can pass its own.
 *
 * @param {{ app: Electron.App, BrowserWindow: typeof Electron.BrowserWindow }} electron
 * @param {import('./sidecar.mjs').Program} program
 */
export async function runApp({ app, BrowserWindow }, program) {
  // Two instances would compete for the database.
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  await app.whenReady();
  const sidecar = await startSidecar(program, app.getPath('userData'));
  let isStopped = false;
  app.on('will-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    void sidecar.stop().finally(() => {
      isStopped = true;
      app.quit();
    });
  });
  void sidecar.ended.then(() => {
    isStopped = true;
    app.quit();
  });
  const window = new BrowserWindow({
    width: 1280,
    height: 800,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false },
  });
  // The window shows the server's page and nothing else.
  window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  window.webContents.on('will-navigate', (event, url) => {
    if (new URL(url).origin !== sidecar.url) event.preventDefault();
  });
  app.on('second-instance', () => window.focus());
  app.on('window-all-closed', () => app.quit());
  await window.loadURL(sidecar.loginUrl);
}
