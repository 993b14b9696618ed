import type { SimulatedProcess } from '../world/simulated-process.ts';

/**
 * The simulated cluster is never restored. A process that reports a restore has taken a late list, or a
 * lost or repeated watch line, for another history (reflector-3).
 */
export function imaginedRestores(processes: readonly SimulatedProcess[]): readonly string[] {
  return processes.flatMap(({ name, bridge }) =>
    Object.entries(bridge?.stats ?? {})
      .filter(([, { startedOver }]) => startedOver > 0)
      .map(([kind]) => `reflector-3: ${name} took the cluster for restored: ${kind}`),
  );
}
