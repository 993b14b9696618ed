import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { at, held, nights, opensAt, policy, snapshot } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const spot = { key: 'spot', operator: 'Exists' };
const own = { key: 'own', operator: 'Exists' };
const placement = { nodeSelector: { pool: 'spot' }, tolerations: [spot] };
const placing = policy({ schedule: nights, onResume: { placement } });
const pod = { nodeSelector: { disk: 'ssd' }, tolerations: [own] };
const placedPod = { nodeSelector: { pool: 'spot', disk: 'ssd' }, tolerations: [own, spot] };

const partsOf = ({ patch }: { readonly patch: JsonObject }) => {
  const { metadata, spec } = patch as unknown as {
    readonly metadata: { readonly annotations: JsonObject };
    readonly spec?: {
      readonly suspend?: boolean;
      readonly template?: { readonly spec: JsonObject };
    };
  };
  return {
    placed: metadata.annotations['millrace.dev/placed'],
    suspend: spec?.suspend,
    template: spec?.template?.spec,
  };
};

describe('a placement', () => {
  it('is written with the resumption, besides what the Job asks for itself', () => {
    const { patches } = decided(snapshot(placing, [held('a', { pod })]), opensAt);
    expect(partsOf(patches[0]!)).toEqual({
      placed: JSON.stringify(pod),
      suspend: false,
      template: {
        nodeSelector: { pool: 'spot', disk: 'ssd' },
        tolerations: [own, spot],
        affinity: { nodeAffinity: null },
      },
    });
  });

  it.each([
    ['tolerations', { tolerations: [spot] }, [own, spot], { disk: 'ssd' }],
    ['a selector', { nodeSelector: { pool: 'spot' } }, [own], { disk: 'ssd', pool: 'spot' }],
  ])('of %s alone leaves the rest as it is', (_, only, tolerations, nodeSelector) => {
    const owner = policy({ schedule: nights, onResume: { placement: only } });
    const { patches } = decided(snapshot(owner, [held('a', { pod })]), opensAt);
    expect(partsOf(patches[0]!).template).toMatchObject({ tolerations, nodeSelector });
  });

  it('is not written where the Job asks for all of it by itself', () => {
    const { resumes, patches } = decided(
      snapshot(placing, [held('a', { pod: { ...placement } })]),
      opensAt,
    );
    expect(resumes).toEqual(['a']);
    expect(partsOf(patches[0]!)).toMatchObject({ placed: undefined, template: undefined });
  });

  it.each([
    [
      'no operator',
      { key: 'spot', value: 'yes' },
      { key: 'spot', operator: 'Equal', value: 'yes' },
    ],
    ['an empty effect', { ...spot, effect: '' }, spot],
  ])('adds no toleration that the Job has in other words: %s', (_, wanted, known) => {
    const owner = policy({ schedule: nights, onResume: { placement: { tolerations: [wanted] } } });
    const { patches } = decided(
      snapshot(owner, [held('a', { pod: { tolerations: [known] } })]),
      opensAt,
    );
    expect(partsOf(patches[0]!)).toMatchObject({ placed: undefined, template: undefined });
  });

  it('is of what it says alone where the Job asks for nothing', () => {
    const { patches } = decided(
      snapshot(
        policy({ schedule: nights, onResume: { placement: { nodeSelector: { a: 'b' } } } }),
        [held('a', { pod: {} })],
      ),
      opensAt,
    );
    expect(partsOf(patches[0]!).template).toEqual({
      nodeSelector: { a: 'b' },
      tolerations: null,
      affinity: { nodeAffinity: null },
    });
  });

  it('is left out where the API server refused it, which is reported once (scenario 69)', () => {
    const rejected = held('a', { pod });
    const rejections = [
      { name: 'a', uid: rejected.uid, code: 'Invalid', message: 'immutable' } as const,
    ];
    const { resumes, patches, events } = decided(
      snapshot(placing, [rejected], { rejections }),
      opensAt,
    );
    expect(resumes).toEqual(['a']);
    expect(partsOf(patches[0]!)).toEqual({
      placed: undefined,
      suspend: false,
      template: undefined,
    });
    expect(events).toEqual(['a PlacementRefused']);
  });

  it('is taken back when the Job is held again and its Pods are gone', () => {
    const placed = { pod: placedPod, placed: JSON.stringify(pod) };
    const { annotates, patches } = decided(snapshot(placing, [held('a', placed)]));
    expect(annotates).toEqual(['a']);
    expect(partsOf(patches[0]!)).toEqual({
      placed: null,
      suspend: undefined,
      template: {
        nodeSelector: { disk: 'ssd', pool: null },
        tolerations: [own],
        affinity: { nodeAffinity: null },
      },
    });
    const leaving = held('a', { ...placed, isActive: true });
    expect(decided(snapshot(placing, [leaving])).patches).toEqual([]);
  });

  it('is no patch where the Job is placed already or has it by itself', () => {
    const template = (fields: object) =>
      partsOf(decided(snapshot(placing, [held('a', fields)]), opensAt).patches[0]!).template;
    expect(template({ pod: placedPod, placed: JSON.stringify(pod) })).toBeUndefined();
    expect(template({ pod: placedPod })).toBeUndefined();
  });

  it('gives a node affinity to a Job that has none, and removes all of it afterwards', () => {
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };
    const affine = policy({ schedule: nights, onResume: { placement: { nodeAffinity } } });
    const given = decided(snapshot(affine, [held('a', { pod: {} })]), opensAt);
    expect(partsOf(given.patches[0]!).template).toMatchObject({ affinity: { nodeAffinity } });
    const back = decided(snapshot(affine, [held('a', { pod: { nodeAffinity }, placed: '{}' })]));
    expect(partsOf(back.patches[0]!).template).toEqual({
      nodeSelector: null,
      tolerations: null,
      affinity: { nodeAffinity: null },
    });
    const own = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } };
    const kept = decided(snapshot(affine, [held('a', { pod: own })]), opensAt);
    expect(partsOf(kept.patches[0]!).template).toBeUndefined();
  });

  it('does not delay what was refused for another reason', () => {
    const rejected = held('a');
    const rejections = [
      { name: 'a', uid: rejected.uid, code: 'Forbidden', message: 'no' } as const,
    ];
    const { patches, again } = decided(snapshot(placing, [rejected], { rejections }), opensAt);
    expect(patches).toEqual([]);
    expect(at(again!)).toBe(at(opensAt + 60));
  });
});
