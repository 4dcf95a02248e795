/** Entry point of the open-loop generator's process. */

import { Metronome } from './metronome.ts';
import { serveGenerator } from './node-generator.ts';
import { sendOpenly } from './open-process.ts';

const metronome = new Metronome();
serveGenerator((load) => sendOpenly(load, metronome));
