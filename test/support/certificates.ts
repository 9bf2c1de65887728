import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Paths of PEM files. */
export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Files of a certificate authority of our own, and of a certificate for `localhost` that it signed. */
export function makeCertificates(dir: string): Certificates {
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    '/CN=test-ca',
    '-days',
    '2',
  );
  openssl('req', ...newKey, '-keyout', 'redis.key', '-out', 'redis.csr', '-subj', '/CN=localhost');
  writeFileSync(join(dir, 'names'), 'subjectAltName=DNS:localhost');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'redis.csr', '-out', 'redis.crt', ...signed);
  return { ca: join(dir, 'ca.crt'), cert: join(dir, 'redis.crt'), key: join(dir, 'redis.key') };
}
