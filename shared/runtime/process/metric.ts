/**
 * Metrics are declared beside what they measure, with all that a reader needs. The page
 * docs/reference/metrics.md, the alerts and the dashboard are checked against these declarations.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Label sets that users cannot enlarge: no name from a user is a label. */
export const boundedSets = {
  action: 'verbs of Events that the functions emit',
  admission: 'admissions',
  function: 'functions',
  kind: 'kinds that are watched or decided about',
  resource: 'resources that Millrace reads or writes',
  route: 'paths that the process serves',
  status: 'HTTP status codes; 0: no answer',
  outcome: 'error codes and reasons of metav1.Status beside the outcomes named',
} as const;

export interface Metric<Label extends string = string> {
  /** With its unit as a suffix, and `_total` if it only grows (Prometheus, "Metric and label naming"). */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** `flag`: 1 or 0. `number`: anything that is not a time or a flag. */
  readonly unit: 'seconds' | 'flag' | 'number';
  /** The processes that have it. */
  readonly by: string;
  /** Its meaning; also its HELP line. */
  readonly says: string;
  /** Advice on an abnormal value. */
  readonly next: string;
  /** The values of each label, or one of {@link boundedSets}. */
  readonly labels: Readonly<Record<Label, readonly string[] | keyof typeof boundedSets>>;
  /** Upper bounds of a histogram, in its unit. */
  readonly buckets?: readonly number[];
}

/** Makes the names of its labels known to the compiler. */
export function metric<const Label extends string>(declared: Metric<Label>): Metric<Label> {
  return declared;
}

type Collect<Kind> = (this: Kind) => void;

export function counterOf<Label extends string>(
  declared: Metric<Label>,
  registry: Registry,
  collect?: Collect<Counter<Label>>,
): Counter<Label> {
  const counter = new Counter({ ...common(declared, registry), ...(collect && { collect }) });
  if (collect === undefined) for (const labels of knownLabels(declared)) counter.inc(labels, 0);
  return counter;
}

/**
 * All combinations of label values, if each label lists them. A counter starts them at 0: Prometheus sees no
 * increase in a series that begins at 1, so an alert would miss the first event.
 */
function knownLabels<Label extends string>({
  labels,
}: Metric<Label>): readonly Partial<Record<Label, string>>[] {
  let combined: readonly Partial<Record<Label, string>>[] = [{}];
  for (const [label, values] of Object.entries<Metric['labels'][string]>(labels)) {
    if (typeof values === 'string') return [];
    combined = combined.flatMap((each) => values.map((value) => ({ ...each, [label]: value })));
  }
  return combined;
}

export function gaugeOf<Label extends string>(
  declared: Metric<Label>,
  registry: Registry,
  collect?: Collect<Gauge<Label>>,
): Gauge<Label> {
  return new Gauge({ ...common(declared, registry), ...(collect && { collect }) });
}

export function histogramOf<Label extends string>(
  declared: Metric<Label>,
  registry: Registry,
): Histogram<Label> {
  const { buckets = [] } = declared;
  return new Histogram({ ...common(declared, registry), buckets: [...buckets] });
}

function common<Label extends string>(declared: Metric<Label>, registry: Registry) {
  const labelNames = Object.keys(declared.labels) as Label[];
  return { name: declared.name, help: declared.says, labelNames, registers: [registry] };
}
