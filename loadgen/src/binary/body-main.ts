/** Entry point of the process that moves large bodies: see `body-process.ts`. */
import { serveBodies } from './body-process.ts';

serveBodies();
