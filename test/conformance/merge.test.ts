/** The sandbox's merge functions beside a real API server: the same object, the same owners, the same refusals. */
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '#shared/domain/objects.ts';
import { definitions } from '#test/support/sandbox-merge/kinds.ts';
import {
  replay,
  type Send,
  type Sequence,
  type Verdict,
} from '#test/support/sandbox-merge/replay.ts';
import { sequences } from '#test/support/sandbox-merge/sequences.ts';
import { describeAgreement } from './recorded-suite.ts';

await describeAgreement('merge', "the sandbox's merges", (cluster) => {
  let dispatcher: Agent;
  let runs: ReadonlyMap<Sequence, Promise<readonly Verdict[]>>;
  const send: Send = async (method, path, body, contentType) => {
    const answer = await request(new URL(path, cluster.server), {
      dispatcher,
      method: method as 'PUT',
      headers: { authorization: `Bearer ${cluster.adminToken}`, 'content-type': contentType },
      body: JSON.stringify(body),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as Json };
  };

  beforeAll(async () => {
    dispatcher = new Agent({ connect: { ca: readFileSync(cluster.caFile) } });
    const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
    const items = definitions as unknown as Json;
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await cluster.kubectl(['apply', '--server-side', '-f', '-'], { input });
    await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...names]);
    // Each step waits for its own second, so all sequences run beside each other.
    runs = new Map(sequences.map((sequence) => [sequence, run(sequence)]));
    await Promise.allSettled(runs.values());
  });

  afterAll(async () => {
    const names = definitions.map(({ metadata }) => metadata.name);
    await cluster.kubectl(['delete', 'crd', '--wait=false', ...names]);
    await dispatcher.close();
  });

  const run = (sequence: Sequence): Promise<readonly Verdict[]> =>
    replay(send, sequence, `merge-${randomUUID().slice(0, 8)}`);

  for (const sequence of sequences) {
    it(sequence.name, async () => {
      const verdicts = (await runs.get(sequence)) ?? [];
      expect(verdicts).toHaveLength(sequence.steps.length);
      for (const { step, server, sandbox } of verdicts) {
        expect({ step, outcome: sandbox }).toEqual({ step, outcome: server });
      }
    });
  }
});
