import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, it } from 'vitest';
import { openCertificate, type ServingCertificate } from './serving-certificate.ts';
import {
  certificateFolder,
  newPair,
  type CertificateFolder,
} from '../testing/certificate-folder.ts';

const yearMs = 365 * 24 * 3_600_000;
const first = newPair();
let folder: CertificateFolder;
let certificate: ServingCertificate | undefined;
let nowMs = Date.now();
const logged: { readonly level: string; readonly msg: string }[] = [];
const logger = pino(
  { formatters: { level: (level) => ({ level }) } },
  { write: (line) => void logged.push(JSON.parse(line) as (typeof logged)[number]) },
);
afterEach(async () => {
  certificate?.close();
  await folder[Symbol.asyncDispose]();
  logged.length = 0;
  nowMs = Date.now();
});

async function open(pair = first) {
  folder = await certificateFolder(pair);
  const { certFile, keyFile } = folder;
  const registry = new Registry();
  const clock = { now: () => nowMs };
  certificate = await openCertificate({ certFile, keyFile, logger, registry, clock });
  const replaced: string[] = [];
  certificate.onReplaced(({ cert }) => replaced.push(cert.toString()));
  const metric = async (name: string) =>
    (await registry.getSingleMetric(name)!.get()).values.map(({ value }) => value);
  return { certificate, replaced, metric };
}
const warnings = () => logged.filter(({ level }) => level === 'warn').map(({ msg }) => msg);

it('takes a new pair that came with a swap of a link (serving-1)', async () => {
  const opened = await open();
  const next = newPair();
  await folder.swap(next);
  await opened.certificate.reread();
  expect(opened.replaced).toEqual([next.cert]);
  expect(opened.certificate.current().key.toString()).toBe(next.key);
});

it('takes a new pair that was renamed over the old one, once both files are there (serving-2)', async () => {
  const opened = await open();
  const next = newPair();
  await folder.renameOver({ cert: next.cert });
  await opened.certificate.reread();
  expect(opened.replaced).toEqual([]);
  await folder.renameOver({ key: next.key });
  await opened.certificate.reread();
  expect(opened.replaced).toEqual([next.cert]);
});

it('unchanged files cause no notification', async () => {
  const opened = await open();
  await opened.certificate.reread();
  await folder.swap(first);
  await opened.certificate.reread();
  expect([opened.replaced, logged]).toEqual([[], []]);
});

it.each([
  ['no certificate', async () => folder.renameOver({ cert: 'nothing' })],
  ['no key', async () => folder.renameOver({ key: 'nothing' })],
  ['the key of another one', async () => folder.renameOver({ key: newPair().key })],
  ['an expired one', async () => folder.swap(newPair(Date.now() - 2 * yearMs))],
  ['one of the future', async () => folder.swap(newPair(Date.now() + yearMs))],
  ['no file', async () => rm(folder.certFile)],
])(
  'keeps the old pair for %s, and says so once in the log and in a metric (serving-2)',
  async (_, spoil) => {
    const opened = await open();
    await spoil();
    await opened.certificate.reread();
    await opened.certificate.reread();
    expect(opened.certificate.current().cert.toString()).toBe(first.cert);
    expect(warnings()).toEqual(['the certificate stays as it was']);
    expect(await opened.metric('millrace_certificate_reload_failed')).toEqual([1]);
    expect(opened.certificate.notReady()).toBeUndefined();
  },
);

it('takes the next good pair after a broken one, and is whole again when the old one is back', async () => {
  const opened = await open();
  await folder.renameOver({ key: 'nothing' });
  await opened.certificate.reread();
  await folder.renameOver(first);
  await opened.certificate.reread();
  expect(await opened.metric('millrace_certificate_reload_failed')).toEqual([0]);
  const next = newPair();
  await folder.renameOver(next);
  await opened.certificate.reread();
  expect(opened.replaced).toEqual([next.cert]);
});

it('is not ready once the pair in use has expired, which a metric shows beforehand', async () => {
  const opened = await open();
  const [expiry = 0] = await opened.metric('millrace_certificate_expiry_timestamp_seconds');
  expect(opened.certificate.notReady()).toBeUndefined();
  nowMs = expiry * 1_000;
  expect(opened.certificate.notReady()).toBe('the certificate of the server has expired');
});

it('cannot be opened without a pair that serves', async () => {
  const pair = { ...first, key: newPair().key };
  await expect(open(pair)).rejects.toMatchObject({ code: 'MR_CERTIFICATE_UNUSABLE' });
});
