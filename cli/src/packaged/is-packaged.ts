/** Says whether this is the installed package, or a checkout. */

/** The build of the package defines it (cli/build.ts). */
declare const TWIN_INGEST_PACKAGED: true | undefined;

export const isPackaged = typeof TWIN_INGEST_PACKAGED !== 'undefined';
