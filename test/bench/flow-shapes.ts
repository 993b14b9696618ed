import type { NewObject } from '#shared/domain/objects.ts';

/** Each step with its dependencies. */
export type Shape = Readonly<Record<string, readonly string[]>>;

/** A -> {B, C, D} -> E. */
export const diamond: Shape = { a: [], b: ['a'], c: ['a'], d: ['a'], e: ['b', 'c', 'd'] };

/** s0 -> s1 -> ...: one step at a time. */
export function chain(length: number): Shape {
  return layers(length, 1, () => [0]);
}

/** Every step depends on the whole layer before its own. */
export function fullLayers(count: number, width: number): Shape {
  const all = Array.from({ length: width }, (_, place) => place);
  return layers(count, width, () => all);
}

/**
 * Every step depends on three of the layer before its own: the one at its position, and two beside it.
 */
export function sparseLayers(count: number, width: number): Shape {
  return layers(count, width, (place) => [place, (place + 1) % width, (place + 7) % width]);
}

/** `parents`: for a position, the positions in the layer before. Names are numbered consecutively. */
function layers(
  count: number,
  width: number,
  parents: (place: number) => readonly number[],
): Shape {
  const name = (layer: number, place: number) => `s${layer * width + place}`;
  const steps: Record<string, readonly string[]> = {};
  for (let layer = 0; layer < count; layer += 1) {
    for (let place = 0; place < width; place += 1) {
      const before = layer === 0 ? [] : parents(place);
      steps[name(layer, place)] = before.map((parent) => name(layer - 1, parent));
    }
  }
  return steps;
}

const template = {
  template: {
    spec: {
      containers: [{ name: 'main', image: 'busybox:1.28', command: ['sh', '-c', 'sleep 1'] }],
    },
  },
};

export function flowOf(namespace: string, name: string, shape: Shape): NewObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { namespace, name },
    spec: {
      flows: Object.entries(shape).map(([step, dependencies]) => ({
        name: step,
        dependencies,
        jobTemplate: template,
      })),
    },
  };
}

/** The Job of a step for the null writer, without an owner. */
export function plainJob(namespace: string, name: string): NewObject {
  const labels = { 'bench.millrace.dev/null-writer': 'true' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace, name, labels },
    spec: {
      backoffLimit: 0,
      template: { spec: { ...template.template.spec, restartPolicy: 'Never' } },
    },
  };
}
