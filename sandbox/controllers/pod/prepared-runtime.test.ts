import { describe, expect, it } from 'vitest';
import { container, ControllerWorld, pod } from '../testing/controller-world.ts';

const named = (name: string) => ({ metadata: { name, namespace: 'default' } });
const waiting = (world: ControllerWorld) =>
  world.pod('p').status?.containerStatuses?.[0]?.state.waiting;
const started = (spec: object): ControllerWorld => {
  const world = new ControllerWorld();
  world.create('pods', pod('p', spec));
  return world;
};
const secretKeyRef = { name: 's', key: 'k' };

describe('a container is not started', () => {
  it.each([
    ['a Secret of its environment', { envFrom: [{ secretRef: { name: 's' } }] }, 'secret "s"'],
    [
      'a ConfigMap of its environment',
      { envFrom: [{ configMapRef: { name: 'c' } }] },
      'configmap "c"',
    ],
    ['a Secret of a variable', { env: [{ name: 'A', valueFrom: { secretKeyRef } }] }, 'secret "s"'],
  ])('while %s is missing', (_, fields, what) => {
    const world = started({ containers: [{ ...container('sleep 1'), ...fields }] });
    expect(waiting(world)).toEqual({
      reason: 'CreateContainerConfigError',
      message: `${what} not found`,
    });
    expect(world.eventTexts('Pod')).toContain(`Failed: ${what} not found`);
  });

  it('while a key is missing, and is when it has come', () => {
    const world = new ControllerWorld();
    world.create('secrets', named('s'));
    const env = [{ name: 'A', valueFrom: { secretKeyRef } }];
    world.create('pods', pod('p', { containers: [{ ...container('sleep 1'), env }] }));
    expect(waiting(world)?.message).toBe("couldn't find key k in Secret default/s");
    world.patch('secrets', 's', { data: { k: 'eA==' } });
    world.pass(30);
    expect(world.pod('p').status?.phase).toBe('Succeeded');
  });

  it.each([
    ['secret "s"', { secret: { secretName: 's' } }],
    ['configmap "c"', { configMap: { name: 'c' } }],
  ])('while %s of a volume is missing, which only an Event reports', (what, source) => {
    const world = started({ volumes: [{ name: 'v', ...source }] });
    world.pass(600);
    expect(waiting(world)).toEqual({ reason: 'ContainerCreating' });
    expect(world.eventTexts('Pod')).toContain(
      `FailedMount: MountVolume.SetUp failed for volume "v" : ${what} not found`,
    );
  });

  it.each(['Bad Image', 'Upper', 'busybox:', 'busybox@sha256:1', 'a'.repeat(1_000)])(
    'when its image has the name %s',
    (image) => {
      const world = started({ containers: [{ ...container('sleep 1'), image }] });
      expect(waiting(world)?.reason).toBe('InvalidImageName');
    },
  );
});

describe('a container is started', () => {
  it.each([
    'busybox',
    'busybox:1.28',
    'registry.example:5000/team/app:v1.2_3',
    'EXAMPLE.org/a/b__c/d-e',
    `example.org/app@sha256:${'0'.repeat(64)}`,
    'localhost/a:B.c-d',
  ])('when its image has the name %s', (image) => {
    expect(waiting(started({ containers: [{ ...container('sleep 1'), image }] }))).toBeUndefined();
  });

  it('without what is optional, and with variables of other sources', () => {
    const optional = true;
    const fieldRef = { fieldPath: 'metadata.name' };
    const env = [
      { name: 'A', valueFrom: { secretKeyRef: { ...secretKeyRef, optional } } },
      { name: 'B', valueFrom: { fieldRef } },
      { name: 'C', value: 'x' },
    ];
    const envFrom = [{ configMapRef: { name: 'c', optional } }];
    const world = started({
      containers: [{ ...container('sleep 1'), env, envFrom }],
      volumes: [
        { name: 'v', secret: { secretName: 's', optional } },
        { name: 'w', emptyDir: {} },
      ],
    });
    expect(waiting(world)).toBeUndefined();
  });
});
