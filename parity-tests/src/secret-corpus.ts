/**
 * Makes up a corpus of secrets and of harmless texts that look like them, to measure `builtin:secrets`.
 *
 * One row of `FORMS` or `LOOK_ALIKES` is one form in which agents send such a text. Each prefix is assembled at run
 * time, so that no scanner of repositories takes this file for a leak. No text is a key of anyone.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const ALPHANUMERIC = `${UPPER}${UPPER.toLowerCase()}${DIGITS}`;
const HEX = `${DIGITS}abcdef`;
const BASE64URL = `${ALPHANUMERIC}-_`;
const BASE64 = `${ALPHANUMERIC}+/`;

/** A value of metadata with a secret, and the part of it that must not be stored. */
export interface MadeUpSecret {
  readonly form: string;
  readonly metadata: unknown;
  readonly secret: string;
}

/** A value of metadata that must be stored as it is. */
export interface LookAlike {
  readonly form: string;
  readonly metadata: unknown;
}

type Text = (secret: string) => string;

function letters(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
}

function token(parts: readonly string[], alphabet: string, length: number): (random: Random) => string {
  return (random) => parts.join('') + letters(random, alphabet, length);
}

/** Tokens that say by their beginning what they are: the parts of the prefix, the alphabet, the length. */
const TOKENS: Readonly<Record<string, (random: Random) => string>> = {
  'AWS access key': token(['AK', 'IA'], `${UPPER}234567`, 16),
  'AWS temporary key': token(['AS', 'IA'], `${UPPER}234567`, 16),
  'GitHub token': token(['gh', 'p_'], ALPHANUMERIC, 36),
  'GitHub app token': token(['gh', 's_'], ALPHANUMERIC, 36),
  'GitHub fine-grained token': token(['github', '_pat_'], BASE64URL, 82),
  'GitLab token': token(['gl', 'pat-'], BASE64URL, 20),
  'npm token': token(['np', 'm_'], ALPHANUMERIC, 36),
  'PyPI token': token(['pypi-', 'AgEIcHlwaS5vcmc'], BASE64URL, 80),
  'Anthropic key': token(['sk-', 'ant-', 'api03-'], BASE64URL, 93),
  'OpenAI key': token(['sk', '-'], ALPHANUMERIC, 48),
  'OpenAI project key': token(['sk-', 'proj-'], BASE64URL, 100),
  'OpenRouter key': token(['sk-', 'or-v1-'], HEX, 64),
  'Stripe key': token(['sk', '_live_'], ALPHANUMERIC, 24),
  'Stripe test key': token(['sk', '_test_'], ALPHANUMERIC, 24),
  'Hugging Face token': token(['h', 'f_'], ALPHANUMERIC, 34),
  'Google API key': token(['AI', 'za'], BASE64URL, 35),
  'Google access token': token(['ya', '29.'], BASE64URL, 120),
  'Google client secret': token(['GOC', 'SPX-'], BASE64URL, 28),
  'Slack bot token': (random) =>
    `${['xo', 'xb-'].join('')}${letters(random, DIGITS, 12)}-${letters(random, DIGITS, 13)}-${letters(random, ALPHANUMERIC, 24)}`,
  'DigitalOcean token': token(['dop', '_v1_'], HEX, 64),
  'Docker Hub token': token(['dckr', '_pat_'], BASE64URL, 27),
  'Groq key': token(['gs', 'k_'], ALPHANUMERIC, 52),
  'Vault token': token(['hv', 's.'], BASE64URL, 90),
  'SendGrid key': (random) =>
    `${['S', 'G.'].join('')}${letters(random, BASE64URL, 22)}.${letters(random, BASE64URL, 43)}`,
  'JSON Web Token': (random) =>
    [
      { alg: 'RS256', kid: letters(random, HEX, 8) },
      { sub: letters(random, DIGITS, 9), exp: random.below(2 ** 31) },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .concat(letters(random, BASE64URL, 86))
      .join('.'),
  'JSON Web Token with another first member': (random) =>
    [{ kid: letters(random, HEX, 24), typ: 'JWT', alg: 'ES256' }, { iss: letters(random, ALPHANUMERIC, 12) }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .concat(letters(random, BASE64URL, 86))
      .join('.'),
};

/** Secrets without a prefix of their own: the text around them says what they are. */
const TEXTS: Readonly<Record<string, Text>> = {
  'bearer in lower case': (secret) => `curl -H "authorization: bearer ${secret}" https://api.example`,
  Bearer: (secret) => `Authorization: Bearer ${secret}`,
  BEARER: (secret) => `AUTHORIZATION: BEARER ${secret}`,
  'bearer after two blanks': (secret) => `Authorization:  Bearer  ${secret}`,
  'bearer after a tab': (secret) => `Authorization: Bearer\t${secret}`,
  'basic in lower case': (secret) => `authorization: basic ${secret}`,
  Basic: (secret) => `Authorization: Basic ${secret}`,
  'x-api-key': (secret) => `curl -H 'x-api-key: ${secret}' https://api.example`,
  'X-API-Key': (secret) => `X-API-Key: ${secret}`,
  Cookie: (secret) => `Cookie: session=${secret}; theme=dark`,
  '--password=': (secret) => `mysql --user=app --password=${secret} app`,
  '--token': (secret) => `deploy --token ${secret} --yes`,
  'variable of a shell': (secret) => `export GITHUB_TOKEN=${secret}`,
  'password of a variable': (secret) => `DB_PASSWORD=${secret} npm start`,
  'AWS secret key of a file': (secret) => `[default]\naws_secret_access_key = ${secret}\n`,
  'AWS secret key of a variable': (secret) => `AWS_SECRET_ACCESS_KEY=${secret}`,
  'query of a URL': (secret) => `GET https://api.example/v1/me?access_token=${secret} HTTP/1.1`,
  'JSON in a text': (secret) => `{"user":"app","password":"${secret}"}`,
  'Azure account key': (secret) => `DefaultEndpointsProtocol=https;AccountName=app;AccountKey=${secret}==`,
  'password of a usual user in a URL': (secret) => `postgres://postgres:${secret}@db.example:5432/app`,
  'password of any user in a URL': (secret) => `https://maria.schmidt:${secret}@git.example/app.git`,
};

/** Members of metadata whose name says what they are. */
const MEMBERS = [
  ...['accessToken', 'secretKey', 'api_token', 'bearer_token', 'github_token', 'db_password', 'passphrase'],
  ...['authorization', 'X-Api-Key', 'client_secret', 'refreshToken', 'privateKey', 'OPENAI_API_KEY'],
];

/** Makes `count` secrets, which take all forms in turn. */
export function secrets(random: Random, count: number): MadeUpSecret[] {
  const plain = () => letters(random, ALPHANUMERIC, 40);
  const forms = [
    ...Object.entries(TOKENS).map(([form, make]) => () => {
      const secret = make(random);
      return {
        form,
        secret,
        metadata: { command: `tool --key '${secret}' run`, output: [`key ${secret}\n`] },
      };
    }),
    ...Object.entries(TEXTS).map(([form, text]) => () => {
      const secret = plain();
      return { form, secret, metadata: { tool_input: { command: text(secret) } } };
    }),
    ...MEMBERS.map((name) => () => {
      const secret = plain();
      return { form: `member ${name}`, secret, metadata: { env: [{ [name]: secret }] } };
    }),
    () => {
      const secret = plain();
      return { form: 'member GITHUB_TOKEN of env', secret, metadata: { env: { GITHUB_TOKEN: secret } } };
    },
  ];
  return Array.from({ length: count }, (_, index) => forms[index % forms.length]!());
}

const UUID = (random: Random): string =>
  [8, 4, 4, 4, 12].map((length) => letters(random, HEX, length)).join('-');
/** The first bytes of images, before random ones. */
const IMAGES = ['89504e470d0a1a0a0000000d49484452', 'ffd8ffe000104a4649460001', '474946383961', '52494646'];

const LOOK_ALIKES: Readonly<Record<string, (random: Random) => string>> = {
  'SHA-1': token([], HEX, 40),
  'SHA-256': token(['sha256:'], HEX, 64),
  MD5: token([], HEX, 32),
  commit: (random) => `commit ${letters(random, HEX, 40)}\nAuthor: app <app@example.org>`,
  'short commit': token(['HEAD is now at '], HEX, 7),
  UUID: UUID,
  ULID: token(['01'], '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24),
  'integrity of npm': (random) => `"integrity": "sha512-${letters(random, BASE64, 86)}=="`,
  'image in base64': (random) =>
    Buffer.concat([
      Buffer.from(itemOf(random, IMAGES), 'hex'),
      Buffer.from(letters(random, HEX, 600), 'hex'),
    ]).toString('base64'),
  'image in a data URL': (random) => `data:image/png;base64,${letters(random, BASE64, 400)}`,
  'id of a message': token(['msg_01'], ALPHANUMERIC, 22),
  'id of a call': token(['toolu_01'], ALPHANUMERIC, 22),
  'id of a call of OpenAI': token(['call_'], ALPHANUMERIC, 24),
  'id of a request': token(['req_011'], ALPHANUMERIC, 21),
  'id of a response': token(['resp_'], HEX, 48),
  path: (random) => `/home/app/node_modules/.pnpm/pkg@1.2.3_${letters(random, HEX, 32)}/index.js`,
  ETag: (random) => `etag: W/"${letters(random, HEX, 16)}-${letters(random, BASE64, 27)}"`,
  'digest of an image': (random) => `FROM node@sha256:${letters(random, HEX, 64)}`,
  'trace of telemetry': (random) => `00-${letters(random, HEX, 32)}-${letters(random, HEX, 16)}-01`,
  'name with secret words': (random) =>
    `function getTokenCount${letters(random, ALPHANUMERIC, 6)}(password: string)`,
  'prose about secrets': (random) =>
    `Basic authentication and bearer tokens need a password, as step ${random.below(1000)} of the token guide says.`,
  address: (random) => `http://127.0.0.1:${random.below(65_536)}/api/events?limit=${random.below(1000)}`,
  time: (random) => new Date(1_700_000_000_000 + random.below(2 ** 31)).toISOString(),
  version: (random) =>
    `sk-learn-${random.below(9)}.${random.below(99)}.${random.below(99)} and key-value-${random.below(99)}`,
  'log line': (random) =>
    `tokens=${random.below(99_999)} max_tokens=${random.below(99_999)} cookies: accepted`,
};

function itemOf<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}

/** Makes `count` harmless texts, which take all forms in turn, in members with harmless names. */
export function lookAlikes(random: Random, count: number): LookAlike[] {
  const forms = Object.entries(LOOK_ALIKES);
  return Array.from({ length: count }, (_, index) => {
    const [form, make] = forms[index % forms.length]!;
    const text = make(random);
    return { form, metadata: { text, token_count: random.below(9999), result: { stdout: `${text}\n` } } };
  });
}
