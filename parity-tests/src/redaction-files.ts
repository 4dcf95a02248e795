/** Files of redaction with problems, and texts for the shipped file. */

const pattern = (members: string): string => `{"patterns":[{${members}}]}`;
const LONG = 'a'.repeat(129);
const KEY = 'must be text of 1 to 128 bytes without control characters';
const PREFIX = 'must be text of 1 to 64 visible ASCII characters and spaces';
const CLASS = 'must be one of alphanumeric, base32, base64, base64url, digits, graphic, hex, token68';
const MINIMUM = 'must be an integer from 1 to 256';
const ARRAY = 'must be an array of at most 200 items';

/** The text of a file, and the problems that the server must report. */
export const WRONG_FILES: readonly (readonly [text: string | Buffer, ...problems: string[]])[] = [
  ['', ' must be JSON'],
  ['{"keys":["a"]} x', ' must be JSON'],
  ['\uFEFF{"keys":["a"]}', ' must be JSON'],
  [Buffer.from([0x22, 0xff, 0x22]), ' is not UTF-8 text'],
  ['["a"]', ': "" must be an object'],
  ['{}', ' has neither a key nor a pattern'],
  ['{"keys":[],"patterns":[]}', ' has neither a key nor a pattern'],
  ['{"keys":{},"patterns":null}', `: "/keys" ${ARRAY}`, `: "/patterns" ${ARRAY}`],
  [JSON.stringify({ keys: Array.from({ length: 201 }, () => 'a') }), `: "/keys" ${ARRAY}`],
  [
    JSON.stringify({ keys: ['', 5, null, 'a\n', '\x7f', '\0', LONG, `é${LONG.slice(3)}`, 'ok'] }),
    ...[0, 1, 2, 3, 4, 5, 6].map((at) => `: "/keys/${at}" ${KEY}`),
  ],
  ['{"keys":["\\ud800"]}', `: "/keys/0" ${KEY}`],
  [
    '{"keys":["a"],"k~/":1,"keys":[5],"\\udc00":1}',
    ': "/k~0~1" is no member of a redaction file',
    ': "/keys" is given twice',
    ': "" has a name that is no well-formed text',
  ],
  ['{"patterns":[5,{}]}', ': "/patterns/0" must be an object', ...absent(1, 'prefix', 'class', 'minimum')],
  [
    pattern('"minimum":0,"x":1,"class":"letters","prefix":"\\u00e9"'),
    `: "/patterns/0/minimum" ${MINIMUM}`,
    ': "/patterns/0/x" is no member of a redaction file',
    `: "/patterns/0/class" ${CLASS}`,
    `: "/patterns/0/prefix" ${PREFIX}`,
  ],
  [
    pattern('"prefix":"","class":5,"minimum":"9","minimum":9'),
    `: "/patterns/0/prefix" ${PREFIX}`,
    `: "/patterns/0/class" ${CLASS}`,
    `: "/patterns/0/minimum" ${MINIMUM}`,
    ': "/patterns/0/minimum" is given twice',
  ],
  [pattern('"prefix":"\\t","class":"hex"'), `: "/patterns/0/prefix" ${PREFIX}`, ...absent(0, 'minimum')],
  [pattern(`"prefix":"${LONG.slice(64)}","class":"hex","minimum":257`), ...both(PREFIX, MINIMUM)],
  [pattern('"prefix":"k","class":"hex","minimum":1.5'), `: "/patterns/0/minimum" ${MINIMUM}`],
  [pattern('"prefix":"sk-","class":"hex","minimum":6'), ': "/patterns/0" must match at least 10 bytes'],
];

function absent(at: number, ...names: readonly string[]): string[] {
  return names.map((name) => `: "/patterns/${at}/${name}" is missing`);
}

function both(prefix: string, minimum: string): string[] {
  return [`: "/patterns/0/prefix" ${prefix}`, `: "/patterns/0/minimum" ${minimum}`];
}

/** Made-up secrets of common shapes. */
export const SECRETS = [
  'AKIAIOSFODNN7EXAMPLE',
  `ghp_${'a1'.repeat(18)}`,
  `github_pat_${'a1_'.repeat(20)}`,
  `glpat-${'a-1_'.repeat(5)}`,
  `npm_${'a1'.repeat(18)}`,
  `sk-ant-api03-${'a1-_'.repeat(20)}`,
  `sk-proj-${'a1-_'.repeat(20)}`,
  `sk-${'a1'.repeat(24)}`,
  `sk_live_${'a1'.repeat(12)}`,
  `xoxb-1234567890-1234567890-${'aA'.repeat(12)}`,
  `AIza${'a1-_x'.repeat(7)}`,
  'Bearer abc.DEF-123_456~x==',
  'Basic dXNlcjpwYXNzd29yZA==',
  `eyJhbGciOiJIUzI1NiJ9.${'a1'.repeat(9)}.${'b2'.repeat(9)}`,
];
/** Text that looks like a secret and is none. */
export const LOOKALIKES = [
  'sk-1',
  'task-management-of-something-long',
  'AKIA',
  'Bearer token',
  'Basic auth',
  'ghp_x',
  'xoxb',
];
