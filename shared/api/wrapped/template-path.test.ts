import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { inheritedNames } from '#shared/domain/testing/inherited-names.ts';
import { podTemplateAt, segmentsOf, valueAt } from './template-path.ts';

const podTemplate = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'main' }], nodeSelector: {} },
};
const jobSet: JsonObject = {
  apiVersion: 'jobset.x-k8s.io/v1alpha2',
  kind: 'JobSet',
  spec: { replicatedJobs: [{ name: 'a', template: { spec: { template: podTemplate } } }] },
};
const pod: JsonObject = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [] } };

it('a path names fields and list entries below the resource', () => {
  expect(segmentsOf('template')).toEqual({ value: [] });
  expect(segmentsOf('template.spec.replicatedJobs[0].template')).toEqual({
    value: ['spec', 'replicatedJobs', 0, 'template'],
  });
  expect(valueAt(jobSet, 'template.spec.replicatedJobs[0].name')).toEqual({ value: 'a' });
});

it('a path finds a Pod template, and a Pod is one', () => {
  const path = 'template.spec.replicatedJobs[0].template.spec.template';
  expect(podTemplateAt(jobSet, path)).toEqual({ value: podTemplate });
  expect(podTemplateAt(pod, 'template')).toEqual({ value: pod });
});

describe('a path is refused', () => {
  it.each([
    ['', "first element of the path must be 'template'"],
    ['spec.template', "first element of the path must be 'template'"],
    ['templates', "at path position 'template' invalid path element 's'"],
    ['template.spec.missing', "at path position 'template.spec' missing field 'missing'"],
    ['template..spec', "at path position 'template' missing field ''"],
    [
      'template.spec.replicatedJobs.template',
      "at path position 'template.spec.replicatedJobs' non-map value",
    ],
    [
      'template.spec.replicatedJobs',
      "at path position 'template.spec.replicatedJobs' non-map value",
    ],
    ['template.spec[0]', "at path position 'template.spec' found non-array value"],
    [
      'template.spec.replicatedJobs[10]',
      "at path position 'template.spec.replicatedJobs' out of bounds index '10'",
    ],
    [
      'template.spec.replicatedJobs[-1]',
      "at path position 'template.spec.replicatedJobs' out of bounds index '-1'",
    ],
    [
      'template.spec.replicatedJobs[a10]',
      "at path position 'template.spec.replicatedJobs' invalid index expression 'a10'",
    ],
    [
      'template.spec.replicatedJobs[]',
      "at path position 'template.spec.replicatedJobs' invalid index expression ''",
    ],
    [
      'template.spec.replicatedJobs[0',
      "at path position 'template.spec.replicatedJobs' invalid array index '[0'",
    ],
    [
      'template.spec.replicatedJobs[0]].a',
      "at path position 'template.spec.replicatedJobs[0]' invalid path element '].a'",
    ],
    [
      'template.spec.replicatedJobs[0].template.spec.template.metadata',
      'content at template.spec.replicatedJobs[0].template.spec.template.metadata does not contain a spec',
    ],
    [
      'template.spec.replicatedJobs[0].template',
      'content at template.spec.replicatedJobs[0].template.spec not parseable as a v1.PodSpec: it has no list of containers',
    ],
  ])('%s', (path, fault) => {
    expect(podTemplateAt(jobSet, path)).toEqual({ fault });
  });

  it.each(inheritedNames)('template.%s', (name) => {
    const fault = `at path position 'template' missing field '${name}'`;
    expect(valueAt(jobSet, `template.${name}`)).toEqual({ fault });
  });
});
