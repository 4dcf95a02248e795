/** Entry point of the process that calls: see `call-process.ts`. */
import { serveCalls } from './call-process.ts';

serveCalls();
