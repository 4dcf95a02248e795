/** Entry point of the process that drives a peer. */
import { Metronome } from '../load/drivers/metronome.ts';
import { loadPool } from '../load/pool.ts';
import { serve } from '../run/serve.ts';
import { type Driven, drive, type Order } from './drive.ts';
import { PEER_POOL } from './peer.ts';

const pool = loadPool(PEER_POOL);
const metronome = new Metronome();
serve<Order, Driven>(async (order) => drive(await pool, order, metronome));
