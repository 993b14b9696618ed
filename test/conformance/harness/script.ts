/** A script is a rule, with the requests that show it. The servers must answer them alike. */
import type { Session } from './session.ts';

export interface Script {
  readonly family: string;
  /** The rule that it shows, unique in its family. */
  readonly rule: string;
  readonly run: (session: Session) => Promise<void>;
}

export type Rules = Readonly<Record<string, (session: Session) => Promise<void>>>;

export function family(name: string, rules: Rules): readonly Script[] {
  return Object.entries(rules).map(([rule, run]) => ({ family: name, rule, run }));
}

/** `family: rule`, the name of a script everywhere. */
export function nameOf({ family: name, rule }: Script): string {
  return `${name}: ${rule}`;
}
