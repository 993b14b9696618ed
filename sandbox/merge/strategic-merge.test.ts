import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { builtinSchema } from '../registry/builtin-schemas.ts';
import kubectlPatches from './kubectl-patches.json' with { type: 'json' };
import type { Schema } from '../schema/schema.ts';
import { strategicMerge } from './strategic-merge.ts';

const job = builtinSchema('batch', 'v1', 'Job');
const pod = builtinSchema('', 'v1', 'Pod');
const node = builtinSchema('', 'v1', 'Node');
const schemas: Readonly<Record<string, Schema | undefined>> = {
  Pod: pod,
  Job: job,
  Node: node,
};

describe('does what the API server does with', () => {
  it.each(kubectlPatches)('$name', ({ before, patch, after }) => {
    const from = before as unknown as JsonObject;
    const merged = strategicMerge(from, patch, schemas[before.kind]);
    expect(merged).toEqual(after);
  });
});

const containers = [
  { name: 'a', image: 'a' },
  { name: 'b', image: 'b', env: [{ name: 'X', value: '1' }] },
];
const volumes = [{ name: 'v', emptyDir: {} }];
const doc: JsonObject = {
  metadata: { labels: { l: '1' }, finalizers: ['x', 'y'] },
  spec: { containers, volumes, nodeName: 'n' },
};
const ofSpec = (patch: JsonObject): JsonObject =>
  strategicMerge(doc, { spec: patch }, pod)['spec'] as JsonObject;

it('merges items by their key and appends new ones', () => {
  const patched = ofSpec({ containers: [{ name: 'b', image: 'c' }, { name: 'z' }] });
  expect(patched['containers']).toEqual([
    containers[0],
    { ...containers[1], image: 'c' },
    { name: 'z' },
  ]);
});

it('keeps what it does not touch as it is', () => {
  const patched = ofSpec({ containers: [{ name: 'b', image: 'c' }] });
  expect(patched['volumes']).toBe(volumes);
  expect((patched['containers'] as readonly unknown[])[0]).toBe(containers[0]);
});

it('deletes an item, replaces a list, and empties or replaces a map by directive', () => {
  const deleted = ofSpec({ containers: [{ name: 'a', $patch: 'delete' }] });
  expect(deleted['containers']).toEqual([containers[1]]);
  const replaced = ofSpec({ containers: [{ name: 'q' }, { $patch: 'replace' }] });
  expect(replaced['containers']).toEqual([{ name: 'q' }]);
  const { metadata } = strategicMerge(doc, { metadata: { labels: { $patch: 'delete' } } }, pod);
  expect((metadata as JsonObject)['labels']).toEqual({});
  expect(ofSpec({ $patch: 'replace', nodeName: 'm' })).toEqual({ nodeName: 'm' });
});

it('drops members that $retainKeys does not name', () => {
  const volume = { $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/' } };
  expect(ofSpec({ volumes: [volume] })['volumes']).toEqual([
    { name: 'v', hostPath: { path: '/' } },
  ]);
});

it('orders lists as $setElementOrder says, with deletions from a list of primitives', () => {
  const metadata = {
    finalizers: ['z'],
    '$setElementOrder/finalizers': ['z', 'y'],
    '$deleteFromPrimitiveList/finalizers': ['x'],
  };
  const patched = strategicMerge(doc, { metadata }, pod);
  expect((patched['metadata'] as JsonObject)['finalizers']).toEqual(['z', 'y']);
});

it('removes by null, and no null is left in what is new', () => {
  expect(ofSpec({ nodeName: null })).not.toHaveProperty('nodeName');
  expect(ofSpec({ affinity: { nodeAffinity: null, podAffinity: {} } })['affinity']).toEqual({
    podAffinity: {},
  });
});

it.each([
  [{ spec: { containers: [{ image: 'x' }] } }, 500, 'does not contain declared merge key: name'],
  [{ spec: { containers: [{ name: 'a', $patch: 'x' }] } }, 500, 'unknown patch type: x in map'],
  [{ spec: { $retainKeys: ['x'], nodeName: 'n' } }, 400, 'invalid patch format of retainKeys'],
  [{ spec: { $setElementOrder: [] } }, 400, 'invalid patch format of setElementOrder list'],
  [{ $patch: 'x' }, 500, 'unknown patch type: x in map: map[$patch:x]'],
])('refuses %j', (patch, code, message) => {
  const refused = expect(() => strategicMerge(doc, patch as unknown as JsonObject, pod));
  refused.toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
  );
});

it('is a JSON merge patch where no schema says how to merge', () => {
  const leaf = fc.oneof(
    fc.integer({ max: 3 }),
    fc.array(fc.integer({ max: 3 })),
    fc.constant(null),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof({ maxDepth: 3 }, leaf, tie('tree')),
    ),
  }));
  const json = tree as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(json, json, (from, patch) => {
      const original = applyMergePatch({}, from) as JsonObject;
      const merged = applyMergePatch(original, patch);
      expect(strategicMerge(original, patch, undefined)).toEqual(merged);
    }),
  );
});
