/** One sample of Prometheus' text format. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of this metric. A histogram's are under `<name>_sum` and `<name>_count`. */
export function samplesOf(text: string, name: string): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith(name)) continue;
    const [, labels = '', value] = /^\{(.*)\} (\S+)/.exec(line.slice(name.length)) ?? [];
    const plain = /^ (\S+)/.exec(line.slice(name.length))?.[1];
    const number = value ?? plain;
    if (number !== undefined) samples.push({ labels: labelsOf(labels), value: Number(number) });
  }
  return samples;
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries([...pairs].map(([, label = '', value = '']) => [label, value]));
}
