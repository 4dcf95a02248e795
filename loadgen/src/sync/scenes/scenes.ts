/** DATA: the scenes, in the order in which they are measured: first what is quiet, last what is heavy. */
import type { Scene } from '../scene.ts';
import { burstScene } from './bursts.ts';
import { fanOutScene } from './fan-out.ts';
import { fullStreamScene } from './full-stream.ts';
import { monotonyScene } from './monotony.ts';
import { pageScene } from './page.ts';
import { payloadScene } from './payloads.ts';
import { restartScene } from './restart.ts';
import { roundTripScene } from './round-trip.ts';
import { sliderScene } from './slider.ts';
import { slowClientScene } from './slow-client.ts';

export const SCENES: readonly Scene[] = [
  roundTripScene,
  payloadScene,
  burstScene,
  sliderScene,
  restartScene,
  monotonyScene,
  pageScene,
  slowClientScene,
  fullStreamScene,
  fanOutScene,
];
