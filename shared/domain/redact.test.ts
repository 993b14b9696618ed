import { describe, expect, it } from 'vitest';
import { redacted, redactedTexts, redactEnv, redactMember } from './redact.ts';

const canary = 'canary-4711';
const valueFrom = { secretKeyRef: { name: 's', key: 'k' } };

describe('redactEnv', () => {
  it('takes every value of an environment variable away, at any depth; names and references stay', () => {
    const fromSecret = { name: 'B', valueFrom };
    const value = {
      env: [{ name: 'A', value: canary }, fromSecret],
      deep: [{ containers: [{ env: [{ name: 'C', value: canary }] }] }],
      args: ['--env'],
    };
    const result = redactEnv(value);
    expect(JSON.stringify(result)).not.toContain(canary);
    expect(result.env).toEqual([{ name: 'A', value: redacted }, fromSecret]);
    expect(result.args).toEqual(['--env']);
  });

  it.each([
    ['a field that a variable does not have', [{ name: 'A', val: canary }]],
    ['a field deep below one', [{ name: 'A', x: [{ y: { z: canary } }] }]],
    ['a field of that name as key', [{ name: 'A', [canary]: 1 }]],
    ['a value that is no text', [{ name: 'A', value: { text: canary } }]],
    ['a name that is none', [{ name: { text: canary } }]],
    ['a field that a reference does not have', [{ name: 'A', valueFrom: { value: canary } }]],
    [
      'a field below a reference',
      [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: [canary], value: canary } } }],
    ],
    ['a reference that is a text', [{ name: 'A', valueFrom: canary }]],
    ['a list of lists', [[canary, [canary]]]],
    ['a list of texts', [`A=${canary}`]],
    ['a map', { A: canary, B: { C: canary } }],
    ['a text', `A=${canary}`],
  ])('keeps no value of an environment with %s', (_, env) => {
    const value = { spec: { containers: [{ name: 'main', env, environment: env, envFrom: env }] } };
    expect(JSON.stringify(redactEnv(value))).not.toContain(canary);
  });

  it('keeps no number either', () => {
    expect(redactEnv({ env: 4711 })).toEqual({ env: redacted });
    expect(redactEnv({ env: [4711, null] })).toEqual({ env: [redacted, redacted] });
    expect(redactEnv({ env: { PORT: 4711 } })).toEqual({ env: { PORT: redacted } });
    expect(redactEnv({ env: null })).toEqual({ env: null });
  });

  it('keeps where variables come from', () => {
    const env = [
      { name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'B', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: true } } },
      { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
      { name: 'D', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } },
    ];
    const envFrom = [{ prefix: 'P_', configMapRef: { name: 'c' } }, { secretRef: { name: 's' } }];
    expect(redactEnv({ env, envFrom })).toEqual({ env, envFrom });
  });

  it('removes the annotation of kubectl apply, and the values of annotations that Millrace does not read', () => {
    const read = {
      'millrace.dev/retry': '1',
      'kueue.x-k8s.io/podset-required-topology': 'rack',
      'simulate.millrace.dev/exit-code': '1',
      'workload.codeflare.dev.appwrapper/retryLimit': '2',
    };
    const own = ['token', 'example.com/token', 'notk8s.io/token', 'k8s.io.example.com/token'];
    const annotations = {
      ...read,
      ...Object.fromEntries(own.map((key) => [key, canary])),
      'kubectl.kubernetes.io/last-applied-configuration': `{"env":[{"value":"${canary}"}]}`,
      'example.com/removed': null,
    };
    const kept = redactEnv({ metadata: { annotations } }).metadata.annotations;
    expect(Object.keys(kept)).toEqual(Object.keys(annotations));
    expect(kept).toMatchObject({ ...read, 'example.com/removed': null });
    expect(JSON.stringify(kept)).not.toContain(canary);
  });

  it('takes away what a Secret or a ConfigMap holds; keys stay', () => {
    const secret = { kind: 'Secret', data: { k: canary }, stringData: { l: canary } };
    const map = { kind: 'ConfigMap', data: { m: canary }, binaryData: { n: canary } };
    const template = { kind: 'Secret', data: null };
    expect(
      redactEnv({ components: [{ template: secret }, { template: map }, { template }] }),
    ).toEqual({
      components: [
        { template: { ...secret, data: { k: redacted }, stringData: { l: redacted } } },
        { template: { ...map, data: { m: redacted }, binaryData: { n: redacted } } },
        { template },
      ],
    });
  });

  it('leaves what another kind calls data, but for its texts', () => {
    const data = { replicas: 3, template: { spec: { containers: [{ env: [], image: 'i' }] } } };
    expect(redactEnv({ spec: { data } })).toEqual({ spec: { data } });
  });

  it('changes nothing the second time and leaves its input alone', () => {
    const value = {
      env: [{ name: 'A', value: canary, x: 1 }, { valueFrom }, 7],
      more: { env: {} },
    };
    const once = redactEnv(value);
    expect(redactEnv(once)).toEqual(once);
    expect(value.env[0]).toEqual({ name: 'A', value: canary, x: 1 });
  });

  it('returns the same object where there is nothing to take away', () => {
    const value = { spec: { list: [{ a: 1 }] }, other: { env: [{ name: 'A', value: canary }] } };
    expect(redactEnv(value).spec).toBe(value.spec);
    expect(redactEnv(value.spec)).toBe(value.spec);
  });
});

it('knows by its name what a member is', () => {
  expect(redactMember('env', ['text'])).toEqual([redacted]);
  expect(redactMember('args', ['text'])).toEqual(['text']);
});

it('lists what it takes away, and nothing of what stays', () => {
  const env = [
    { name: 'A', value: 'secret', x: { y: 4711 } },
    { name: 'B', valueFrom },
  ];
  const value = { args: ['open'], containers: [{ env }, { env: { C: 'other' } }] };
  expect([...redactedTexts(value)]).toEqual(['secret', '4711', 'other']);
});
