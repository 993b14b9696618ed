/** Where in a run a fault can strike: one point for each write that a clean run makes. */
import type { SeenWrite } from '../faulty-client.ts';

export interface FaultPoint {
  readonly label: string;
  /** False for a status patch that another run may not make, since its causes came at once. */
  readonly isCertain: boolean;
  readonly strikes: (write: SeenWrite, before: readonly SeenWrite[]) => boolean;
}

/**
 * The points that every one of these clean traces has. `waves`: how many times one after another
 * something starts, and so how many status patches no run can do without. How often a status is patched depends on how
 * many changes came at once; the patch that ends the flow is a point of its own, whatever its number.
 */
export function faultPoints(
  traces: readonly (readonly SeenWrite[])[],
  waves: number,
): readonly FaultPoint[] {
  const kinds = new Set(traces.flat().map(kindOf));
  return [...kinds].flatMap((kind) => {
    const counts = traces.map((trace) => trace.filter((write) => kindOf(write) === kind).length);
    return Array.from({ length: Math.min(...counts) }, (_, index) => nth(kind, index + 1, waves));
  });
}

function nth(kind: string, number: number, waves: number): FaultPoint {
  return {
    label: `${kind} ${number}`,
    isCertain: kind !== 'patch of jobflows' || number <= waves,
    strikes: (write, before) =>
      kindOf(write) === kind &&
      before.filter((earlier) => kindOf(earlier) === kind).length === number - 1,
  };
}

function kindOf(write: SeenWrite): string {
  const end = endsFlow(write) ? ' that ends the flow' : '';
  return `${write.verb} of ${write.plural}${end}`;
}

function endsFlow({ verb, plural, content }: SeenWrite): boolean {
  if (verb !== 'patch' || plural !== 'jobflows') return false;
  const { status } = content as { readonly status?: { readonly completionTime?: string } };
  return status?.completionTime !== undefined;
}
