import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isDns1123Label } from './names.ts';
import { nodeJobName } from './node-job-name.ts';

it('is daemonjob and node where that is a DNS label', () => {
  expect(nodeJobName('daemonjob-example', 'vm-0-12-centos', 0)).toBe(
    'daemonjob-example-vm-0-12-centos',
  );
});

it('is shortened and has a hash where the whole would be longer than a Job name may be', () => {
  const node = 'ip-172-31-37-227.ap-northeast-1.compute.internal';
  expect(nodeJobName('daemonjob-example', node, 0)).toMatch(
    /^daemonjob-example-ip-172-31-37-227-ap-nor-[0-9a-f]{8}$/,
  );
});

it('Job names differ for nodes that differ only in characters that a Job name cannot have', () => {
  expect(nodeJobName('x', 'a.b', 0)).not.toBe(nodeJobName('x', 'a-b', 0));
  expect(nodeJobName('x', 'a.b-c', 0)).not.toBe(nodeJobName('x', 'a-b.c', 0));
});

it('Job names differ for owners that begin alike', () => {
  const owner = 'o'.repeat(40);
  expect(nodeJobName(`${owner}1`, 'n.1', 0)).not.toBe(nodeJobName(`${owner}2`, 'n.1', 0));
});

it('is another one for each attempt, which no name of a node can be mistaken for', () => {
  const names = [0, 1, 2].map((attempt) => nodeJobName('x', 'n', attempt));
  expect(new Set([...names, nodeJobName('x', 'n-r1', 0)]).size).toBe(4);
});

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const subdomain = fc
  .array(label, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('.').slice(0, 253));

it('is always a DNS label', () => {
  fc.assert(
    fc.property(label, subdomain, fc.nat(99), (owner, node, attempt) => {
      expect(isDns1123Label(nodeJobName(owner, node, attempt))).toBe(true);
    }),
  );
});
