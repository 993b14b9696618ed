/** Shipped examples are admitted, with the default policy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from './decide.ts';
import { lookUp } from './facts.ts';
import { submittedKinds } from './submission.ts';
import { creation } from './testing/reviews.ts';

const folders = ['deploy/examples', 'samples'].map((each) =>
  join(import.meta.dirname, '../..', each),
);
const submitted = new Set(submittedKinds.map(({ resource }) => resource.kind));
const manifests = folders
  .flatMap((folder) => readdirSync(folder).map((file) => ({ folder, file })))
  .flatMap(({ folder, file }) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map(
      (document, at) => [`${file}, ${at + 1}`, document.toJS() as JsonObject] as const,
    ),
  )
  .filter(([, manifest]) => submitted.has(manifest['kind'] as string));

describe('the examples', () => {
  it.each(manifests)('%s is admitted', async (_, manifest) => {
    const review = creation(manifest);
    const neverLeaves = new AbortController().signal;
    const facts = await lookUp(review, defaultPolicy, knownCluster(), neverLeaves);
    expect(decide(review, facts)).toMatchObject({ allowed: true });
  });
});
