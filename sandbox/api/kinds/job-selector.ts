/**
 * How a Job finds its Pods: a generated selector and the labels that go with it
 * (pkg/registry/batch/job generateSelector, pkg/apis/batch/validation validateGeneratedSelector).
 */
import type { Json } from '#shared/domain/objects.ts';
import { invalid, required } from '../../apimachinery/cause.ts';
import { type Labels, selects } from '../../apimachinery/label-selector.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { type Draft, withMeta } from '../draft.ts';
import type { JobSpec } from './job-spec.ts';

const uidLabel = 'batch.kubernetes.io/controller-uid';

/** In the order in which they are checked. */
function generatedLabels({ uid, name }: Draft['metadata']): Labels {
  return {
    'controller-uid': uid,
    'job-name': name,
    [uidLabel]: uid,
    'batch.kubernetes.io/job-name': name,
  };
}

/** Labels of the user stay. The rules refuse those that do not match. */
export function withSelector(object: Draft): Draft {
  const spec = object.spec as JobSpec;
  if (spec.manualSelector === true) return object;
  const { template = {} } = spec;
  const given = template.metadata?.labels;
  const labels = { ...generatedLabels(object.metadata), ...given };
  const matchLabels = { [uidLabel]: object.metadata.uid, ...spec.selector?.matchLabels };
  const next = {
    ...object,
    spec: {
      ...spec,
      selector: { ...spec.selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  // A Job without labels gets those of its template.
  const { labels: own } = object.metadata;
  return own === undefined || own === given ? withMeta(next, { labels }) : next;
}

export function selectorFaults({ metadata }: Draft, spec: JobSpec): readonly StatusCause[] {
  const { selector, manualSelector } = spec;
  const labels = spec.template?.metadata?.labels ?? {};
  const faults: StatusCause[] = [];
  if (manualSelector !== true) {
    const expected = generatedLabels(metadata);
    faults.push(...labelFaults(labels, expected));
    if (!selects(selector, expected)) {
      faults.push(invalid('spec.selector', selector as Json, '`selector` not auto-generated'));
    }
  }
  if (selector === undefined) faults.push(required('spec.selector'));
  if (!selects(selector, labels)) {
    const detail = '`selector` does not match template `labels`';
    faults.push(invalid('spec.template.metadata.labels', labels, detail));
  }
  return faults;
}

function labelFaults(labels: Labels, expected: Labels): readonly StatusCause[] {
  return Object.entries(expected).flatMap(([label, value]) => {
    const field = `spec.template.metadata.labels[${label}]`;
    if (labels[label] === value) return [];
    if (labels[label] === undefined) return [required(field, `must be '${value}'`)];
    return [invalid(field, labels, `must be '${value}'`)];
  });
}
