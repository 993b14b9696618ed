import type { NewObject } from '#shared/domain/objects.ts';

/** A step and what it waits for. */
export type Shape = Readonly<Record<string, readonly string[]>>;

/** A -> {B, C, D} -> E, the flow of W1 of bench.ts. */
export const diamond: Shape = { a: [], b: ['a'], c: ['a'], d: ['a'], e: ['b', 'c', 'd'] };

/** s0 -> s1 -> ... (one step at a time, so every advance meets an idle system). */
export function chain(length: number): Shape {
  const names = Array.from({ length }, (_, index) => `s${index}`);
  return Object.fromEntries(
    names.map((name, index) => [name, index === 0 ? [] : [`s${index - 1}`]]),
  );
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

/** What the null writer posts: a Job of the same size, without an owner. */
export function plainJob(namespace: string, name: string): NewObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace, name },
    spec: {
      backoffLimit: 0,
      template: { spec: { ...template.template.spec, restartPolicy: 'Never' } },
    },
  };
}
