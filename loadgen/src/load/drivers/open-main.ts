/** Entry point of the open-loop generator's process. */
import { serveGenerator } from './generator-process.ts';
import { Metronome } from './metronome.ts';
import { sendOpenly } from './open-process.ts';

const metronome = new Metronome();
serveGenerator((load) => sendOpenly(load, metronome));
