import { describe, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import type { CreateOperation, Plan } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { RecordedSubmitter } from '#shared/domain/submitter.ts';
import { trustBy, untrustedCreates } from './trust.ts';

const ann: RecordedSubmitter = { username: 'ann', groups: [], extra: {} };

function jobIn(namespace: string, name = 'a'): CreateOperation {
  const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } };
  return { kind: 'create', resource: resources.Job, ownerUid: asUid('u'), object };
}

const codes = (
  settings: Partial<Parameters<typeof trustBy>[0]>,
  submitter: RecordedSubmitter | undefined,
  plan: Plan = [[jobIn('team-a')]],
) =>
  untrustedCreates(trustBy({ trustNamespaces: false, ...settings }), submitter, plan).map(
    ({ name, code }) => `${name} ${code}`,
  );

describe('without a submitter', () => {
  it('nothing is created by default, and each create is reported', () => {
    const plan = [[jobIn('team-a', 'a')], [jobIn('team-a', 'b')]];
    expect(codes({}, undefined, plan)).toEqual(['a SubmitterUnknown', 'b SubmitterUnknown']);
  });

  it('everything is created where the operator trusts the namespaces', () => {
    expect(codes({ trustNamespaces: true }, undefined)).toEqual([]);
  });

  it('the message says how the object gets one', () => {
    const [refused] = untrustedCreates(trustBy({ trustNamespaces: false }), undefined, [
      [jobIn('team-a')],
    ]);
    expect(refused?.message).toBe(
      'the annotation millrace.dev/submitter is missing, so the rights of its submitter cannot be checked; ' +
        'delete the object and create it again while the webhooks of flow-admission work, or start Millrace ' +
        'with --no-webhooks (MILLRACE_TRUST_NAMESPACES=true), which trusts every user who may write such ' +
        'objects in the namespace',
    );
  });
});

it.each([true, false])(
  'creates nothing for a submitter who cannot be named, trusting namespaces: %s',
  (trustNamespaces) => {
    expect(codes({ trustNamespaces }, 'unknown')).toEqual(['a SubmitterUnknown']);
  },
);

it('leaves what a known submitter creates to be judged by rights', () => {
  expect(codes({}, ann)).toEqual([]);
});

it('no submitter is needed where nothing is created', () => {
  expect(codes({}, undefined, [])).toEqual([]);
});

describe('a Job made from a JobTemplate', () => {
  const creates = (submitter: RecordedSubmitter | undefined, trustNamespaces = false) =>
    untrustedCreates(
      trustBy({ trustNamespaces }),
      ann,
      [[jobIn('team-a', 'a'), jobIn('team-a', 'b')]],
      ({ object }) => (object.metadata.name === 'a' ? { name: 't', submitter } : undefined),
    ).map(({ name, code, message }) => `${name} ${code} ${message.slice(0, 56)}`);
  const refusal = ['a SubmitterUnknown the JobTemplate "t" was last changed by an unknown user:'];

  it('takes a JobTemplate whose last editor is known', () => {
    expect(creates(ann)).toEqual([]);
    expect(creates(undefined)).toEqual(refusal);
    expect(creates('unknown')).toEqual(refusal);
  });

  it('takes a JobTemplate without an editor where the operator trusts the namespaces', () => {
    expect(creates(undefined, true)).toEqual([]);
    expect(creates('unknown', true)).toEqual(refusal);
  });
});

describe('in an exempt namespace', () => {
  it.each(['kube-system', 'kube-public', 'kube-node-lease', 'millrace'])(
    'nothing is created in %s, by any submitter and with any trust of the operator',
    (namespace) => {
      const plan = [[jobIn(namespace)]];
      const settings = { own: 'millrace', trustNamespaces: true };
      expect(codes(settings, ann, plan)).toEqual(['a ExemptNamespace']);
    },
  );

  it('everything is as elsewhere where it is the only one that is served', () => {
    const plan = [[jobIn('millrace')]];
    expect(codes({ own: 'millrace', served: 'millrace' }, ann, plan)).toEqual([]);
  });
});
