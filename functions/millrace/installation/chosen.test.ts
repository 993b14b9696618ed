import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { chosenManifests } from './chosen.ts';

const deploy = join(import.meta.dirname, '../../../deploy');
const namespace = 'millrace';

it.each([
  ['install.yaml', {}],
  ['install-knative.yaml', { knative: true }],
])('installs by default what %s has', async (file, options) => {
  const text = await readFile(join(deploy, file), 'utf8');
  const documents = parseAllDocuments(text).map((each) => each.toJS() as unknown);
  expect(chosenManifests({ namespace, ...options })).toEqual(documents);
});

it('brings no Redis, and no word of one, where there is another', () => {
  const manifests = chosenManifests({ namespace, externalRedis: true });
  expect(manifests.map(({ metadata }) => metadata.name)).not.toContain('redis');
  const text = JSON.stringify(manifests);
  expect(text).toContain('{"name":"MILLRACE_TRIAL_REDIS","value":"false"}');
  expect(text).not.toContain('MILLRACE_REDIS_INSECURE');
  expect(text).toContain('"key":"url","optional":false');
  expect(text).toContain('"key":"bridge-url","optional":true');
});

it('lets the manager of a Kueue read the kinds where there is one', () => {
  const boundTo = (options: object) =>
    chosenManifests({ namespace, ...options }).filter(
      ({ metadata }) => metadata.name === 'millrace-kueue-manager',
    );
  expect(boundTo({})).toEqual([]);
  expect(boundTo({ kueue: true })).toMatchObject([
    { kind: 'ClusterRole', rules: [{ resources: ['jobflows', 'daemonjobs'] }, {}] },
    { kind: 'ClusterRoleBinding', subjects: [{ name: 'kueue-controller-manager' }] },
  ]);
});

it('leaves certificates to cert-manager where that is wanted', () => {
  const manifests = chosenManifests({ namespace, certManager: true });
  const injected = manifests.filter(({ metadata }) =>
    Object.keys(metadata.annotations ?? {}).includes('cert-manager.io/inject-ca-from'),
  );
  const admissions = ['flow-admission', 'appwrapper-admission', 'suspend-admission'];
  expect(injected.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
    admissions.flatMap((name) => [
      `MutatingWebhookConfiguration millrace-${name}`,
      `ValidatingWebhookConfiguration millrace-${name}`,
    ]),
  );
  const names = manifests
    .filter(({ kind }) => kind === 'Certificate')
    .map((each) => each.metadata.name);
  expect(names).toContain('flow-admission-tls');
});
