/** Makes authorities and certificates of hosts with openssl, for receivers of https. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScenarioContext } from './scenario.ts';

/** The key and the certificate of a host, in PEM. */
export interface HostCertificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** An authority of its own, with its certificate in a file. Skips the scenario when openssl is missing. */
export class Authority {
  readonly file: string;
  private readonly keyFile: string;
  private readonly context: ScenarioContext;

  constructor(context: ScenarioContext, name: string) {
    this.context = context;
    this.file = join(context.folder, `${name}.pem`);
    this.keyFile = join(context.folder, `${name}.key`);
    const usage = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'];
    this.request(this.keyFile, this.file, name, usage);
  }

  /** Returns a certificate of this authority for a host. */
  certify(host: string): HostCertificate {
    const [key, cert] = ['key', 'pem'].map((end) => `${this.file}.${host}.${end}`) as [string, string];
    const usage = [`subjectAltName=DNS:${host}`, 'basicConstraints=critical,CA:FALSE'];
    this.request(key, cert, host, usage, ['-CA', this.file, '-CAkey', this.keyFile]);
    return { key: readFileSync(key), cert: readFileSync(cert) };
  }

  private request(
    key: string,
    cert: string,
    name: string,
    extensions: readonly string[],
    more: readonly string[] = [],
  ): void {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const files = ['-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${name}`];
    const extended = extensions.flatMap((one) => ['-addext', one]);
    const made = spawnSync('openssl', ['req', '-x509', ...curve, ...files, ...extended, ...more], {
      encoding: 'utf8',
    });
    if (made.error !== undefined) this.context.skip('openssl is missing');
    assert.equal(made.status, 0, made.stderr);
  }
}
