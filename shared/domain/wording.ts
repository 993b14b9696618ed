/** Texts of a status, within the size that may be stored. */

/** Longest message of one entry, in characters: 200 entries must stay far below etcd's 1.5 MiB. */
export const maxMessageLength = 256;

export function shortened(message: string, limit: number = maxMessageLength): string {
  return message.length <= limit ? message : `${message.slice(0, limit - 1)}…`;
}

/** `1 Pod`, `3 Pods`. `what` takes an s in the plural. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** `a, b, c and 4 more`: enough to find the cause, and never longer than the field allows. */
export function listed(names: readonly string[], limit = 8): string {
  if (names.length <= limit) return names.join(', ');
  return `${names.slice(0, limit).join(', ')} and ${names.length - limit} more`;
}
