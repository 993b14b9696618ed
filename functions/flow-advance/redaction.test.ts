/** Environment values, in every place of a snapshot that may be called env. */
import { describe, expect, it } from 'vitest';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { redactEnv } from '#shared/domain/redact.ts';
import { flow, snapshot, started, step, template } from './testing/builders.ts';
import { decided } from './testing/decided.ts';

const canary = 'canary-4711-0815';

const environments: Readonly<Record<string, unknown>> = {
  'a list of variables': [{ name: 'A', value: canary }],
  'a map': { A: canary, B: { C: [canary] } },
  'a text': `A=${canary}`,
  'a list of texts': [`A=${canary}`],
  'a list of lists': [[{ name: 'A', value: canary }]],
  'unknown fields': [{ name: 'A', val: canary, x: { y: [{ z: canary }] } }],
  'values that are no texts': [
    { name: 'A', value: { text: canary } },
    { name: 'B', value: [canary] },
  ],
  'names that are none': [{ name: [canary] }, { name: { [canary]: 1 } }],
  'broken references': [
    { name: 'A', valueFrom: canary },
    { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k', value: canary } } },
    { name: 'C', valueFrom: { other: { value: canary } } },
  ],
};

/** A template with this environment in every place that a Pod has, and in some that it has not. */
function templateWith(env: unknown): JobSpec {
  const container = { name: 'main', image: 'i', env };
  const applied = JSON.stringify({ spec: { containers: [{ env: [{ value: canary }] }] } });
  return {
    env,
    template: {
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } },
      env,
      spec: {
        env,
        containers: [{ ...container, envFrom: [{ prefix: 'P_', env, value: canary }] }],
        initContainers: [{ ...container, environment: env }],
        ephemeralContainers: [{ ...container, lifecycle: { postStart: { env } } }],
      },
    },
  } as unknown as JobSpec;
}

describe.each(Object.entries(environments))('an environment that is %s', (_, env) => {
  const jobTemplate = templateWith(env);
  const steps = [step('own', { jobTemplate }), step('referring', { jobTemplateRef: 'shared' })];
  const pinned = { name: 'shared', uid: 'uid-of-shared', generation: 1, hash: 'h', jobTemplate };
  const globalEnv = Array.isArray(env) ? env : [];

  it.each([
    ['is read with the flow', {}, { templates: { shared: template('shared', jobTemplate) } }],
    ['is pinned in the status', { status: started([], { pinnedTemplates: [pinned] }) }, {}],
    [
      'stands in globalParams',
      { spec: { globalParams: { env: globalEnv as never } } },
      { templates: { shared: template('shared') } },
    ],
  ])('leaves no value behind when it %s, and decides the same', (_place, fields, seen) => {
    const given = snapshot(flow(steps, fields), seen);
    expect(JSON.stringify(given)).toContain(canary);
    expect(JSON.stringify(redactEnv(given))).not.toContain(canary);
    // The decision on the redacted snapshot equals the redacted decision.
    const { decision } = decided(given);
    expect(decision.plan.flat().length).toBeGreaterThan(0);
    expect(JSON.stringify(redactEnv(decision))).not.toContain(canary);
  });
});
