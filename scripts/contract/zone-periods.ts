/**
 * Finds the bounds of local hours, days, weeks and months by `Intl.DateTimeFormat`: expectations for the module `zones`
 * of both servers.
 *
 * Invariant: it knows nothing of `zones.json`. It looks at the local time of every quarter of an hour around a time.
 */

/** Times around changes of the clock, and shortly after midnight. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  UTC: ['2026-11-26T23:59:59.999Z', '2026-11-27T00:00:00.000Z', '2024-02-29T12:00:00.000Z'],
  'Europe/Berlin': [
    '2026-03-28T23:10:00.000Z',
    '2026-03-29T00:59:59.999Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T22:10:00.000Z',
    '2026-10-24T22:10:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
    '2026-10-25T23:10:00.000Z',
  ],
  'Asia/Kolkata': ['2026-11-26T18:29:59.999Z', '2026-11-26T18:40:00.000Z', '2026-11-30T18:30:00.000Z'],
  'Asia/Kathmandu': ['2026-11-26T18:14:59.999Z', '2026-11-26T18:25:00.000Z', '2026-12-31T18:15:00.000Z'],
  'Australia/Lord_Howe': [
    '2026-04-04T13:10:00.000Z',
    '2026-04-04T14:59:59.999Z',
    '2026-04-04T15:00:00.000Z',
    '2026-04-04T15:30:00.000Z',
    '2026-04-05T13:40:00.000Z',
    '2026-10-03T13:40:00.000Z',
    '2026-10-03T15:29:59.999Z',
    '2026-10-03T15:30:00.000Z',
    '2026-10-03T16:00:00.000Z',
    '2026-10-04T13:10:00.000Z',
  ],
  'Pacific/Chatham': [
    '2026-04-04T10:25:00.000Z',
    '2026-04-04T14:00:00.000Z',
    '2026-04-05T11:25:00.000Z',
    '2026-09-26T11:25:00.000Z',
    '2026-09-26T14:00:00.000Z',
    '2026-09-27T10:25:00.000Z',
  ],
  // The clocks changed at 0:01 until 2011, so the evening before returned after a minute of the new day.
  'America/St_Johns': [
    '2006-10-29T02:29:59.999Z',
    '2006-10-29T02:30:00.000Z',
    '2006-10-29T02:31:00.000Z',
    '2006-10-29T03:31:00.000Z',
    '2006-04-02T03:31:00.000Z',
    '2026-03-08T05:30:00.000Z',
    '2026-11-01T04:30:00.000Z',
  ],
  // 2011-12-30 did not exist there.
  'Pacific/Apia': ['2011-12-30T09:59:59.999Z', '2011-12-30T10:00:00.000Z', '2012-01-01T12:00:00.000Z'],
  'Africa/Cairo': [
    '2026-04-23T21:59:59.999Z',
    '2026-04-23T22:00:00.000Z',
    '2026-10-29T20:30:00.000Z',
    '2026-10-29T21:30:00.000Z',
    '2026-10-29T22:00:00.000Z',
  ],
  'America/Sao_Paulo': [
    '2018-02-18T01:30:00.000Z',
    '2018-02-18T02:30:00.000Z',
    '2018-02-18T03:00:00.000Z',
    '2018-11-04T02:59:59.999Z',
    '2018-11-04T03:10:00.000Z',
  ],
  'Asia/Beirut': ['2026-03-28T22:10:00.000Z', '2026-10-24T20:30:00.000Z', '2026-10-24T22:10:00.000Z'],
  // Midnight comes twice in autumn.
  'America/Havana': ['2026-03-08T05:10:00.000Z', '2026-11-01T04:10:00.000Z', '2026-11-01T05:10:00.000Z'],
  'Atlantic/Azores': ['2026-03-29T01:10:00.000Z', '2026-10-25T00:10:00.000Z', '2026-10-25T01:10:00.000Z'],
  'America/Caracas': ['2007-12-09T06:59:59.999Z', '2007-12-09T07:10:00.000Z', '2016-05-01T07:10:00.000Z'],
  'Asia/Pyongyang': ['2015-08-14T14:59:59.999Z', '2015-08-14T15:10:00.000Z', '2018-05-04T15:10:00.000Z'],
  'Africa/Casablanca': ['2026-02-15T02:10:00.000Z', '2026-03-22T02:10:00.000Z'],
};

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
/** Days to look at before and after a time. */
const DAYS = { day: 3, week: 10, month: 35 };

type LocalTime = (ms: number) => { readonly date: string; readonly minute: number };

function localTimeIn(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (ms) => {
    const text = format.format(ms);
    return { date: text.slice(0, 10), minute: Number(text.slice(-2)) };
  };
}

/** Returns a text for the period that contains a date. Later periods have later texts. */
function periodOf(bucket: keyof typeof DAYS, date: string): string {
  if (bucket === 'month') return date.slice(0, 7);
  if (bucket === 'day') return date;
  const day = new Date(date);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

/** Returns the first instants of the period that contains a time and of the next one, and the date. */
function periodAround(
  localTime: LocalTime,
  bucket: keyof typeof DAYS,
  time: number,
): { start: number; end: number; date: string } {
  const first = Math.floor(time / QUARTER_MS) * QUARTER_MS - DAYS[bucket] * DAY_MS;
  let [latest, date, current, start] = ['', '', '', first];
  for (let at = first; ; at += QUARTER_MS) {
    const day = localTime(at).date;
    // The first midnight of a day counts, even if its eve returns.
    if (day > latest) latest = day;
    const period = periodOf(bucket, latest);
    if (at > time && period !== current) return { start, end: at, date };
    if (period !== current) [current, start] = [period, at];
    if (at <= time) date = latest;
  }
}

/** Returns the bounds of the hour that contains a time: minute 0, or a change of the minutes. */
function hourAround(localTime: LocalTime, time: number): { start: number; end: number } {
  const isBound = (at: number): boolean => {
    const { minute } = localTime(at);
    return minute === 0 || minute !== (localTime(at - QUARTER_MS).minute + 15) % 60;
  };
  let start = Math.floor(time / QUARTER_MS) * QUARTER_MS;
  let end = start + QUARTER_MS;
  while (!isBound(start)) start -= QUARTER_MS;
  while (!isBound(end)) end += QUARTER_MS;
  return { start, end };
}

/** Returns the text of the file that the tests of both servers read. */
export function zonePeriods(version: string): string {
  const text = (ms: number): string => new Date(ms).toISOString();
  const rows = Object.entries(TIMES).flatMap(([zone, times]) => {
    const localTime = localTimeIn(zone);
    return times.flatMap((time) => {
      const at = Date.parse(time);
      const { date } = periodAround(localTime, 'day', at);
      return (['hour', 'day', 'week', 'month'] as const).map((bucket) => {
        const { start, end } =
          bucket === 'hour' ? hourAround(localTime, at) : periodAround(localTime, bucket, at);
        return { zone, bucket, time, start: text(start), end: text(end), date };
      });
    });
  });
  const about = 'Bounds of local periods, found by Intl.DateTimeFormat. Written by `pnpm zones:update`.';
  return `${JSON.stringify({ about, version, cases: rows }, null, 2)}\n`;
}
