import type { Figures, Measurement } from '../result.ts';

/** A measurement whose figures are all one, except for the tested ones. */
export function measurement(
  fields: Partial<Measurement> = {},
  figures: Partial<Figures> = {},
): Measurement {
  const nullWriterRun = { stepsPerSecond: 100, apiServerCpuMsPerStep: 1 };
  return {
    workload: 'chain-10',
    says: 'chains of 10 steps',
    measures: ['speed', 'latency', 'cost', 'memory'],
    contender: 'together',
    stepsPerFlow: 10,
    flows: 1,
    ending: { kind: 'ended' },
    figures: {
      seconds: 1,
      stepsPerSecond: 1,
      nullWriter: { before: nullWriterRun, after: nullWriterRun },
      advance: { samples: 1, p50Ms: 1, p99Ms: 1 },
      requestsPerStep: { 'flow-advance: create jobs': 1 },
      ownCpuMsPerStep: { millrace: 1 },
      serverCpuMsPerStep: { 'kube-apiserver': 1, etcd: 1 },
      sentBytesPerStep: { 'create jobs': 1000 },
      etcdLogBytesPerStep: 1000,
      ownResidentMiB: { millrace: 1 },
      serverResidentMiB: { 'kube-apiserver': 1 },
      ...figures,
    },
    ...fields,
  };
}

/** A measurement that did not end. */
export function refused(fields: Partial<Omit<Measurement, 'figures'>> = {}): Measurement {
  const { workload, says, measures, contender, stepsPerFlow, flows } = measurement();
  return {
    ...{ workload, says, measures, contender, stepsPerFlow, flows },
    ending: { kind: 'refused', reason: 'FlowTooLarge: 2 MiB' },
    ...fields,
  };
}
