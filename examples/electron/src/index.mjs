/** Entry of the app. `SIDECAR_PROGRAM` names a built server for `npm start`. */
import { app, BrowserWindow, dialog } from 'electron';
import { bundledProgram, runApp } from './app.mjs';

const command = app.isPackaged
  ? bundledProgram(process.resourcesPath, process.platform)
  : (process.env.SIDECAR_PROGRAM ?? 'ingest-server');
try {
  await runApp({ app, BrowserWindow }, { command });
} catch (error) {
  dialog.showErrorBox('The server did not start', String(error));
  app.exit(1);
}
