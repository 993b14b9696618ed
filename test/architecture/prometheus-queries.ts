/**
 * The metrics and labels that a PromQL query names, and whether they are declared. Not a parser: the queries are our
 * own.
 */
import type { Metric } from '#shared/runtime/process/metric.ts';

/** Labels that Prometheus and its operator add to every series. */
const added = new Set(['le', 'pod', 'namespace', 'job', 'instance', 'container', 'endpoint']);
const words = new Set(
  'sum min max by and or unless rate increase histogram_quantile time vector clamp_min abs'.split(
    ' ',
  ),
);
const selector = /\b([a-z]+_\w+)(?:\{([^}]*)\})?/g;
const matcher = /^\s*(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"\s*$/;

/** One sentence for each fault. Empty: everything in the query and its legend is declared. */
export function faultsOfQuery(
  expr: string,
  metrics: readonly Metric[],
  others: ReadonlySet<string>,
  legend = '',
): readonly string[] {
  const faults: string[] = [];
  const labels = new Set(added);
  const isKnownWord = (name: string): boolean => words.has(name) || others.has(name);
  const rest = expr.replaceAll(selector, (text, name: string, matchers?: string) => {
    if (isKnownWord(name)) return words.has(name) ? text : '1';
    const metric = metrics.find((each) => seriesOf(each).includes(name));
    if (metric === undefined) {
      faults.push(`there is no metric ${name}`);
      return '1';
    }
    for (const label of Object.keys(metric.labels)) labels.add(label);
    for (const each of (matchers ?? '').split(',').filter((part) => part.trim() !== '')) {
      const [, label = each, , value = ''] = matcher.exec(each) ?? [];
      const values = metric.labels[label];
      if (values === undefined && !added.has(label)) faults.push(`${name} has no label ${label}`);
      if (!Array.isArray(values)) continue;
      for (const wanted of value.split('|')) {
        if (!values.includes(wanted)) faults.push(`${label} of ${name} is never ${wanted}`);
      }
    }
    return '1';
  });
  for (const [, grouped = ''] of rest.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of grouped.split(',').map((each) => each.trim())) {
      if (!labels.has(label)) faults.push(`no metric of the query has the label ${label}`);
    }
  }
  for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g)) {
    if (!expr.includes('by (') || !labels.has(label)) faults.push(`the legend has no ${label}`);
  }
  return faults;
}

/** The names under which Prometheus stores the metric. */
function seriesOf({ name, type }: Metric): readonly string[] {
  if (type !== 'histogram') return [name];
  return ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`);
}
