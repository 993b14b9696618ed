import { ownMember } from '#shared/domain/own-member.ts';

const fills: Readonly<Record<string, string>> = {
  Succeed: '#c8e6c9',
  Failed: '#ffcdd2',
  Running: '#bbdefb',
  Pending: '#bbdefb',
  Suspended: '#fff3c4',
  Blocked: '#fff3c4',
  Skipped: '#e0e0e0',
};

/** Light enough for black text, which names the state as well. */
export function fillOf(state: string | undefined): string {
  return ownMember(fills, state ?? '') ?? '#f5f5f5';
}
