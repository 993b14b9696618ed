/** The shipped Roles and packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');

interface Role {
  readonly kind: string;
  readonly metadata?: { readonly name: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

function shippedRoles(): readonly Role[] {
  const folder = join(root, 'deploy/rbac');
  return readdirSync(folder)
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS() as Role);
}

it('#09 grants no process to write the status of a Job, nor anything by wildcard', () => {
  const rules = shippedRoles().flatMap((role) => role.rules ?? []);
  expect(rules.length).toBeGreaterThan(5);
  for (const { apiGroups, resources, verbs } of rules) {
    expect(resources).not.toContain('jobs/status');
    for (const words of [apiGroups, resources, verbs]) expect(words).not.toContain('*');
    expect(resources).not.toContain('pods/exec');
    for (const verb of ['escalate', 'bind', 'impersonate']) expect(verbs).not.toContain(verb);
  }
});

it('#40 lets no process read a Secret, except credentials those that it made, in its own namespace', () => {
  const touched = shippedRoles().flatMap(({ kind, metadata, rules = [] }) =>
    rules
      .filter(({ resources }) => resources.includes('secrets'))
      .map((rule) => ({ role: `${kind} ${metadata?.name ?? ''}`, ...rule })),
  );
  expect(touched.map(({ role }) => role)).toEqual(touched.map(() => 'Role millrace:credentials'));
  const read = touched.filter(({ verbs }) => !verbs.every((verb) => verb === 'create'));
  expect(read).toHaveLength(1);
  expect(read[0]?.verbs).toEqual(['get', 'patch']);
  expect(read[0]?.resourceNames).toEqual([
    'millrace-delivery',
    'millrace-reviews',
    'millrace-redis',
    'flow-admission-tls',
    'appwrapper-admission-tls',
    'suspend-admission-tls',
    'redis-tls',
  ]);
});

interface LockEntry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
}

it('#50 runs no script of a dependency and knows the digest of each', () => {
  const settings = readFileSync(join(root, '.npmrc'), 'utf8').split('\n');
  expect(settings).toContain('ignore-scripts=true');
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> };
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  expect(entries.length).toBeGreaterThan(100);
  for (const [path, { integrity, resolved, hasInstallScript, optional }] of entries) {
    expect(integrity, path).toMatch(/^sha512-/);
    expect(resolved, path).toBeUndefined();
    // Packages with an install script must be optional.
    if (hasInstallScript === true) expect(optional, path).toBe(true);
  }
});
