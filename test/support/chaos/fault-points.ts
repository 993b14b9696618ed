/** The points at which a fault can strike: one for each write of a clean run. */
import type { SeenWrite } from '../faulty-client.ts';

export interface FaultPoint {
  readonly label: string;
  /** False for a status patch that another run may omit, because its causes came at once. */
  readonly isCertain: boolean;
  readonly strikes: (write: SeenWrite, before: readonly SeenWrite[]) => boolean;
}

/**
 * The points that all of these clean traces share. `waves`: how many times in a row something starts, and so how many
 * status patches every run needs. The number of status patches depends on how many changes came at once. The patch
 * that ends the flow is a point of its own, whatever its number.
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
